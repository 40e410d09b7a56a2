// Myers' algorithm of 1986 ("An O(ND) difference algorithm and its
// variations"), greedy and forward. Its names are used here: a diagonal k has
// the points with x - y = k; d is the number of edits.
#include "tools/diff/line_diff.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

namespace eyrie::tools {
namespace {

constexpr int kMaxEdits = 1000;  // memory grows with its square: 4 MiB
constexpr size_t kContext = 3;

using Lines = std::vector<absl::string_view>;

// A line of the result: ' ', '-' or '+', and its text.
struct Edit {
  char mark;
  absl::string_view line;
};

Lines Split(absl::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

// The lines between the common beginning and the common end of two texts.
class Middle {
 public:
  Middle(const Lines& before, const Lines& after, int64_t& budget)
      : before_(before), after_(after), budget_(budget) {
    const size_t least = std::min(before.size(), after.size());
    while (begin_ < least && before[begin_] == after[begin_]) ++begin_;
    while (end_ < least - begin_ &&
           before[before.size() - 1 - end_] == after[after.size() - 1 - end_]) {
      ++end_;
    }
    width_ = static_cast<int>(before.size() - begin_ - end_);
    height_ = static_cast<int>(after.size() - begin_ - end_);
    budget_ -= static_cast<int64_t>(begin_ + end_);
  }

  std::vector<Edit> Edits() {
    std::vector<Edit> edits;
    for (size_t i = 0; i < begin_; ++i) edits.push_back({' ', before_[i]});
    const std::optional<int> d = Search();
    if (d.has_value()) {
      Walk(*d, edits);
    } else {
      for (int x = 0; x < width_; ++x) edits.push_back({'-', Before(x)});
      for (int y = 0; y < height_; ++y) edits.push_back({'+', After(y)});
    }
    for (size_t i = before_.size() - end_; i < before_.size(); ++i) {
      edits.push_back({' ', before_[i]});
    }
    return edits;
  }

 private:
  absl::string_view Before(int x) const { return before_[begin_ + x]; }
  absl::string_view After(int y) const { return after_[begin_ + y]; }

  // The furthest x on each diagonal with d edits, from -d to d; -1 if a
  // diagonal has no such point.
  struct Front {
    int d;
    std::vector<int> x;

    int At(int k) const { return k < -d || k > d ? -1 : x[k + d]; }
  };
  // Reports whether the path to diagonal k of the next front inserts a line, so
  // that it comes from k + 1. Else it removes one.
  static bool Inserts(const Front& front, int k) {
    return k == -front.d - 1 ||
           (k != front.d + 1 && front.At(k - 1) < front.At(k + 1));
  }
  int Extend(int x, int k) {
    const int from = x;
    while (x < width_ && x - k < height_ && Before(x) == After(x - k)) ++x;
    budget_ -= x - from + 1;
    return x;
  }

  // Returns the least number of edits, and fills fronts_; nullopt if there are
  // too many.
  std::optional<int> Search() {
    for (int d = 0; d <= kMaxEdits && budget_ > 0; ++d) {
      Front front{d, std::vector<int>(2 * d + 1, -1)};
      for (int k = -d; k <= d; k += 2) {
        int x = 0;
        if (d > 0) {
          const Front& last = fronts_.back();
          const bool inserts = Inserts(last, k);
          const int from = last.At(inserts ? k + 1 : k - 1);
          if (from < 0) continue;
          x = inserts ? from : from + 1;
        }
        if (x > width_ || x - k > height_) continue;
        x = Extend(x, k);
        front.x[k + d] = x;
        if (x == width_ && x - k == height_) {
          fronts_.push_back(std::move(front));
          return d;
        }
      }
      fronts_.push_back(std::move(front));
    }
    return std::nullopt;
  }

  // Follows the path back from the end, and appends its edits in order.
  void Walk(int d, std::vector<Edit>& edits) {
    std::vector<Edit> back;
    int x = width_;
    int k = width_ - height_;
    for (; d > 0; --d) {
      const Front& last = fronts_[d - 1];
      const bool inserts = Inserts(last, k);
      const int from = inserts ? last.At(k + 1) : last.At(k - 1) + 1;
      while (x > from) back.push_back({' ', Before(--x)});
      if (inserts) {
        back.push_back({'+', After(x - k - 1)});
        ++k;
      } else {
        back.push_back({'-', Before(--x)});
        --k;
      }
    }
    while (x > 0) back.push_back({' ', Before(--x)});
    edits.insert(edits.end(), back.rbegin(), back.rend());
  }

  const Lines& before_;
  const Lines& after_;
  int64_t& budget_;
  size_t begin_ = 0;
  size_t end_ = 0;
  int width_ = 0;
  int height_ = 0;
  std::vector<Front> fronts_;  // by d
};

// Returns "-3,7": a mark, the number of the first line, and the count.
std::string RangeText(char mark, size_t before, size_t count) {
  std::string text =
      absl::StrCat(std::string(1, mark), count == 0 ? before : before + 1);
  if (count != 1) absl::StrAppend(&text, ",", count);
  return text;
}

// Appends the edits from `begin` to `end` as one hunk. `lines` has the numbers
// of lines before it, which are advanced.
void AppendHunk(const std::vector<Edit>& edits, size_t begin, size_t end,
                std::pair<size_t, size_t>& lines, std::string& to) {
  std::string body;
  std::pair<size_t, size_t> counts;
  for (size_t i = begin; i < end; ++i) {
    counts.first += edits[i].mark != '+';
    counts.second += edits[i].mark != '-';
    absl::StrAppend(&body, std::string(1, edits[i].mark), edits[i].line);
  }
  absl::StrAppend(&to, "@@ ", RangeText('-', lines.first, counts.first), " ",
                  RangeText('+', lines.second, counts.second), " @@\n", body);
  lines.first += counts.first;
  lines.second += counts.second;
}

}  // namespace

std::string UnifiedDiff(absl::string_view before, absl::string_view after,
                        int64_t& budget) {
  if (before == after) return "";
  const Lines old_lines = Split(before);
  const Lines new_lines = Split(after);
  const std::vector<Edit> edits = Middle(old_lines, new_lines, budget).Edits();
  std::string text;
  std::pair<size_t, size_t> lines;
  size_t at = 0;  // up to here, `lines` counts
  for (size_t i = 0; i < edits.size(); ++i) {
    if (edits[i].mark == ' ') continue;
    const size_t begin = i < at + kContext ? at : i - kContext;
    lines.first += begin - at;
    lines.second += begin - at;
    // Joins changes that have at most two contexts between them.
    size_t end = i + 1;
    for (size_t j = end; j < edits.size() && j <= end + 2 * kContext; ++j) {
      if (edits[j].mark != ' ') end = j + 1;
    }
    i = end - 1;
    end = std::min(end + kContext, edits.size());
    AppendHunk(edits, begin, end, lines, text);
    at = end;
  }
  return text;
}

}  // namespace eyrie::tools
