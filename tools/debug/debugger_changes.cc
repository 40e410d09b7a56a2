// Commands that change values, and watchpoints. Tested by debug_test.txt.
#include <algorithm>
#include <span>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "tools/debug/debugger.h"
#include "tools/debug/object_text.h"
#include "tools/debug/value_lines.h"

namespace eyrie::tools {
namespace {

constexpr uint64_t kMaxWatched = uint64_t{1} << 20;  // bytes of a buffer
constexpr size_t kMaxCompletions = 500;

std::vector<absl::string_view> WordsOf(absl::string_view text) {
  return absl::StrSplit(text, absl::ByAnyChar(" \t"), absl::SkipEmpty());
}

absl::Status NoPlace(absl::string_view name) {
  return absl::InvalidArgumentError(
      absl::StrCat("'", PlainName(name),
                   "' is not a register or a global; expected %i3, %i4:5, %r0, "
                   ".rwdata[8] or .refs[0]."));
}

absl::Status SetNull(RefObject*& reference, absl::string_view value) {
  if (value != "null") {
    return absl::InvalidArgumentError(
        absl::StrCat("'", PlainName(value),
                     "' cannot be set: a reference can only be set "
                     "to null."));
  }
  Ref<RefObject>::Adopt(std::exchange(reference, nullptr)).reset();
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> Debugger::SetRegister(const RegisterName& name,
                                                  absl::string_view type,
                                                  absl::string_view value) {
  const vm::Frame& frame = Selected();
  const CodeSpot spot = SpotOf(frame);
  const uint32_t count =
      name.is_ref
          ? frame.function->ref_count
          : spot.module->def().functions[spot.function].i32_register_count;
  if (name.index >= count) return NoRegister(name, count);
  if (name.is_ref) {
    RETURN_IF_ERROR(SetNull(frame.refs[name.index], value));
    return RefLine(frame, name.index);
  }
  const std::vector<RegisterKind> kinds = tracker_.KindsOf(frame);
  ASSIGN_OR_RETURN(const RegisterKind kind,
                   KindNamed(name, type,
                             name.index < kinds.size() ? kinds[name.index]
                                                       : RegisterKind::kI32));
  if (name.index + SizeOf(kind) / sizeof(int32_t) > count) {
    return NumberLineAs(frame, name, kind, type, count);  // the error
  }
  RETURN_IF_ERROR(StoreNumber(value, kind, frame.i32 + name.index));
  tracker_.SetKind(frame, name.index, kind);
  return NumberLine(frame, name.index, kind);
}

absl::StatusOr<std::string> Debugger::SetGlobal(const GlobalName& name,
                                                absl::string_view type,
                                                absl::string_view value) {
  const vm::BytecodeState& state = *Selected().state;
  if (name.is_ref) {
    if (name.place >= state.global_ref_count) {
      return absl::OutOfRangeError(absl::StrCat(
          ".refs[", name.place, "] does not exist: the module has ",
          state.global_ref_count, " references."));
    }
    RETURN_IF_ERROR(SetNull(state.global_refs[name.place], value));
    return GlobalLine(state, name, RegisterKind::kI32);
  }
  ASSIGN_OR_RETURN(const RegisterKind kind,
                   KindNamed({}, type, GlobalKind(*state.module, name.place)));
  if (uint64_t{name.place} + SizeOf(kind) > state.global_bytes) {
    return absl::OutOfRangeError(absl::StrCat(
        ".rwdata[", name.place, "] does not exist with ", SizeOf(kind),
        " bytes: the module has ", state.global_bytes, "."));
  }
  RETURN_IF_ERROR(StoreNumber(value, kind, state.globals + name.place));
  return GlobalLine(state, name, kind);
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
    line = SetGlobal(*global, type, words.back());
  } else if (name) {
    line = SetRegister(*name, type, words.back());
  }
  Say(line.ok() ? *line : absl::StrCat(line.status().message(), "\n"));
  return true;
}

absl::StatusOr<RefObject*> Debugger::FindReference(absl::string_view name) {
  const vm::Frame& frame = Selected();
  const auto global = ParseGlobal(name);
  if (global.has_value() && global->is_ref &&
      global->place < frame.state->global_ref_count) {
    return frame.state->global_refs[global->place];
  }
  const auto reg = ParseRegister(name);
  if (reg.has_value() && reg->is_ref &&
      reg->index < frame.function->ref_count) {
    return frame.refs[reg->index];
  }
  return absl::InvalidArgumentError(
      absl::StrCat("'", PlainName(name),
                   "' is not a reference here; 'registers' and 'globals' show "
                   "them."));
}

absl::Status Debugger::AddWatch(absl::string_view name) {
  ASSIGN_OR_RETURN(RefObject* const object, FindReference(name));
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
  Say(absl::StrCat("Watchpoint ", next_number_++, ": the ", size, " bytes of ",
                   made.text, ".\n"));
  watches_.push_back(std::move(made));
  return absl::OkStatus();
}

bool Debugger::Watch(absl::string_view argument) {
  if (argument.empty()) {
    for (const Watchpoint& watch : watches_) {
      Say(absl::StrCat(watch.number, " ", watch.text, ", ",
                       ObjectText(watch.buffer.get()), "\n"));
    }
    if (watches_.empty()) Say("There are no watchpoints.\n");
    return true;
  }
  if (const absl::Status status = AddWatch(argument); !status.ok()) {
    Say(absl::StrCat(status.message(), "\n"));
  }
  return true;
}

std::optional<std::string> Debugger::ChangeOfWatched() {
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

}  // namespace eyrie::tools
