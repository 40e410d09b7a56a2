#include "tools/debug/debugger.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/glob.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "base/suggest.h"
#include "tools/debug/object_text.h"
#include "tools/debug/value_lines.h"
#include "tools/dispatch_dump.h"
#include "vm/isa/opcode.h"
#include "vm/lower/code_walk.h"
#include "vm/run/context.h"

namespace eyrie::tools {
namespace {

constexpr char kIndent[] = "\n                             ";  // of help
constexpr size_t kAround = 5;         // lines shown on each side by 'list'
constexpr size_t kMaxFrames = 100;    // shown by 'bt'
constexpr size_t kMaxSaid = 5;        // places of a breakpoint that is set
constexpr size_t kMaxMessage = 8192;  // bytes per error
constexpr size_t kMaxConstants = 64;  // shown of a dispatch
constexpr size_t kMaxCompletions = 500;

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

std::vector<absl::string_view> WordsOf(absl::string_view text) {
  return absl::StrSplit(text, absl::ByAnyChar(" \t"), absl::SkipEmpty());
}

absl::Status NoPlace(absl::string_view name) {
  return absl::InvalidArgumentError(
      absl::StrCat("'", PlainName(name),
                   "' is not a register or a global; expected %i3, %i4:5, %r0, "
                   ".rwdata[8] or .refs[0]."));
}

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

const Debugger::Command Debugger::kCommands[] = {
    {"break", "b", &Debugger::Break, "[PLACE [if ...]]",
     "stops at add, add+0x1c, +0x1c or model.mlir:12, or wherever an import "
     "is\n"
     "called, if %i0 == 3, %i4 f64 < 0.5 or %r0 != null; alone lists "
     "breakpoints"},
    {"delete", "d", &Debugger::Delete, "[N]",
     "removes a breakpoint or watchpoint, or all"},
    {"step", "s", &Debugger::Step, "[N]", "runs an instruction, or N"},
    {"next", "n", &Debugger::Next, "[N]", "the same, but steps over calls"},
    {"line", "l", &Debugger::Line, "[N]",
     "runs to another source line, steps over calls"},
    {"finish", "f", &Debugger::Finish, "", "runs until the function returns"},
    {"continue", "c", &Debugger::Continue, "[N]",
     "runs to the next breakpoint, or the Nth, or the end"},
    {"dispatch", "x", &Debugger::Dispatch, "[NAME] [N]",
     "runs to the next dispatch, or one with this name (with * and ?), or the\n"
     "Nth; then 'next' stops after it"},
    {"bindings", "bi", &Debugger::Bindings, "[TYPE]",
     "shows the bindings of that dispatch, as bytes or as f32 and the like"},
    {"registers", "r", &Debugger::Registers, "",
     "shows written registers, and references that are not null"},
    {"print", "p", &Debugger::Print, "REG [TYPE]",
     "shows %i3, %i4:5, %r0, or a binding %b0; numbers as i32, i64, f32, f64\n"
     "or hex, buffers as f32, 2x3xi8 and the like"},
    {"globals", "g", &Debugger::Globals, "", "shows the module's globals"},
    {"set", "=", &Debugger::Set, "NAME [TYPE] VALUE",
     "changes %i3, %i4:5 or .rwdata[8]; a reference (%r0, .refs[0]) to null"},
    {"watch", "w", &Debugger::Watch, "[REF]",
     "stops when bytes of the buffer in %r0 or .refs[0] have changed; alone\n"
     "lists watchpoints"},
    {"list", "code", &Debugger::List, "[all | PLACE]",
     "shows the code around, the function's, or that of a place"},
    {"backtrace", "bt", &Debugger::ShowBacktrace, "", "shows the calls"},
    {"up", "u", &Debugger::Up, "", "selects the caller"},
    {"down", "do", &Debugger::Down, "", "selects the called function"},
    {"functions", "fn", &Debugger::Functions, "[TEXT]",
     "lists all functions, or those whose names contain a text"},
    {"help", "h", &Debugger::Help, "", "prints this"},
    {"quit", "q", &Debugger::Quit, "", "ends the call and quits"},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

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

std::optional<std::string> Debugger::ReasonToStop(const vm::Frame& frame,
                                                  const CodeSpot& spot) {
  if (interrupted_.exchange(false)) return "Interrupted.";
  if (auto change = breakpoints_.ChangeOfWatched()) return change;
  const bool passes = mode_ == Mode::kRun && steps_ > 1;
  if (const auto* const at = breakpoints_.At(frame, spot, tracker_)) {
    if (passes) return --steps_, std::nullopt;
    return absl::StrCat("Breakpoint ", at->number, ", ", at->text);
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

bool Debugger::IsInit(const CodeSpot& spot) {
  return spot.module->def().FunctionName(spot.function) == "__init";
}

CodeSpot Debugger::SpotOf(const vm::Frame& frame) const {
  if (&frame == frames_[0]) return top_;
  const vm::BytecodeModule& module = *frame.state->module;
  const uint32_t function = frame.function->ordinal;
  return {&module, function, module.BytecodeOffset(function, frame.pc)};
}

void Debugger::ShowSelected() {
  ShowFrame(selected_);
  const CodeSpot spot = SpotOf(Selected());
  const auto at =
      listing_.FindAtOrBehind(*spot.module, spot.function, spot.offset);
  if (!at.has_value()) return;
  Say(absl::StrCat(listing_.Of(*spot.module, spot.function)[*at].text, "\n"));
}

void Debugger::ShowFrame(size_t index) {
  Say(absl::StrCat("#", index, " ", PlaceText(SpotOf(*frames_[index])), "\n"));
}

bool Debugger::Break(absl::string_view argument) {
  if (argument.empty()) {
    Say(breakpoints_.BreakpointLines());
    return true;
  }
  const auto made =
      breakpoints_.Add(argument, modules_, SpotOf(Selected()), listing_);
  if (!made.ok()) {
    Say(absl::StrCat(made.status().message(), "\n"));
    return true;
  }
  const std::vector<CodeSpot>& spots = (*made)->spots;
  std::string text = absl::StrCat("Breakpoint ", (*made)->number, " at ");
  for (size_t i = 0; i < spots.size() && i < kMaxSaid; ++i) {
    absl::StrAppend(&text, i == 0 ? "" : ", ", PlaceText(spots[i]));
  }
  if (spots.size() > kMaxSaid) {
    absl::StrAppend(&text, " and ", spots.size() - kMaxSaid, " more");
  }
  Say(absl::StrCat(text, ".\n"));
  const bool is_late = !IsInit(SpotOf(*frames_.back())) &&
                       std::all_of(spots.begin(), spots.end(), IsInit);
  if (is_late) Say("That code has run already; --stop_at_init stops there.\n");
  return true;
}

bool Debugger::Delete(absl::string_view argument) {
  Say(breakpoints_.Remove(argument));
  return true;
}

bool Debugger::Watch(absl::string_view argument) {
  if (argument.empty()) {
    Say(breakpoints_.WatchLines());
    return true;
  }
  const auto object = FindReference(Selected(), argument);
  const absl::StatusOr<std::string> line =
      object.ok() ? breakpoints_.AddWatch(argument, *object) : object.status();
  Say(line.ok() ? *line : absl::StrCat(line.status().message(), "\n"));
  return true;
}

bool Debugger::Advance(Mode mode, absl::string_view count) {
  int64_t steps = 1;
  if (has_failed_ && mode != Mode::kRun) {
    Say("The call has failed; 'continue' or 'quit' ends it.\n");
    return true;
  }
  if (!count.empty() && (!absl::SimpleAtoi(count, &steps) || steps < 1)) {
    Say(absl::StrCat("'", PlainName(count), "' is not a positive number.\n"));
    return true;
  }
  mode_ = mode;
  steps_ = steps;
  return false;
}

bool Debugger::Step(absl::string_view argument) {
  return Advance(Mode::kStep, argument);
}
bool Debugger::Next(absl::string_view argument) {
  return Advance(Mode::kNext, argument);
}
bool Debugger::Line(absl::string_view argument) {
  const CodeSpot spot = SpotOf(Selected());
  if (spot.module->def().LocationsOf(spot.function).empty()) {
    Say(absl::StrCat(FunctionText(spot),
                     " has no line numbers; 'next' steps by "
                     "instruction.\n"));
    return true;
  }
  return Advance(Mode::kLine, argument);
}
bool Debugger::Finish(absl::string_view) { return Advance(Mode::kFinish, ""); }
bool Debugger::Continue(absl::string_view argument) {
  return Advance(Mode::kRun, argument);
}

bool Debugger::Print(absl::string_view argument) {
  const std::vector<absl::string_view> words = WordsOf(argument);
  const auto name = words.empty() ? std::nullopt : ParseRegister(words[0]);
  const absl::string_view type = words.size() > 1 ? words[1] : "";
  if (words.size() > 0 && words.size() < 3 && PrintBinding(words[0], type)) {
    return true;
  }
  if (!name.has_value() || words.size() > 2) {
    Say("'print' takes a register, such as %i3 or %r0, and a type.\n");
    return true;
  }
  Say(RegisterLine(Selected(), *name, type, tracker_));
  return true;
}

bool Debugger::Registers(absl::string_view) {
  Say(RegisterLines(Selected(), tracker_));
  return true;
}

bool Debugger::Set(absl::string_view argument) {
  const std::vector<absl::string_view> words = WordsOf(argument);
  if (words.size() < 2 || words.size() > 3) {
    Say("'set' takes a register or a global, a type, which may be left out, "
        "and a value.\n");
    return true;
  }
  const absl::string_view type = words.size() == 3 ? words[1] : "";
  absl::StatusOr<std::string> line = NoPlace(words[0]);
  const auto global = ParseGlobal(words[0]);
  const auto name = ParseRegister(words[0]);
  const bool is_ref =
      (global && global->is_ref) || (!global && name && name->is_ref);
  if (is_ref && dispatch_ != nullptr) {
    line = absl::FailedPreconditionError(
        "References cannot be set at a dispatch, which uses their objects; "
        "'next' twice runs to the next instruction.");
  } else if (global) {
    line = SetGlobal(*Selected().state, *global, type, words.back());
  } else if (name) {
    line = SetRegister(Selected(), *name, type, words.back(), tracker_);
  }
  Say(line.ok() ? *line : absl::StrCat(line.status().message(), "\n"));
  return true;
}

bool Debugger::Globals(absl::string_view) {
  Say(GlobalLines(*Selected().state));
  return true;
}

bool Debugger::List(absl::string_view argument) {
  CodeSpot spot = SpotOf(Selected());
  const bool all = argument == "all";
  if (!all && !argument.empty()) {
    const auto spots = FindSpots(argument, modules_, spot, listing_);
    if (!spots.ok()) {
      Say(absl::StrCat(spots.status().message(), "\n"));
      return true;
    }
    spot = (*spots)[0];
  }
  const std::vector<CodeLine>& lines = listing_.Of(*spot.module, spot.function);
  const size_t at =
      listing_.FindAtOrBehind(*spot.module, spot.function, spot.offset)
          .value_or(0);
  const size_t begin = all || at < kAround ? 0 : at - kAround;
  const size_t end =
      all ? lines.size() : std::min(lines.size(), at + kAround + 1);
  std::string text = absl::StrCat(FunctionText(spot), "\n");
  std::string before;
  for (size_t i = begin; i < end; ++i) {
    absl::StrAppend(
        &text,
        absl::StrFormat("%s %06x ", i == at ? "=>" : "  ", lines[i].offset),
        lines[i].text);
    const std::string source =
        SourceLineText({spot.module, spot.function, lines[i].offset});
    if (!lines[i].is_block && source != before && !source.empty()) {
      absl::StrAppend(&text, "  // ", PlainName(source));
    }
    if (!lines[i].is_block) before = source;
    text += "\n";
  }
  Say(text);
  return true;
}

bool Debugger::ShowBacktrace(absl::string_view) {
  const size_t shown = std::min(frames_.size(), kMaxFrames);
  for (size_t i = 0; i < shown; ++i) ShowFrame(i);
  if (shown < frames_.size()) {
    Say(absl::StrCat("... and ", frames_.size() - shown, " more\n"));
  }
  return true;
}

bool Debugger::Select(size_t index) {
  selected_ = index;
  ShowSelected();
  return true;
}

bool Debugger::Up(absl::string_view) {
  if (selected_ + 1 < frames_.size()) return Select(selected_ + 1);
  Say("The host is the caller.\n");
  return true;
}

bool Debugger::Down(absl::string_view) {
  if (selected_ > 0) return Select(selected_ - 1);
  Say("It called nothing.\n");
  return true;
}

bool Debugger::Functions(absl::string_view argument) {
  std::string text;
  for (const vm::BytecodeModule* const module : modules_) {
    const vm::ModuleDef& def = module->def();
    for (uint32_t i = 0; i < def.functions.size(); ++i) {
      if (!absl::StrContains(def.FunctionName(i), argument)) continue;
      absl::StrAppend(&text, "@", i, " ", FunctionText({module, i, 0}), ", ",
                      def.functions[i].bytecode.size(), " bytes\n");
    }
  }
  Say(text.empty() ? absl::StrCat("No function has '", PlainName(argument),
                                  "' in its name.\n")
                   : text);
  return true;
}

bool Debugger::Help(absl::string_view) {
  std::string text;
  for (size_t i = 0; kCommands[i].name != nullptr; ++i) {
    const Command& command = kCommands[i];
    absl::StrAppendFormat(&text, "%-22s %-5s %s\n",
                          absl::StrCat(command.name, " ", command.arguments),
                          command.short_name,
                          absl::StrReplaceAll(command.help, {{"\n", kIndent}}));
  }
  Say(absl::StrCat(text,
                   "Names may be shortened. '#' begins a comment; on a "
                   "terminal an\nempty line repeats the last command.\n"));
  return true;
}

// A failed call ends anyway.
bool Debugger::Quit(absl::string_view) {
  has_quit_ = !has_failed_;
  return false;
}

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

std::vector<std::string> Debugger::Completions(absl::string_view line) const {
  const size_t blank = line.find_last_of(" \t");
  const absl::string_view word =
      line.substr(blank == line.npos ? 0 : blank + 1);
  std::vector<std::string> words;
  size_t longest = word.size();
  // Names may contain blanks: the most words that begin a name count, and the
  // last of them is completed.
  const auto add = [&](absl::string_view name) {
    size_t begin = blank == line.npos ? 0 : line.find_first_of(" \t") + 1;
    while (!absl::StartsWith(name, line.substr(begin))) {
      begin = line.find_first_of(" \t", begin);
      if (begin++ == line.npos) return;
    }
    const size_t size = line.size() - begin;
    if (size < longest || !IsPlainText(name)) return;
    if (size > longest) words.clear();
    longest = size;
    if (words.size() > kMaxCompletions) return;
    words.emplace_back(name.substr(size - word.size()));
  };
  if (absl::StripLeadingAsciiWhitespace(line).size() == word.size()) {
    for (size_t i = 0; kCommands[i].name != nullptr; ++i) {
      add(kCommands[i].name);
    }
    return words;
  }
  if (frames_.empty()) return words;
  const vm::Frame& frame = Selected();
  const CodeSpot spot = SpotOf(frame);
  for (uint32_t i = 0;
       i < spot.module->def().functions[spot.function].i32_register_count;
       ++i) {
    add(absl::StrCat("%i", i));
  }
  for (uint32_t i = 0; i < frame.function->ref_count; ++i) {
    add(absl::StrCat("%r", i));
  }
  for (const std::string& name : dispatch_names_) add(name);
  for (const vm::BytecodeModule* const module : modules_) {
    for (uint32_t i = 0; i < module->def().functions.size(); ++i) {
      add(module->def().FunctionName(i));
    }
    for (const vm::ImportDef& import : module->def().imports) {
      add(import.full_name);
    }
  }
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return words;
}

void Debugger::Detach() {
  mode_ = Mode::kRun;
  is_detached_ = true;
  breakpoints_.RemoveWatches();
}

void Debugger::Say(absl::string_view text) {
  if (written_.ok()) written_ = write_(std::string(text));
}

}  // namespace eyrie::tools
