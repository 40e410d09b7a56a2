// Decides when a call stops, and reads commands then.
#include "tools/debug/debugger.h"

#include <functional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "base/suggest.h"
#include "vm/isa/opcode.h"
#include "vm/lower/code_walk.h"
#include "vm/run/context.h"

namespace eyrie::tools {
namespace {

constexpr size_t kMaxMessage = 8192;  // bytes per error

// Frames of a stack have ascending addresses, also for calls from native
// functions.
bool IsAbove(const vm::Frame* frame, const vm::Frame* other) {
  return std::greater<>()(frame, other);
}

// Reports whether the instruction is a break instruction whose condition, if
// any, holds.
bool IsBreak(const vm::Frame& frame, uint32_t offset) {
  const uint8_t* const code = frame.function->code;
  const vm::Op op = vm::ReadOp(code, offset).op;
  if (op == vm::Op::kBreak) return true;
  return op == vm::Op::kCondBreak &&
         frame.i32[vm::LoadFrom<uint16_t>(code, offset)] != 0;
}

}  // namespace

bool Debugger::IsSteppedTo(const vm::Frame& frame, const CodeSpot& spot) const {
  switch (mode_) {
    case Mode::kRun:
    case Mode::kDispatch:
      return false;
    case Mode::kStep:
      return true;
    case Mode::kNext:
      return !IsAbove(&frame, from_);
    case Mode::kFinish:
      return IsAbove(from_, &frame);
    case Mode::kLine: {
      if (&frame != from_) return IsAbove(from_, &frame);
      const std::string line = SourceLineText(spot);
      return !line.empty() && line != line_;
    }
  }
  return false;
}

const Debugger::Breakpoint* Debugger::BreakpointAt(const vm::Frame& frame,
                                                   const CodeSpot& spot) const {
  for (const Breakpoint& breakpoint : breakpoints_) {
    const auto& condition = breakpoint.condition;
    if (absl::c_linear_search(breakpoint.spots, spot) &&
        (!condition.has_value() ||
         condition->Holds(frame, tracker_.KindsOf(frame)))) {
      return &breakpoint;
    }
  }
  return nullptr;
}

std::optional<std::string> Debugger::ReasonToStop(const vm::Frame& frame,
                                                  const CodeSpot& spot) {
  if (interrupted_.exchange(false)) return "Interrupted.";
  if (!watches_.empty()) {
    if (auto change = ChangeOfWatched()) return change;
  }
  const bool passes = mode_ == Mode::kRun && steps_ > 1;
  if (!spots_.empty() && spots_.contains(spot)) {
    if (const Breakpoint* const breakpoint = BreakpointAt(frame, spot)) {
      if (passes) return --steps_, std::nullopt;
      return absl::StrCat("Breakpoint ", breakpoint->number, ", ",
                          breakpoint->text);
    }
  }
  if (IsBreak(frame, spot.offset)) {
    if (passes) return --steps_, std::nullopt;
    return "The code breaks here.";
  }
  if (!IsSteppedTo(frame, spot)) return std::nullopt;
  from_ = &frame;
  if (mode_ == Mode::kLine) line_ = SourceLineText(spot);
  if (--steps_ > 0) return std::nullopt;
  return "";
}

void Debugger::StopAt(const vm::Frame& frame, const CodeSpot& spot) {
  top_ = spot;
  frames_.clear();
  for (const vm::Frame* at = &frame; at != nullptr; at = at->caller) {
    frames_.push_back(at);
  }
  selected_ = 0;
}

absl::Status Debugger::BeforeInstruction(vm::Frame& frame, uint32_t offset) {
  if (is_detached_) return absl::OkStatus();
  if (has_quit_) return absl::CancelledError("The user quit the debugger.");
  was_told_ = false;
  now_ = &frame;
  now_offset_ = offset;
  tracker_.Before(frame, offset);
  const CodeSpot spot = {frame.state->module.get(), frame.function->ordinal,
                         offset};
  const std::optional<std::string> reason = ReasonToStop(frame, spot);
  if (!reason.has_value()) return absl::OkStatus();
  StopAt(frame, spot);
  if (!reason->empty()) Say(absl::StrCat(*reason, "\n"));
  ShowSelected();
  return Ask();
}

void Debugger::Failed(vm::Frame& frame, uint32_t offset,
                      const absl::Status& status, absl::string_view native) {
  if (has_quit_ || is_detached_ || was_told_) return;
  was_told_ = true;
  StopAt(frame, {frame.state->module.get(), frame.function->ordinal, offset});
  Say(absl::StrCat(
      "The call fails",
      native.empty() ? "" : absl::StrCat(" in ", PlainName(native)), " with ",
      absl::StatusCodeToString(status.code()), ": ",
      PlainLines(status.message(), kMaxMessage), "\n"));
  ShowSelected();
  has_failed_ = true;
  Ask().IgnoreError();
  has_failed_ = false;
}

absl::Status Debugger::Ask() {
  vm::HostCall* const timed = frames_[0]->state->meter()->timed;
  if (timed != nullptr) timed->HoldClock();
  AskUntilOneGoesOn();
  if (timed != nullptr) timed->ReleaseClock();
  RETURN_IF_ERROR(written_);
  if (has_quit_) return absl::CancelledError("The user quit the debugger.");
  from_ = &Selected();
  line_ = SourceLineText(SpotOf(Selected()));
  return absl::OkStatus();
}

void Debugger::AskUntilOneGoesOn() {
  bool stays = true;
  while (stays && written_.ok() && !has_quit_) {
    is_asking_ = true;
    std::optional<std::string> line = read_();
    is_asking_ = false;
    if (!line.has_value()) line = "quit";
    absl::StripAsciiWhitespace(&*line);
    if (absl::StartsWith(*line, "#")) continue;
    if (line->empty()) {
      if (!repeats_ || last_line_.empty()) continue;
      line = last_line_;
    }
    last_line_ = *line;
    stays = Do(*line);
  }
}

const Debugger::Command* Debugger::FindCommand(absl::string_view name) {
  std::vector<std::string> names;
  std::vector<const Command*> found;
  for (size_t i = 0; kCommands[i].name != nullptr; ++i) {
    const Command& command = kCommands[i];
    if (name == command.name || name == command.short_name) return &command;
    if (absl::StartsWith(command.name, name)) found.push_back(&command);
    if (command.name[0] == name[0]) names.emplace_back(command.name);
  }
  if (found.size() == 1) return found[0];
  if (found.empty()) {
    Say(absl::StrCat("There is no command '", PlainName(name), "'.",
                     DidYouMean(name, names), " 'help' lists all commands.\n"));
    return nullptr;
  }
  Say(absl::StrCat("'", name, "' is ambiguous: ",
                   absl::StrJoin(found, " or ",
                                 [](std::string* out, const Command* command) {
                                   absl::StrAppend(out, command->name);
                                 }),
                   ".\n"));
  return nullptr;
}

bool Debugger::Do(absl::string_view line) {
  const size_t end = line.find_first_of(" \t");
  const Command* const command = FindCommand(line.substr(0, end));
  if (command == nullptr) return true;
  const absl::string_view argument =
      end == line.npos ? "" : absl::StripAsciiWhitespace(line.substr(end));
  if (*command->arguments == '\0' && !argument.empty()) {
    Say(absl::StrCat("'", command->name, "' takes no arguments; '",
                     PlainName(argument), "' is given.\n"));
    return true;
  }
  return (this->*command->run)(argument);
}

void Debugger::Detach() {
  mode_ = Mode::kRun;
  is_detached_ = true;
  watches_.clear();
}

void Debugger::Say(absl::string_view text) {
  if (written_.ok()) written_ = write_(std::string(text));
}

}  // namespace eyrie::tools
