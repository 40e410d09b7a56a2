// Directives and the lines between them.
#include "vm/asm/module_parser.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"
#include "vm/isa/callconv.h"

namespace eyrie::vm {
namespace {

constexpr size_t kMaxText = size_t{512} << 20;
constexpr absl::string_view kByteOrderMark = "\xEF\xBB\xBF";

// Returns the letter of a type in a calling convention, or 0.
char TypeLetter(absl::string_view type) {
  if (type == "i32") return 'i';
  if (type == "i64") return 'I';
  if (type == "f32") return 'f';
  if (type == "f64") return 'F';
  return absl::StartsWith(type, "!") ? 'r' : '\0';
}

// Parses the register of a declaration, "%i0:" or "%i0:1:", without its '%'.
absl::StatusOr<absl::string_view> TakeDeclared(TextCursor& in) {
  RETURN_IF_ERROR(in.Expect("%"));
  const absl::string_view name = in.TakeName();
  RETURN_IF_ERROR(in.Expect(":"));
  if (absl::ascii_isdigit(in.Peek())) {
    RETURN_IF_ERROR(in.TakeU32("the pair's second register").status());
    RETURN_IF_ERROR(in.Expect(":"));
  }
  return name;
}

}  // namespace

const ModuleParser::Word ModuleParser::kDirectives[] = {
    {"vm.module", &ModuleParser::Module},
    {"vm.type", &ModuleParser::Type},
    {"vm.import", &ModuleParser::Import},
    {"vm.export", &ModuleParser::Export},
    {"vm.rodata", &ModuleParser::Rodata},
    {"vm.global.i32", &ModuleParser::GlobalI32},
    {"vm.global.i64", &ModuleParser::GlobalI64},
    {"vm.global.f32", &ModuleParser::GlobalF32},
    {"vm.global.f64", &ModuleParser::GlobalF64},
    {"vm.global.ref", &ModuleParser::GlobalRef},
    {"vm.func", &ModuleParser::Func},
};

absl::Status ModuleParser::Parse(absl::string_view text,
                                 absl::string_view file) {
  line_.file = file;
  if (text.size() > kMaxText) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "The text has ", text.size(), " bytes; the limit is ", kMaxText, "."));
  }
  absl::ConsumePrefix(&text, kByteOrderMark);
  line_.number = 0;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    line_.text = text.substr(0, end);
    ++line_.number;
    RETURN_IF_ERROR(ParseLine());
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return Finish();
}

absl::Status ModuleParser::Finish() {
  if (code_ != nullptr) {
    return function_place_.Error("The function is not closed by '}'.");
  }
  if (notes_.first) {
    return notes_.first->Error("Expected a function after this note.");
  }
  if (!scope_.has_module) {
    line_.number = std::max(line_.number, 1u);  // the text may be empty
    return line_.Error(line_.text.size(),
                       "The text has no module; expected 'vm.module @name'.");
  }
  return scope_.Resolve();
}

absl::Status ModuleParser::ParseLine() {
  const LineParts parts = SplitLine(line_.text);
  TextCursor code(line_, 0, parts.code_end);
  // Offsets, which dumps may contain, are ignored.
  if (code.Peek() == '[') {
    if (const size_t close = code.Find(']'); close != absl::string_view::npos) {
      code.set_position(close + 1);
    }
  }
  if (!code.AtEnd()) RETURN_IF_ERROR(ParseCode(code));
  if (parts.note_begin == absl::string_view::npos) return absl::OkStatus();
  TextCursor note(line_, parts.note_begin, parts.note_end);
  return ParseNote(note);
}

absl::Status ModuleParser::ParseCode(TextCursor& in) {
  if (code_ != nullptr) {
    if (in.Peek() == '}') return EndFunction(in);
    RETURN_IF_ERROR(code_->ParseLine(line_, in));
    if (options_.debug_lines && !has_locations_) AddDebugLine();
    return absl::OkStatus();
  }
  in.SkipBlanks();
  const size_t at = in.position();
  const absl::string_view word = in.TakeName();
  for (const Word& directive : kDirectives) {
    if (word != directive.text) continue;
    if (!scope_.has_module && &directive != kDirectives &&
        directive.handler != &ModuleParser::Export) {
      return in.ErrorAt(at, "The text must begin with 'vm.module @name'.");
    }
    RETURN_IF_ERROR((this->*directive.handler)(in));
    return in.ExpectEnd();
  }
  return in.ErrorAt(at, word.empty() ? std::string("Expected a directive.")
                                     : absl::StrCat("Directive '", word,
                                                    "' does not exist."));
}

absl::Status ModuleParser::ParseNote(TextCursor& in) {
  in.SkipBlanks();
  const size_t at = in.position();
  const absl::string_view word = in.TakeName();
  if (code_ != nullptr) {
    if (word == "loc") return NoteInstruction(in);
    return in.ErrorAt(at, "Notes in a function must be loc[…].");
  }
  // Notes about modules come first, then those about functions.
  for (const Word* note = kNotes; note->text != nullptr; ++note) {
    if (word != note->text) continue;
    if (!scope_.has_module) {
      return in.ErrorAt(at, "The text must begin with 'vm.module @name'.");
    }
    RETURN_IF_ERROR((this->*note->handler)(in));
    return in.ExpectEnd();
  }
  for (const Word* note = kFunctionNotes; note->text != nullptr; ++note) {
    if (word != note->text) continue;
    if (!notes_.first) notes_.first = SourcePlace{line_, at};
    RETURN_IF_ERROR((this->*note->handler)(in));
    return in.ExpectEnd();
  }
  return in.ErrorAt(at, absl::StrCat("Note '", word, "' does not exist."));
}

absl::Status ModuleParser::BeforeFunctions(const TextCursor& in) const {
  if (scope_.plan.functions.empty()) return absl::OkStatus();
  return in.Error("This must come before the first function.");
}

absl::Status ModuleParser::Module(TextCursor& in) {
  if (scope_.has_module)
    return in.Error("The text must have only one vm.module.");
  in.SkipBlanks();
  const size_t at = in.position();
  ASSIGN_OR_RETURN(scope_.plan.name, in.TakeSymbol());
  if (options_.verify && scope_.plan.name.empty()) {
    return in.ErrorAt(at, "The module has no name.");
  }
  if (in.Accept("version")) {
    ASSIGN_OR_RETURN(scope_.plan.version, in.TakeU32("a version"));
  }
  scope_.has_module = true;
  return absl::OkStatus();
}

absl::Status ModuleParser::Type(TextCursor& in) {
  RETURN_IF_ERROR(BeforeFunctions(in));
  in.SkipBlanks();
  const size_t at = in.position();
  ASSIGN_OR_RETURN(const std::string name, in.TakeType());
  if (scope_.types.contains(name)) {
    return in.ErrorAt(at, absl::StrCat("Type ", name, " is declared twice."));
  }
  scope_.TypeOrdinal(name);
  return absl::OkStatus();
}

absl::Status ModuleParser::Import(TextCursor& in) {
  RETURN_IF_ERROR(BeforeFunctions(in));
  ModulePlan::Import import;
  import.optional = in.Accept("optional");
  in.SkipBlanks();
  size_t at = in.position();
  ASSIGN_OR_RETURN(import.full_name, in.TakeSymbol());
  if (options_.verify && !absl::StrContains(import.full_name, '.')) {
    return in.ErrorAt(at, absl::StrCat("Import @", import.full_name,
                                       " does not name its module."));
  }
  RETURN_IF_ERROR(in.Expect("cconv"));
  in.SkipBlanks();
  at = in.position();
  ASSIGN_OR_RETURN(import.convention, in.TakeQuoted());
  if (const auto parsed = CallingConvention::Parse(import.convention);
      !parsed.ok()) {
    return in.ErrorAt(at, parsed.status().message());
  }
  // If an import is repeated, the name refers to the first.
  scope_.imports.emplace(import.full_name,
                         static_cast<uint32_t>(scope_.plan.imports.size()));
  scope_.plan.imports.push_back(std::move(import));
  return absl::OkStatus();
}

absl::Status ModuleParser::Export(TextCursor& in) {
  in.SkipBlanks();
  SourcePlace place = {line_, in.position()};
  ModulePlan::Export exported;
  ASSIGN_OR_RETURN(exported.name, in.TakeSymbol());
  const auto index = static_cast<uint32_t>(scope_.plan.exports.size());
  if (!scope_.export_names.emplace(exported.name, index).second) {
    return place.Error(
        absl::StrCat("Export @", exported.name, " is declared twice."));
  }
  std::string function = exported.name;
  if (in.Accept("=")) {
    in.SkipBlanks();
    place.at = in.position();
    ASSIGN_OR_RETURN(function, in.TakeSymbol());
  }
  scope_.exports.push_back({place, std::move(function), index, 0});
  scope_.plan.exports.push_back(std::move(exported));
  return absl::OkStatus();
}

absl::Status ModuleParser::Rodata(TextCursor& in) {
  RETURN_IF_ERROR(BeforeFunctions(in));
  RETURN_IF_ERROR(in.Expect("["));
  in.SkipBlanks();
  const size_t at = in.position();
  ASSIGN_OR_RETURN(const uint32_t ordinal, in.TakeU32("a constant's number"));
  if (ordinal != scope_.plan.rodata.size()) {
    return in.ErrorAt(at,
                      absl::StrCat("Constants are numbered from 0; expected ",
                                   scope_.plan.rodata.size(), "."));
  }
  RETURN_IF_ERROR(in.Expect("]"));
  RETURN_IF_ERROR(in.Expect("="));
  ModulePlan::Rodata& rodata = scope_.plan.rodata.emplace_back();
  ASSIGN_OR_RETURN(rodata.bytes, TakeContents(in));
  rodata_bytes_ += rodata.bytes.size();
  if (rodata_bytes_ <= kMaxRodataBytes) return absl::OkStatus();
  return in.ErrorAt(
      at, absl::StrCat("The constants have ", rodata_bytes_,
                       " bytes so far; the limit is ", kMaxRodataBytes, "."));
}

absl::Status ModuleParser::GlobalI32(TextCursor& in) {
  return Global(in, OperandKind::kGlobalI32, 4, "i32");
}
absl::Status ModuleParser::GlobalI64(TextCursor& in) {
  return Global(in, OperandKind::kGlobalI64, 8, "i64");
}
absl::Status ModuleParser::GlobalF32(TextCursor& in) {
  return Global(in, OperandKind::kGlobalF32, 4, "f32");
}
absl::Status ModuleParser::GlobalF64(TextCursor& in) {
  return Global(in, OperandKind::kGlobalF64, 8, "f64");
}
absl::Status ModuleParser::GlobalRef(TextCursor& in) {
  return Global(in, OperandKind::kGlobalRef, 0, "");
}

absl::Status ModuleParser::Global(TextCursor& in, OperandKind kind,
                                  uint32_t size, absl::string_view type) {
  RETURN_IF_ERROR(BeforeFunctions(in));
  in.Accept("private");
  in.Accept("mutable");
  in.SkipBlanks();
  const size_t at = in.position();
  ASSIGN_OR_RETURN(const std::string name, in.TakeSymbol());
  if (!scope_.globals.emplace(name, NamedGlobal{kind, size}).second) {
    return in.ErrorAt(at,
                      absl::StrCat("Global @", name, " is declared twice."));
  }
  scope_.global_order.push_back(name);
  if (size == 0) {
    if (in.Accept(":")) RETURN_IF_ERROR(in.TakeType().status());
    return absl::OkStatus();
  }
  if (!in.Accept("=")) return absl::OkStatus();
  in.SkipBlanks();
  const size_t value_at = in.position();
  ASSIGN_OR_RETURN(const uint64_t value, in.TakeInteger(64));
  if (value != 0) {
    return in.ErrorAt(value_at,
                      "Globals must begin as 0; __init may set other values.");
  }
  RETURN_IF_ERROR(in.Expect(":"));
  return in.Expect(type);
}

absl::StatusOr<std::string> ModuleParser::TakeArguments(TextCursor& in) {
  // The registers must be numbered without gaps before pairs, as upstream does,
  // or in one of the layouts in which functions receive arguments.
  uint32_t plain = 0;
  RegisterCounts in_order, fills_gaps;
  std::string letters;
  RETURN_IF_ERROR(in.Expect("("));
  if (in.Accept(")")) return std::string("v");
  do {
    in.SkipBlanks();
    const size_t at = in.position();
    ASSIGN_OR_RETURN(const absl::string_view name, TakeDeclared(in));
    uint32_t number = 0;
    ASSIGN_OR_RETURN(const std::string type, in.TakeType());
    const char letter = TypeLetter(type);
    if (letter == '\0') {
      return in.ErrorAt(at, absl::StrCat("Argument type ", type,
                                         " is not valid; expected "
                                         "i32, i64, f32, f64 or a ref."));
    }
    const bool pair = letter == 'I' || letter == 'F';
    const ValueType value = letter == 'r' ? ValueType::kRef
                            : pair        ? ValueType::kI64
                                          : ValueType::kI32;
    const uint32_t ordered = in_order.Add(value);
    const uint32_t filled = fills_gaps.Add(value, ArgumentLayout::kFillsGaps);
    const uint32_t counted = letter == 'r' ? ordered : plain;
    if (letter != 'r') plain += pair ? 2 : 1;
    if (in_order.i32 > kMaxI32Registers || in_order.ref > kMaxRefRegisters) {
      return in.ErrorAt(
          at, absl::StrCat("The arguments need more than ", kMaxI32Registers,
                           " registers for numbers or ", kMaxRefRegisters,
                           " for refs."));
    }
    const char bank = letter == 'r' ? 'r' : 'i';
    if (name.empty() || name[0] != bank ||
        !absl::SimpleAtoi(name.substr(1), &number) ||
        (number != counted && number != ordered && number != filled)) {
      return in.ErrorAt(at, absl::StrCat("Expected %", std::string(1, bank),
                                         counted, " for this argument."));
    }
    letters += letter;
  } while (in.AcceptNext());
  RETURN_IF_ERROR(in.Expect(")"));
  return letters;
}

absl::StatusOr<std::string> ModuleParser::TakeResults(TextCursor& in) {
  std::string letters;
  RETURN_IF_ERROR(in.Expect("("));
  if (in.Accept(")")) return std::string("v");
  do {
    in.SkipBlanks();
    const size_t at = in.position();
    // A result may have a name, or a register.
    if (in.Peek() == '%') RETURN_IF_ERROR(TakeDeclared(in).status());
    ASSIGN_OR_RETURN(std::string type, in.TakeType());
    if (in.Accept(":")) {
      ASSIGN_OR_RETURN(type, in.TakeType());
    }
    const char letter = TypeLetter(type);
    if (letter == '\0') {
      return in.ErrorAt(at, absl::StrCat("Result type ", type,
                                         " is not valid; expected "
                                         "i32, i64, f32, f64 or a ref."));
    }
    letters += letter;
  } while (in.AcceptNext());
  RETURN_IF_ERROR(in.Expect(")"));
  return letters;
}

absl::Status ModuleParser::Func(TextCursor& in) {
  if (scope_.plan.functions.empty()) scope_.PlaceGlobals();
  in.SkipBlanks();
  function_place_ = {line_, in.position()};
  ASSIGN_OR_RETURN(const std::string name, in.TakeSymbol());
  const auto ordinal = static_cast<uint32_t>(scope_.plan.functions.size());
  if (!scope_.functions.emplace(name, ordinal).second) {
    return function_place_.Error(
        absl::StrCat("Function @", name, " is defined twice."));
  }
  ASSIGN_OR_RETURN(const std::string arguments, TakeArguments(in));
  RETURN_IF_ERROR(in.Expect("->"));
  ASSIGN_OR_RETURN(const std::string results, TakeResults(in));
  RETURN_IF_ERROR(in.Expect("{"));
  ModulePlan::Function& function = scope_.plan.functions.emplace_back();
  function.convention = absl::StrCat("0", arguments, "_", results);
  FrameNeeds needs;
  ASSIGN_OR_RETURN(const CallingConvention own,
                   CallingConvention::Parse(function.convention));
  needs.AddArguments(own);
  function_name_ = name;
  scope_.code_places.emplace_back();
  code_ = std::make_unique<CodeParser>(scope_, needs);
  return absl::OkStatus();
}

absl::Status ModuleParser::EndFunction(TextCursor& in) {
  in.SkipBlanks();
  const size_t at = in.position();
  RETURN_IF_ERROR(in.Expect("}"));
  RETURN_IF_ERROR(in.ExpectEnd());
  RETURN_IF_ERROR(code_->Finish(line_, at));
  const FrameNeeds needs = code_->needs();
  code_.reset();
  ModulePlan::Function& function = scope_.plan.functions.back();
  function.requirements = notes_.requirements.value_or(needs.requirements);
  function.blocks = needs.blocks;
  function.i32_registers = needs.i32_registers;
  function.ref_registers = needs.ref_registers;
  if (notes_.registers) {
    function.i32_registers = notes_.registers->first;
    function.ref_registers = notes_.registers->second;
    scope_.fixed_frames.insert(
        static_cast<uint32_t>(scope_.plan.functions.size() - 1));
  }
  if (notes_.convention) function.convention = *notes_.convention;
  function.attributes = std::move(notes_.attributes);
  function.debug_name = std::move(notes_.name);
  if (options_.debug_lines && function.debug_name.empty()) {
    function.debug_name = function_name_;
  }
  notes_ = {};
  scope_.used_global_bytes =
      std::max(scope_.used_global_bytes, needs.global_bytes);
  scope_.used_global_refs =
      std::max(scope_.used_global_refs, needs.global_refs);
  return absl::OkStatus();
}

}  // namespace eyrie::vm
