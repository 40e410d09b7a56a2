// Implements the commands. Tested by debug_test.txt.
#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "tools/debug/debugger.h"
#include "tools/debug/value_lines.h"

namespace eyrie::tools {
namespace {

constexpr char kIndent[] = "\n                             ";  // of help
constexpr size_t kAround = 5;       // lines shown on each side by 'list'
constexpr size_t kMaxFrames = 100;  // shown by 'bt'
constexpr size_t kMaxSpots = 1000;  // of one breakpoint
constexpr char kIf[] = " if ";      // between a place and a condition
constexpr char kBareIf[] = " if";   // the same without a condition
constexpr size_t kMaxSaid = 5;      // printed when it is set

}  // namespace

bool Debugger::IsInit(const CodeSpot& spot) {
  return spot.module->def().FunctionName(spot.function) == "__init";
}

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

absl::StatusOr<Debugger::Breakpoint> Debugger::CreateBreakpoint(
    absl::string_view text) {
  if (text == "if" || absl::EndsWith(text, kBareIf)) {
    return absl::InvalidArgumentError(
        "No condition follows 'if'; expected one such as %i0 == 3, %i4 f64 < "
        "0.5 or %r0 != null.");
  }
  Breakpoint made = {next_number_, PlainName(text), {}, std::nullopt};
  const std::vector<absl::string_view> parts =
      absl::StrSplit(text, absl::MaxSplits(kIf, 1));
  ASSIGN_OR_RETURN(made.spots,
                   FindSpots(absl::StripAsciiWhitespace(parts[0]), modules_,
                             SpotOf(Selected()), listing_));
  if (made.spots.size() > kMaxSpots) made.spots.resize(kMaxSpots);
  if (parts.size() == 1) return made;
  ASSIGN_OR_RETURN(made.condition,
                   Condition::Parse(absl::StripAsciiWhitespace(parts[1])));
  for (const CodeSpot& spot : made.spots) {
    RETURN_IF_ERROR(made.condition->CheckFor(spot));
  }
  return made;
}

bool Debugger::Break(absl::string_view argument) {
  if (argument.empty()) {
    for (const Breakpoint& breakpoint : breakpoints_) {
      Say(absl::StrCat(breakpoint.number, " ", breakpoint.text, "\n"));
      for (const CodeSpot& spot : breakpoint.spots) {
        Say(absl::StrCat("  ", PlaceText(spot), "\n"));
      }
    }
    if (breakpoints_.empty()) Say("There are no breakpoints.\n");
    return true;
  }
  auto made = CreateBreakpoint(argument);
  if (!made.ok()) {
    Say(absl::StrCat(made.status().message(), "\n"));
    return true;
  }
  const std::vector<CodeSpot>* const spots = &made->spots;
  spots_.insert(spots->begin(), spots->end());
  std::string text = absl::StrCat("Breakpoint ", next_number_, " at ");
  for (size_t i = 0; i < spots->size() && i < kMaxSaid; ++i) {
    absl::StrAppend(&text, i == 0 ? "" : ", ", PlaceText((*spots)[i]));
  }
  if (spots->size() > kMaxSaid) {
    absl::StrAppend(&text, " and ", spots->size() - kMaxSaid, " more");
  }
  Say(absl::StrCat(text, ".\n"));
  const bool is_late = !IsInit(SpotOf(*frames_.back())) &&
                       std::all_of(spots->begin(), spots->end(), IsInit);
  if (is_late) Say("That code has run already; --stop_at_init stops there.\n");
  ++next_number_;
  breakpoints_.push_back(*std::move(made));
  return true;
}

bool Debugger::Delete(absl::string_view argument) {
  int number = 0;
  const bool is_one = absl::SimpleAtoi(argument, &number);
  const auto is_named = [&](const auto& stop) {
    return argument.empty() || (is_one && stop.number == number);
  };
  const size_t removed =
      std::erase_if(breakpoints_, is_named) + std::erase_if(watches_, is_named);
  if (removed == 0) {
    Say(argument.empty() ? "There are no breakpoints or watchpoints.\n"
                         : absl::StrCat("There is no breakpoint or watchpoint ",
                                        PlainName(argument), ".\n"));
  }
  spots_.clear();
  for (const Breakpoint& breakpoint : breakpoints_) {
    spots_.insert(breakpoint.spots.begin(), breakpoint.spots.end());
  }
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

bool Debugger::Registers(absl::string_view) {
  const vm::Frame& frame = Selected();
  std::string text;
  const std::vector<RegisterKind> kinds = tracker_.KindsOf(frame);
  for (size_t i = 0; i < kinds.size(); ++i) {
    if (kinds[i] == RegisterKind::kUnwritten) continue;
    text += NumberLine(frame, static_cast<uint16_t>(i), kinds[i]);
  }
  for (uint32_t i = 0; i < frame.function->ref_count; ++i) {
    if (frame.refs[i] != nullptr) {
      text += RefLine(frame, static_cast<uint16_t>(i));
    }
  }
  Say(text.empty() ? "No register was written.\n" : text);
  return true;
}

bool Debugger::Print(absl::string_view argument) {
  const std::vector<absl::string_view> words =
      absl::StrSplit(argument, absl::ByAnyChar(" \t"), absl::SkipEmpty());
  const auto name = words.empty() ? std::nullopt : ParseRegister(words[0]);
  const absl::string_view type = words.size() > 1 ? words[1] : "";
  if (words.size() > 0 && words.size() < 3 && PrintBinding(words[0], type)) {
    return true;
  }
  if (!name.has_value() || words.size() > 2) {
    Say("'print' takes a register, such as %i3 or %r0, and a type.\n");
    return true;
  }
  const vm::Frame& frame = Selected();
  const CodeSpot spot = SpotOf(frame);
  const uint32_t count =
      name->is_ref
          ? frame.function->ref_count
          : spot.module->def().functions[spot.function].i32_register_count;
  if (name->index >= count) {
    Say(NoRegister(*name, count));
  } else if (name->is_ref) {
    Say(RefLineAs(frame, name->index, type));
  } else {
    const std::vector<RegisterKind> kinds = tracker_.KindsOf(frame);
    const RegisterKind kind =
        name->index < kinds.size() ? kinds[name->index] : RegisterKind::kI32;
    Say(NumberLineAs(frame, *name, kind, type, count));
  }
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

}  // namespace eyrie::tools
