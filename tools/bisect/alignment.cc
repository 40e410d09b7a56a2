#include "tools/bisect/alignment.h"

#include <algorithm>
#include <cmath>

#include "abi/tensor/tensor_compare.h"
#include "tools/bisect/kernel_name.h"

namespace eyrie::tools {
namespace {

// Scores of a pair of tensors. Any equal tensor is worth more than several that
// are only of one size.
constexpr int kEqualBytes = 16;
constexpr int kUniform = 3;  // equal, but so are many tensors of zeros
constexpr int kClose = 10;
constexpr int kSameOperation = 2;
constexpr int kSameSize = 1;

constexpr double kCloseNumbers = 0.01;
constexpr double kCloseShare = 0.8;  // of the samples
// Cells of the table of scores; 16 MiB. Longer runs are compared near the
// diagonal only.
constexpr size_t kMaxCells = size_t{1} << 24;

// Reports whether two kernels have the same operation, or one has no name.
bool MayBeSame(absl::string_view a, absl::string_view b) {
  return IsUnnamed(a) || IsUnnamed(b) || OperationOf(a) == OperationOf(b);
}

bool AreClose(const WrittenTensor& a, const WrittenTensor& b) {
  if (a.type != b.type || a.samples.size() != b.samples.size() ||
      a.samples.empty()) {
    return false;
  }
  size_t close = 0;
  for (size_t i = 0; i < a.samples.size(); ++i) {
    close += abi::IsNear(a.samples[i], b.samples[i], 1e-6, kCloseNumbers);
  }
  return close >= kCloseShare * a.samples.size();
}

int TensorScore(const WrittenTensor& a, const WrittenTensor& b) {
  if (a.range.size() != b.range.size()) return 0;
  if (a.hash == b.hash) return a.is_uniform ? kUniform : kEqualBytes;
  return AreClose(a, b) ? kClose : kSameSize;
}

int Score(const RecordedDispatch& a, const RecordedDispatch& b) {
  if (a.writes.size() != b.writes.size() || a.writes.empty()) return 0;
  const bool same = MayBeSame(a.kernel, b.kernel);
  int score = 0;
  for (size_t k = 0; k < a.writes.size(); ++k) {
    const int tensor = TensorScore(a.writes[k], b.writes[k]);
    // The sizes of two other operations say nothing.
    if (tensor < (same ? kSameSize : kClose)) return 0;
    score += tensor;
  }
  score /= static_cast<int>(a.writes.size());
  return score + (same ? kSameOperation : 0);
}

// The best alignment of the first rows of both runs, as a table of which step
// led to each cell. Cells far from the diagonal are not computed.
class Table {
 public:
  enum Step : uint8_t { kNone, kPair, kSkipGood, kSkipBad };

  Table(const Recording& good, const Recording& bad)
      : good_(good), bad_(bad), columns_(bad.size() + 1) {
    reach_ = std::max<size_t>(64, kMaxCells / (good.size() + 1) / 2);
    const size_t width = std::min(columns_, 2 * reach_ + 1);
    steps_.resize((good.size() + 1) * width, kNone);
    width_ = width;
    Fill();
  }

  std::vector<AlignedPair> Pairs() const {
    std::vector<AlignedPair> pairs;
    size_t i = good_.size();
    size_t j = bad_.size();
    while (i > 0 && j > 0) {
      const Step step = At(i, j);
      if (step == kNone) break;
      if (step == kPair) pairs.push_back({--i, --j});
      if (step == kSkipGood) --i;
      if (step == kSkipBad) --j;
    }
    std::reverse(pairs.begin(), pairs.end());
    return pairs;
  }

 private:
  // The first column of a row.
  size_t Begin(size_t i) const {
    const size_t middle = good_.empty() ? 0 : i * bad_.size() / good_.size();
    const size_t begin = middle > reach_ ? middle - reach_ : 0;
    return std::min(begin, columns_ - width_);
  }
  bool Has(size_t i, size_t j) const {
    return j >= Begin(i) && j < Begin(i) + width_;
  }
  Step At(size_t i, size_t j) const {
    return Has(i, j) ? static_cast<Step>(steps_[i * width_ + j - Begin(i)])
                     : kNone;
  }

  void Fill() {
    std::vector<int> above(columns_, 0);
    std::vector<int> row(columns_, 0);
    for (size_t i = 1; i <= good_.size(); ++i) {
      std::fill(row.begin(), row.end(), 0);
      for (size_t j = std::max<size_t>(1, Begin(i)); Has(i, j); ++j) {
        const int score = Score(good_[i - 1], bad_[j - 1]);
        int best = above[j];
        Step step = kSkipGood;
        if (row[j - 1] > best) {
          best = row[j - 1];
          step = kSkipBad;
        }
        if (score > 0 && above[j - 1] + score >= best) {
          best = above[j - 1] + score;
          step = kPair;
        }
        row[j] = best;
        steps_[i * width_ + j - Begin(i)] = step;
      }
      above.swap(row);
    }
  }

  const Recording& good_;
  const Recording& bad_;
  const size_t columns_;
  size_t reach_ = 0;
  size_t width_ = 0;
  std::vector<uint8_t> steps_;
};

// Reports whether a dispatch certainly reads a tensor: a binding begins there,
// or a binding has it and a constant is its offset.
bool Reads(const RecordedDispatch& reader, const WrittenTensor& tensor) {
  for (const ReadRange& read : reader.reads) {
    if (read.memory != tensor.memory || tensor.offset < read.range.begin ||
        tensor.offset >= read.range.end) {
      continue;
    }
    const uint64_t offset = tensor.offset - read.range.begin;
    if (offset == 0 && read.range.size() <= tensor.range.size() + 64) {
      return true;
    }
    if (std::find(reader.constants.begin(), reader.constants.end(), offset) !=
            reader.constants.end() &&
        offset != 0) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::vector<AlignedPair> Align(const Recording& good, const Recording& bad) {
  if (good.empty() || bad.empty()) return {};
  return Table(good, bad).Pairs();
}

std::vector<size_t> Suspects(const Recording& recording,
                             const std::vector<bool>& equal, size_t bad) {
  std::vector<size_t> suspects;
  for (size_t k = 0; k < bad; ++k) {
    if (equal[k] || recording[k].writes.empty()) continue;
    const auto& writes = recording[k].writes;
    const bool is_cleared = std::all_of(
        writes.begin(), writes.end(), [&](const WrittenTensor& tensor) {
          for (size_t d = k + 1; d < bad; ++d) {
            if (equal[d] && Reads(recording[d], tensor)) return true;
          }
          return false;
        });
    if (!is_cleared) suspects.push_back(k);
  }
  return suspects;
}

}  // namespace eyrie::tools
