#include "tools/debug/breakpoints.h"

#include <algorithm>
#include <span>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "tools/debug/object_text.h"

namespace eyrie::tools {
namespace {

constexpr size_t kMaxSpots = 1000;  // of one breakpoint
constexpr char kIf[] = " if ";      // between a place and a condition
constexpr char kBareIf[] = " if";   // the same without a condition
constexpr uint64_t kMaxWatched = uint64_t{1} << 20;  // bytes of a buffer

}  // namespace

absl::StatusOr<const Breakpoint*> Breakpoints::Add(
    absl::string_view text,
    const std::vector<const vm::BytecodeModule*>& modules, const CodeSpot& at,
    Listing& listing) {
  if (text == "if" || absl::EndsWith(text, kBareIf)) {
    return absl::InvalidArgumentError(
        "No condition follows 'if'; expected one such as %i0 == 3, %i4 f64 < "
        "0.5 or %r0 != null.");
  }
  Breakpoint made = {next_number_, PlainName(text), {}, std::nullopt};
  const std::vector<absl::string_view> parts =
      absl::StrSplit(text, absl::MaxSplits(kIf, 1));
  ASSIGN_OR_RETURN(made.spots, FindSpots(absl::StripAsciiWhitespace(parts[0]),
                                         modules, at, listing));
  if (made.spots.size() > kMaxSpots) made.spots.resize(kMaxSpots);
  if (parts.size() > 1) {
    ASSIGN_OR_RETURN(made.condition,
                     Condition::Parse(absl::StripAsciiWhitespace(parts[1])));
    for (const CodeSpot& spot : made.spots) {
      RETURN_IF_ERROR(made.condition->CheckFor(spot));
    }
  }
  ++next_number_;
  spots_.insert(made.spots.begin(), made.spots.end());
  breakpoints_.push_back(std::move(made));
  return &breakpoints_.back();
}

absl::StatusOr<std::string> Breakpoints::AddWatch(absl::string_view name,
                                                  RefObject* object) {
  ASSIGN_OR_RETURN(const uint64_t size, BufferSize(object));
  if (size > kMaxWatched) {
    return absl::ResourceExhaustedError(absl::StrCat(
        PlainName(name), " has ", size,
        " bytes; the limit for a watched buffer is ", kMaxWatched, "."));
  }
  Watchpoint made = {
      next_number_, PlainName(name), Ref<RefObject>::Share(object), {}};
  RETURN_IF_ERROR(SeeBytes(object, [&made](std::span<const uint8_t> bytes) {
    made.bytes.assign(bytes.begin(), bytes.end());
  }));
  ++next_number_;
  watches_.push_back(std::move(made));
  const Watchpoint& watch = watches_.back();
  return absl::StrCat("Watchpoint ", watch.number, ": the ", size, " bytes of ",
                      watch.text, ".\n");
}

std::string Breakpoints::Remove(absl::string_view number) {
  int wanted = 0;
  const bool is_one = absl::SimpleAtoi(number, &wanted);
  const auto is_named = [&](const auto& stop) {
    return number.empty() || (is_one && stop.number == wanted);
  };
  const size_t removed =
      std::erase_if(breakpoints_, is_named) + std::erase_if(watches_, is_named);
  spots_.clear();
  for (const Breakpoint& breakpoint : breakpoints_) {
    spots_.insert(breakpoint.spots.begin(), breakpoint.spots.end());
  }
  if (removed > 0) return "";
  return number.empty() ? "There are no breakpoints or watchpoints.\n"
                        : absl::StrCat("There is no breakpoint or watchpoint ",
                                       PlainName(number), ".\n");
}

std::string Breakpoints::BreakpointLines() const {
  std::string text;
  for (const Breakpoint& breakpoint : breakpoints_) {
    absl::StrAppend(&text, breakpoint.number, " ", breakpoint.text, "\n");
    for (const CodeSpot& spot : breakpoint.spots) {
      absl::StrAppend(&text, "  ", PlaceText(spot), "\n");
    }
  }
  return text.empty() ? "There are no breakpoints.\n" : text;
}

std::string Breakpoints::WatchLines() const {
  std::string text;
  for (const Watchpoint& watch : watches_) {
    absl::StrAppend(&text, watch.number, " ", watch.text, ", ",
                    ObjectText(watch.buffer.get()), "\n");
  }
  return text.empty() ? "There are no watchpoints.\n" : text;
}

const Breakpoint* Breakpoints::At(const vm::Frame& frame, const CodeSpot& spot,
                                  const FrameTracker& tracker) const {
  if (!spots_.contains(spot)) return nullptr;
  for (const Breakpoint& breakpoint : breakpoints_) {
    const auto& condition = breakpoint.condition;
    if (absl::c_linear_search(breakpoint.spots, spot) &&
        (!condition.has_value() ||
         condition->Holds(frame, tracker.KindsOf(frame)))) {
      return &breakpoint;
    }
  }
  return nullptr;
}

std::optional<std::string> Breakpoints::ChangeOfWatched() {
  for (size_t i = 0; i < watches_.size(); ++i) {
    Watchpoint& watch = watches_[i];
    std::optional<size_t> at;
    const absl::Status seen =
        SeeBytes(watch.buffer.get(), [&](std::span<const uint8_t> bytes) {
          const auto first =
              std::mismatch(bytes.begin(), bytes.end(), watch.bytes.begin(),
                            watch.bytes.end());
          if (first.first == bytes.end()) return;
          at = first.first - bytes.begin();
          watch.bytes.assign(bytes.begin(), bytes.end());
        });
    const std::string name =
        absl::StrCat("Watchpoint ", watch.number, ", ", watch.text);
    if (!seen.ok()) {
      watches_.erase(watches_.begin() + static_cast<ptrdiff_t>(i));
      return absl::StrCat(name,
                          " is removed, because its buffer cannot be "
                          "read: ",
                          seen.message());
    }
    if (!at.has_value()) continue;
    return absl::StrCat(name, " has changed from byte ", *at,
                        " on: ", ObjectText(watch.buffer.get()));
  }
  return std::nullopt;
}

}  // namespace eyrie::tools
