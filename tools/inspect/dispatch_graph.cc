// Lines of neighbours are vertical between their boxes. The others are in lanes
// to the right of all boxes, where no two lines overlap.
#include "tools/inspect/dispatch_graph.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/plain_text.h"
#include "tools/inspect/html_text.h"
#include "tools/trace_flags.h"

namespace eyrie::tools {
namespace {

// In pixels.
constexpr int kGlyph = 8;
constexpr int kInset = 10;
constexpr int kLeft = 4;
constexpr int kTall = 44;        // of a box
constexpr int kBetween = 20;     // between boxes
constexpr int kHeadHeight = 28;  // a function's name
constexpr int kLaneWidth = 10;
constexpr int kBar = 4;

constexpr size_t kMaxText = 72;     // bytes of a line of a box
constexpr size_t kMaxTitle = 1024;  // bytes
constexpr size_t kMaxBindings = 6;
constexpr size_t kMaxLanes = 24;

class Drawing {
 public:
  Drawing(const Report& report, size_t most) : report_(report) {
    const auto& all = report.facts.dispatches;
    shown_ = std::min(all.size(), most);
    graph_.left_out = all.size() - shown_;
  }

  DispatchGraph Draw() {
    if (shown_ == 0) return graph_;
    PlaceBoxes();
    FindLines();
    for (const auto& [pair, buffers] : lines_) AddLine(pair, buffers);
    for (size_t i = 0; i < shown_; ++i) AddBox(i);
    const size_t lanes = lane_ends_.size();
    graph_.svg = absl::StrCat(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"",
        kLeft + width_ + (static_cast<int>(lanes) + 2) * kLaneWidth,
        "\" height=\"", height_, "\" role=\"img\"><title>Dispatches</title>\n",
        text_, "</svg>\n");
    return std::move(graph_);
  }

 private:
  const DispatchUse& At(size_t i) const { return report_.facts.dispatches[i]; }
  bool IsFirst(size_t i) const {
    return i == 0 || At(i).place.function != At(i - 1).place.function;
  }
  std::string Name(size_t i) const {
    return PlainText(KernelName(report_, At(i)), kMaxText);
  }
  std::string Detail(size_t i) const;
  void PlaceBoxes();
  void FindLines();
  void AddLine(const std::pair<size_t, size_t>& line, size_t buffers);
  void AddBox(size_t i);

  const Report& report_;
  size_t shown_ = 0;
  std::vector<int> tops_;  // of boxes
  int width_ = 0;          // of boxes
  int height_ = 0;
  double longest_ns_ = 0;
  // The number of buffers of a line from a dispatch to another.
  std::map<std::pair<size_t, size_t>, size_t> lines_;
  std::vector<size_t> lane_ends_;  // the last dispatch of each lane's lines
  std::string text_;
  DispatchGraph graph_;
};

std::string Drawing::Detail(size_t i) const {
  const std::string time = MeanText(TimeOf(report_, At(i)));
  return PlainText(
      absl::StrCat(time, time.empty() ? "" : " | ", WorkgroupsText(At(i)),
                   " | ", BindingsText(At(i), kMaxBindings)),
      kMaxText);
}

void Drawing::PlaceBoxes() {
  int y = kLeft;
  for (size_t i = 0; i < shown_; ++i) {
    if (IsFirst(i)) y += kHeadHeight;
    tops_.push_back(y);
    y += kTall + kBetween;
    const size_t size = std::max(Name(i).size(), Detail(i).size());
    width_ = std::max(width_, static_cast<int>(size) * kGlyph + 2 * kInset);
    const KernelTime* const time = TimeOf(report_, At(i));
    if (time != nullptr) longest_ns_ = std::max(longest_ns_, time->mean_ns());
  }
  height_ = y;
}

void Drawing::FindLines() {
  std::map<std::string, size_t> users;  // the last one of each buffer
  for (size_t i = 0; i < shown_; ++i) {
    if (IsFirst(i)) users.clear();
    std::set<std::string> buffers;
    for (const BindingUse& binding : At(i).buffers) {
      if (!binding.buffer.empty()) buffers.insert(binding.buffer);
    }
    for (const std::string& buffer : buffers) {
      const auto [user, is_new] = users.try_emplace(buffer, i);
      if (!is_new) ++lines_[{user->second, i}];
      user->second = i;
    }
  }
}

void Drawing::AddLine(const std::pair<size_t, size_t>& line, size_t buffers) {
  const auto& [from, to] = line;
  const int bottom = tops_[from] + kTall;
  const int right = kLeft + width_;
  std::string path;
  if (to == from + 1) {
    const int x = kLeft + 2 * kInset;
    path = absl::StrCat("M", x, " ", bottom, " V", tops_[to]);
  } else {
    // Lines are in the order of their first dispatch.
    size_t lane = 0;
    while (lane < lane_ends_.size() && lane_ends_[lane] > from) ++lane;
    if (lane == kMaxLanes) {
      ++graph_.left_out_lines;
      return;
    }
    if (lane == lane_ends_.size()) lane_ends_.push_back(0);
    lane_ends_[lane] = to;
    const int x = right + static_cast<int>(lane + 1) * kLaneWidth;
    path = absl::StrCat("M", right, " ", bottom - kTall / 4, " H", x, " V",
                        tops_[to] + kTall / 4, " H", right);
  }
  absl::StrAppend(&text_, "<path d=\"", path, "\"><title>", buffers,
                  buffers == 1 ? " buffer" : " buffers", "</title></path>\n");
}

void Drawing::AddBox(size_t i) {
  const int y = tops_[i];
  const int x = kLeft + kInset;
  if (IsFirst(i)) {
    const uint32_t function = At(i).place.function;
    absl::StrAppend(&text_, "<a href=\"#f", function, "\"><text x=\"", kLeft,
                    "\" y=\"", y - kInset, "\">",
                    HtmlText(PlainText(report_.names[function], kMaxText)),
                    "</text></a>\n");
  }
  absl::StrAppend(&text_, "<g class=\"kernel\"><title>",
                  HtmlText(PlainText(KernelName(report_, At(i)), kMaxTitle)),
                  "</title><rect x=\"", kLeft, "\" y=\"", y, "\" width=\"",
                  width_, "\" height=\"", kTall, "\" rx=\"6\"/><text x=\"", x,
                  "\" y=\"", y + 17, "\">", HtmlText(Name(i)),
                  "</text><text class=\"dim\" x=\"", x, "\" y=\"", y + 33,
                  "\">", HtmlText(Detail(i)), "</text></g>\n");
  const KernelTime* const time = TimeOf(report_, At(i));
  if (time == nullptr || longest_ns_ <= 0) return;
  const double share = time->mean_ns() / longest_ns_;
  absl::StrAppend(&text_, "<rect class=\"time\" x=\"", x, "\" y=\"",
                  y + kTall - kBar - 2, "\" width=\"",
                  1 + static_cast<int>(share * (width_ - 2 * kInset - 1)),
                  "\" height=\"", kBar, "\"/>\n");
}

}  // namespace

DispatchGraph DrawDispatches(const Report& report, size_t most) {
  return Drawing(report, most).Draw();
}

std::string BindingsText(const DispatchUse& dispatch, size_t most) {
  const bool is_known = std::any_of(
      dispatch.buffers.begin(), dispatch.buffers.end(),
      [](const BindingUse& binding) { return binding.bytes.has_value(); });
  if (!is_known) {
    return absl::StrCat(dispatch.bindings,
                        dispatch.bindings == 1 ? " binding" : " bindings");
  }
  const size_t shown = std::min(dispatch.buffers.size(), most);
  std::string text;
  for (size_t i = 0; i < shown; ++i) {
    const auto& bytes = dispatch.buffers[i].bytes;
    absl::StrAppend(
        &text, i == 0 ? "" : ", ",
        bytes.has_value() ? SizeText(static_cast<uint64_t>(*bytes)) : "?");
  }
  if (shown < dispatch.buffers.size()) {
    absl::StrAppend(&text, " and ", dispatch.buffers.size() - shown, " more");
  }
  return text;
}

const KernelTime* TimeOf(const Report& report, const DispatchUse& dispatch) {
  const KernelTimes& times = report.times;
  if (times.empty()) return nullptr;
  std::string name = KernelName(report, dispatch);
  // A kernel without a name has another one in a trace.
  constexpr absl::string_view kUnnamed = "kernel ";
  if (dispatch.kernel.empty() && absl::StartsWith(name, kUnnamed)) {
    name = absl::StrCat("export ", name.substr(kUnnamed.size()));
  }
  const auto found = times.find(name);
  return found == times.end() ? nullptr : &found->second;
}

std::string MeanText(const KernelTime* time) {
  return time == nullptr ? "" : TimeText(time->mean_ns());
}

}  // namespace eyrie::tools
