// Stops before and after dispatches, and shows their bindings. Tested by
// debug_test.txt.
#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "base/glob.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "tools/debug/debugger.h"
#include "tools/debug/object_text.h"
#include "tools/dispatch_dump.h"

namespace eyrie::tools {
namespace {

constexpr size_t kMaxConstants = 64;  // shown of a dispatch

// "Dispatch 'add', 2x1x1 workgroups, constants 0x00000010"
std::string TitleOf(const hal::ObservedDispatch& dispatch) {
  std::string text =
      absl::StrCat("'", PlainName(dispatch.name()), "', ",
                   absl::StrJoin(dispatch.workgroup_count, "x"), " workgroups");
  for (size_t i = 0; i < dispatch.constants.size(); ++i) {
    if (i == kMaxConstants) return absl::StrCat(text, " ...");
    absl::StrAppend(&text, i == 0 ? ", constants 0x" : " 0x",
                    absl::Hex(dispatch.constants[i], absl::kZeroPad8));
  }
  return text;
}

// Parses "%b3" or "b3".
std::optional<size_t> ParseBinding(absl::string_view text) {
  absl::ConsumePrefix(&text, "%");
  uint32_t index = 0;
  if (!absl::ConsumePrefix(&text, "b") || !absl::SimpleAtoi(text, &index)) {
    return std::nullopt;
  }
  return index;
}

}  // namespace

void Debugger::Loaded(const hal::Executable& executable) {
  hal::AddDispatchNames(executable, dispatch_names_);
}

bool Debugger::Wants(const hal::Executable& executable, uint32_t ordinal) {
  return !is_detached_ && mode_ == Mode::kDispatch && now_ != nullptr &&
         MatchesPattern(hal::DispatchName(executable, ordinal),
                        dispatch_pattern_);
}

absl::Status Debugger::StopAtDispatch(const hal::ObservedDispatch& dispatch,
                                      absl::string_view text) {
  StopAt(*now_,
         {now_->state->module.get(), now_->function->ordinal, now_offset_});
  dispatch_ = &dispatch;
  Say(absl::StrCat(text, TitleOf(dispatch), "\n"));
  ShowSelected();
  Bindings("");
  absl::Status status = Ask();
  dispatch_ = nullptr;
  return status;
}

absl::Status Debugger::Before(const hal::ObservedDispatch& dispatch) {
  stops_after_ = false;
  if (--steps_ > 0) return absl::OkStatus();
  RETURN_IF_ERROR(StopAtDispatch(dispatch, "Before dispatch "));
  stops_after_ = mode_ != Mode::kRun && mode_ != Mode::kDispatch;
  return absl::OkStatus();
}

absl::Status Debugger::After(const hal::ObservedDispatch& dispatch) {
  if (!std::exchange(stops_after_, false)) return absl::OkStatus();
  return StopAtDispatch(dispatch, "After dispatch ");
}

void Debugger::ReportMissedDispatch() {
  if (mode_ != Mode::kDispatch || is_detached_) return;
  Say(absl::StrCat("No other dispatch that matches '",
                   PlainName(dispatch_pattern_), "' was run",
                   steps_ > 1 ? absl::StrCat("; ", steps_, " are missing") : "",
                   ".\n"));
}

bool Debugger::Dispatch(absl::string_view argument) {
  // "NAME N", or a number alone: names by compilers contain no spaces, and
  // begin with a letter.
  const size_t space = argument.rfind(' ');
  absl::string_view count =
      argument.substr(space == argument.npos ? 0 : space + 1);
  if (!std::all_of(count.begin(), count.end(), absl::ascii_isdigit)) count = "";
  argument = absl::StripAsciiWhitespace(
      argument.substr(0, argument.size() - count.size()));
  const std::string pattern(argument.empty() ? "*" : argument);
  // Initializers load the executables.
  const bool knows_all = !IsInit(SpotOf(*frames_.back()));
  const absl::Status status = CheckDispatchName(dispatch_names_, pattern);
  if (knows_all && !status.ok()) {
    Say(absl::StrCat(status.message(), "\n"));
    return true;
  }
  if (Advance(Mode::kDispatch, count)) return true;
  dispatch_pattern_ = pattern;
  return false;
}

std::string Debugger::BindingText(size_t index, absl::string_view type) const {
  hal::Buffer* const buffer = dispatch_->bindings[index].get();
  const std::string name = absl::StrCat(
      "%b", index, hal::IsReadOnly(*buffer) ? " (read-only) = " : " = ");
  if (type.empty()) return absl::StrCat(name, ObjectText(buffer), "\n");
  const auto text = ObjectTextAs(buffer, type);
  return absl::StrCat(name, text.ok() ? *text : text.status().message(), "\n");
}

bool Debugger::Bindings(absl::string_view argument) {
  if (dispatch_ == nullptr) {
    Say("The call is not at a dispatch; 'dispatch' runs to the next one.\n");
    return true;
  }
  for (size_t i = 0; i < dispatch_->bindings.size(); ++i) {
    Say(BindingText(i, argument));
  }
  return true;
}

bool Debugger::PrintBinding(absl::string_view name, absl::string_view type) {
  const std::optional<size_t> index = ParseBinding(name);
  if (!index.has_value()) return false;
  const size_t count = dispatch_ == nullptr ? 0 : dispatch_->bindings.size();
  if (*index < count) {
    Say(BindingText(*index, type));
  } else if (count == 0) {
    Say(absl::StrCat("%b", *index, " does not exist here: ",
                     dispatch_ == nullptr ? "the call is not at a dispatch"
                                          : "the dispatch has no bindings",
                     ".\n"));
  } else {
    Say(absl::StrCat("%b", *index, " does not exist here: the dispatch has ",
                     "%b0 to %b", count - 1, ".\n"));
  }
  return true;
}

}  // namespace eyrie::tools
