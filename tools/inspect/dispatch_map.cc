#include "tools/inspect/dispatch_map.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "base/plain_text.h"
#include "tools/inspect/dispatch_times.h"
#include "tools/inspect/html_text.h"
#include "tools/inspect/kernel_words.h"
#include "tools/trace_flags.h"

namespace eyrie::tools {
namespace {

constexpr size_t kMaxColumns = 32;  // of a block that repeats
constexpr size_t kMaxText = 48;     // bytes of a line of a cell
constexpr size_t kMaxTitle = 512;   // bytes
constexpr size_t kMaxNumber = 4;    // characters

// Returns the number of times that the first `columns` operations repeat.
size_t RowsOf(std::span<const std::string> operations, size_t columns) {
  size_t end = columns;
  while (end < operations.size() &&
         operations[end] == operations[end - columns]) {
    ++end;
  }
  return end / columns;
}

// Returns the block at the start that covers most operations, or one without
// columns if none repeats.
DispatchBlock RepeatedBlock(std::span<const std::string> operations) {
  DispatchBlock best = {0, 0};
  for (size_t columns = 1; columns <= kMaxColumns; ++columns) {
    if (2 * columns > operations.size()) break;
    const size_t rows = RowsOf(operations, columns);
    if (rows < 2 || rows * columns <= best.rows * best.columns) continue;
    best = {columns, rows};
  }
  return best;
}

// Returns "3.48 us" for "3.484 us": a cell may be narrow.
std::string Shortened(absl::string_view time) {
  absl::string_view number = time.substr(0, time.find(' '));
  const absl::string_view unit = time.substr(number.size());
  number = absl::StripSuffix(number.substr(0, kMaxNumber), ".");
  return absl::StrCat(number, unit);
}

class Drawing {
 public:
  Drawing(const Report& report, size_t most,
          std::span<const std::string> classes)
      : report_(report), classes_(classes), longest_ns_(LongestTime(report)) {
    const auto& all = report.facts.dispatches;
    for (size_t i = 0; i < std::min(all.size(), most); ++i) {
      names_.push_back(KernelName(report, all[i]));
      operations_.emplace_back(WordsOf(names_.back()).operation);
    }
  }

  std::string Draw() {
    for (size_t begin = 0; begin < names_.size();) {
      size_t end = begin + 1;
      while (end < names_.size() && FunctionOf(end) == FunctionOf(begin)) ++end;
      AddFunction(begin, end);
      begin = end;
    }
    return std::move(text_);
  }

 private:
  uint32_t FunctionOf(size_t i) const {
    return report_.facts.dispatches[i].place.function;
  }
  void AddFunction(size_t begin, size_t end);
  void AddBlock(size_t begin, const DispatchBlock& block);
  void AddCell(size_t i);

  const Report& report_;
  const std::span<const std::string> classes_;
  const double longest_ns_;         // of a dispatch
  std::vector<std::string> names_;  // of the kernels
  std::vector<std::string> operations_;
  std::string text_;
};

void Drawing::AddFunction(size_t begin, size_t end) {
  const uint32_t function = FunctionOf(begin);
  absl::StrAppend(&text_, "<div class=\"part\"><h3><a href=\"#f", function,
                  "\"><code>",
                  HtmlText(PlainText(report_.names[function], kMaxTitle)),
                  "</code></a></h3>\n");
  const std::span<const std::string> operations(operations_);
  for (const DispatchBlock& block :
       FindBlocks(operations.subspan(begin, end - begin))) {
    AddBlock(begin, block);
    begin += block.rows * block.columns;
  }
  text_ += "</div>\n";
}

void Drawing::AddBlock(size_t begin, const DispatchBlock& block) {
  if (block.rows == 1) {
    absl::StrAppend(&text_, "<div class=\"flow cells\">");
  } else {
    absl::StrAppend(&text_, "<div class=\"block\"><b>", block.rows,
                    " times</b><div class=\"grid cells\" style=\"--n:",
                    block.columns, "\">");
  }
  for (size_t i = 0; i < block.rows * block.columns; ++i) AddCell(begin + i);
  absl::StrAppend(&text_, block.rows == 1 ? "</div>\n" : "</div></div>\n");
}

void Drawing::AddCell(size_t i) {
  const auto& times = report_.dispatch_ns;
  const bool has_time = i < times.size() && times[i].has_value();
  const double ns = has_time ? *times[i] : 0;
  // The root keeps short dispatches apart, too.
  const double strength = longest_ns_ > 0 ? std::sqrt(ns / longest_ns_) : 0;
  const std::string time = has_time ? TimeText(ns) : "";
  const auto text = [](absl::string_view line, size_t most) {
    return HtmlText(PlainText(line, most));
  };
  absl::StrAppend(
      &text_, "<a href=\"#d", i,
      i < classes_.size() ? absl::StrCat("\" class=\"", classes_[i]) : "",
      "\" style=\"--t:", absl::StrFormat("%.2f", strength), "\" title=\"",
      text(names_[i], kMaxTitle), time.empty() ? "" : ", ", time, "\"><b>",
      text(operations_[i], kMaxText), "</b><i>", Shortened(time), "</i><s>",
      text(WordsOf(names_[i]).shape, kMaxText), "</s></a>");
}

}  // namespace

std::vector<DispatchBlock> FindBlocks(std::span<const std::string> operations) {
  std::vector<DispatchBlock> blocks;
  size_t alone = 0;  // operations that are in no block yet
  const auto end_alone = [&] {
    if (alone > 0) blocks.push_back({alone, 1});
    alone = 0;
  };
  while (!operations.empty()) {
    DispatchBlock block = RepeatedBlock(operations);
    // One operation after the other, several times, needs no rows.
    if (block.columns < 2) {
      block = {std::max<size_t>(block.rows, 1), 1};
      alone += block.columns;
    } else {
      end_alone();
      blocks.push_back(block);
    }
    operations = operations.subspan(block.rows * block.columns);
  }
  end_alone();
  return blocks;
}

std::string SharedPrefix(const Report& report) {
  const std::vector<DispatchUse>& dispatches = report.facts.dispatches;
  if (dispatches.size() < 2) return "";
  const std::string first = KernelName(report, dispatches[0]);
  const absl::string_view prefix = WordsOf(first).prefix;
  for (const DispatchUse& dispatch : dispatches) {
    if (!absl::StartsWith(KernelName(report, dispatch), prefix)) return "";
  }
  return std::string(prefix);
}

std::string DrawDispatchMap(const Report& report, size_t most,
                            std::span<const std::string> classes) {
  return Drawing(report, most, classes).Draw();
}

}  // namespace eyrie::tools
