// Prints the parts of a module around its functions' bodies.
#include "vm/asm/disassembler.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/file_growth.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "base/suggest.h"
#include "flatbuffers/flatbuffers.h"
#include "vm/asm/code_printer.h"
#include "vm/asm/cursor.h"
#include "vm/asm/debug_locations.h"
#include "vm/asm/frame_needs.h"
#include "vm/asm/function_names.h"
#include "vm/asm/module_plan.h"
#include "vm/isa/version.h"
#include "vm/module/module_generated.h"

namespace eyrie::vm {
namespace {

constexpr size_t kLeastPreview = 4;
constexpr size_t kMaxPreview = 60;

// Returns the type for a letter of a calling convention.
const char* TypeWord(ValueType type) {
  return type == ValueType::kRef ? "!vm.ref<?>" : NameOf(type);
}

// Returns "(%i0: i32, %r0: !vm.ref<?>) -> (i64)". Like upstream, numbers the
// registers without the gaps before pairs.
std::string SignatureText(const CallingConvention& signature) {
  uint32_t i32 = 0;
  uint32_t ref = 0;
  std::vector<std::string> arguments;
  for (ValueType type : signature.argument_types()) {
    std::string reg = absl::StrCat("%i", i32);
    if (type == ValueType::kRef) {
      reg = absl::StrCat("%r", ref++);
    } else if (IsWide(type)) {
      absl::StrAppend(&reg, ":", i32 + 1);
      i32 += 2;
    } else {
      ++i32;
    }
    arguments.push_back(absl::StrCat(reg, ": ", TypeWord(type)));
  }
  std::vector<std::string> results;
  for (ValueType type : signature.result_types()) {
    results.push_back(TypeWord(type));
  }
  return absl::StrCat("(", absl::StrJoin(arguments, ", "), ") -> (",
                      absl::StrJoin(results, ", "), ")");
}

// Returns a comment that shows a constant if it is text.
std::string Preview(std::span<const uint8_t> bytes) {
  absl::string_view text(reinterpret_cast<const char*>(bytes.data()),
                         bytes.size());
  while (!text.empty() && text.back() == '\0') text.remove_suffix(1);
  if (text.size() < kLeastPreview || text.size() > kMaxPreview ||
      !std::all_of(text.begin(), text.end(),
                   [](char c) { return absl::ascii_isprint(c); })) {
    return "";
  }
  return absl::StrCat("  // \"", text, "\"");
}

class Disassembler {
 public:
  Disassembler(const VerifiedModule& module, const DisassemblyOptions& options,
               TextSink sink)
      : module_(module),
        def_(module.def()),
        options_(options),
        most_(std::min(MostTextOf(def_.archive().bytes().size()),
                       options.most_text)),
        debug_(def_.debug_database()),
        names_(def_, options.text),
        text_(most_, sink) {}

  absl::Status Print();

 private:
  template <typename... Args>
  void Line(const Args&... args) {
    text_.Add(args..., "\n");
  }
  bool HasNotes() const { return options_.text == AssemblyText::kRestorable; }
  // Prints a note, which upstream's assembler treats as a comment.
  template <typename... Args>
  void Note(const Args&... args) {
    if (HasNotes()) Line("//! ", args...);
  }
  std::string Symbol(absl::string_view name) const {
    const bool is_public = options_.text == AssemblyText::kPublic;
    return is_public ? PublicSymbolText(name) : SymbolText(name);
  }

  void CountNeeds();
  // Prints everything before the functions.
  absl::Status PrintTables();
  void PrintHeader();
  void PrintAttributes(absl::string_view word,
                       const std::vector<Attribute>& attributes);
  void PrintTypes();
  void PrintImports();
  absl::Status PrintRodata();
  void PrintBytes(std::span<const uint8_t> bytes);
  // Reports whether the names in locations fit, before they are quoted.
  bool LocationsFit();
  void PrintLocations();
  void PrintLocation(uint32_t i);
  void PrintState();
  void PrintExports(uint32_t function);
  void PrintExport(const ExportDef& exported);
  void PrintFunction(uint32_t function, CodePrinter& printer);
  absl::Status TooLong() const {
    return TextTooLongError(most_, def_.archive().bytes().size());
  }
  LocationList LocationsOf(uint32_t function) const;
  // Returns the index of the function to print, or npos for all.
  absl::StatusOr<size_t> FindFunction() const;

  const VerifiedModule& module_;
  const ModuleDef& def_;
  const DisassemblyOptions& options_;
  const uint64_t most_;  // limit for the bytes of text
  const fbs::DebugDatabase* const debug_;
  std::vector<FrameNeeds> needs_;  // by function
  FrameNeeds all_needs_;           // of all functions together
  const FunctionNames names_;
  TextStream text_;
};

void Disassembler::CountNeeds() {
  for (uint32_t i = 0; i < def_.functions.size(); ++i) {
    FrameNeeds& needs = needs_.emplace_back();
    needs.AddArguments(module_.signature(i));
    const std::span<const uint8_t> code = def_.functions[i].bytecode;
    for (uint32_t pc = 0; pc < code.size();) {
      const Instruction instruction = Decode(code, pc);
      needs.AddInstruction(instruction);
      if (IsCall(*instruction.op)) {
        const auto callee = static_cast<uint32_t>(instruction.reads[0].number);
        needs.AddCall(instruction,
                      (callee & kImportBit) == 0
                          ? module_.signature(callee)
                          : module_.import_signature(callee ^ kImportBit));
      } else if (instruction.op->op == Op::kReturn) {
        needs.AddReturn(instruction, module_.signature(i));
      }
    }
    all_needs_.requirements |= def_.functions[i].requirements;
    all_needs_.global_bytes =
        std::max(all_needs_.global_bytes, needs.global_bytes);
    all_needs_.global_refs =
        std::max(all_needs_.global_refs, needs.global_refs);
  }
}

void Disassembler::PrintAttributes(absl::string_view word,
                                   const std::vector<Attribute>& attributes) {
  for (const Attribute& attribute : attributes) {
    Note("", word, " ", QuoteText(attribute.key), " = ",
         QuoteText(attribute.value));
  }
}

void Disassembler::PrintHeader() {
  Line("vm.module ", Symbol(def_.name), " version ", def_.version);
  if (def_.bytecode_version != std::end(kBytecodeVersions) - 1 ||
      def_.bytecode_minor != 0) {
    Note("bytecode ", def_.bytecode_version->decoded_major, ".",
         def_.bytecode_minor);
  }
  if (def_.requirements != all_needs_.requirements) {
    Note("requires ", FeaturesToString(def_.requirements));
  }
  if (def_.archive().is_zip()) Note("archive zip");
  PrintAttributes("attr", def_.attributes);
  for (const DependencyDef& dependency : def_.dependencies) {
    Note("depends ", dependency.optional ? "optional " : "",
         SymbolText(dependency.name), " version ", dependency.minimum_version);
  }
}

void Disassembler::PrintTypes() {
  absl::flat_hash_set<absl::string_view> seen;
  for (absl::string_view type : def_.types) {
    if (seen.insert(type).second) Line("vm.type ", TypeText(type));
  }
}

void Disassembler::PrintImports() {
  for (const ImportDef& import : def_.imports) {
    Line("vm.import ", import.optional ? "optional " : "",
         Symbol(import.full_name), " cconv ",
         QuoteText(import.calling_convention));
    PrintAttributes("import.attr", import.attributes);
  }
}

void Disassembler::PrintBytes(std::span<const uint8_t> bytes) {
  constexpr size_t kPieceBytes = size_t{1} << 14;
  while (!bytes.empty() && text_.ok()) {
    const auto piece = bytes.first(std::min(bytes.size(), kPieceBytes));
    text_.Add(absl::AsciiStrToUpper(absl::BytesToHexString(absl::string_view(
        reinterpret_cast<const char*>(piece.data()), piece.size()))));
    bytes = bytes.subspan(piece.size());
  }
}

absl::Status Disassembler::PrintRodata() {
  for (size_t i = 0; i < def_.rodata.size() && text_.ok(); ++i) {
    const RodataDef& rodata = def_.rodata[i];
    const std::span<const uint8_t> bytes = rodata.bytes;
    text_.Add("vm.rodata[", i, "] = ");
    if (options_.store && bytes.size() > options_.inline_bytes) {
      ASSIGN_OR_RETURN(const std::string name, options_.store(i, bytes));
      Line("file ", QuoteText(name), "  // ", bytes.size(), "b");
    } else {
      PrintBytes(bytes);
      Line(HasNotes() ? Preview(bytes) : "");
    }
    if (!rodata.external) continue;
    Note("rodata.external",
         rodata.member_name.empty()
             ? std::string()
             : absl::StrCat(" ", QuoteText(rodata.member_name)));
  }
  return absl::OkStatus();
}

bool Disassembler::LocationsFit() {
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < def_.location_count() && bytes <= most_; ++i) {
    bytes += TextOf(*debug_, i).size();
  }
  return text_.Fits(bytes);
}

void Disassembler::PrintLocations() {
  for (uint32_t i = 0; i < def_.location_count() && text_.ok(); ++i) {
    PrintLocation(i);
  }
}

void Disassembler::PrintLocation(uint32_t i) {
  // Only earlier entries are valid; others are printed as none.
  const auto earlier = [i](int32_t place) {
    return place >= 0 && static_cast<uint32_t>(place) < i ? place : kNoPlace;
  };
  const auto get = [&]<typename T>() -> const T& {
    return *debug_->locations()->GetAs<T>(i);
  };
  const absl::string_view text = TextOf(*debug_, i);
  if (!text_.Fits(text.size())) return;
  switch (KindOf(*debug_, i)) {
    case fbs::Location::FileLocation: {
      const auto& file = get.operator()<fbs::FileLocation>();
      return Note("loc[", i, "] = ", QuoteText(text), ":", file.line(), ":",
                  file.column());
    }
    case fbs::Location::NamedLocation: {
      const auto& named = get.operator()<fbs::NamedLocation>();
      return Note("loc[", i, "] = name ", QuoteText(text), " loc[",
                  earlier(named.child()), "]");
    }
    case fbs::Location::CallSiteLocation: {
      const auto& call = get.operator()<fbs::CallSiteLocation>();
      return Note("loc[", i, "] = call loc[", earlier(call.callee()),
                  "] from loc[", earlier(call.caller()), "]");
    }
    case fbs::Location::FusedLocation: {
      const auto& fused = get.operator()<fbs::FusedLocation>();
      const uint32_t count =
          fused.locations() == nullptr ? 0 : fused.locations()->size();
      text_.Add(
          "//! loc[", i, "] = fused",
          fused.metadata() == nullptr ? "" : absl::StrCat(" ", QuoteText(text)),
          " [");
      for (uint32_t j = 0; j < count && text_.ok(); ++j) {
        text_.Add(j == 0 ? "" : ", ", earlier(fused.locations()->Get(j)));
      }
      return Line("]");
    }
    default:
      return Note("loc[", i, "] = none");
  }
}

void Disassembler::PrintState() {
  if (def_.global_bytes == all_needs_.global_bytes &&
      def_.global_refs == all_needs_.global_refs) {
    return;
  }
  Note("globals ", def_.global_bytes, " bytes, ", def_.global_refs, " refs");
}

void Disassembler::PrintExport(const ExportDef& exported) {
  const absl::string_view name = names_.function(exported.function);
  if (exported.name == name) {
    Line("vm.export ", Symbol(name));
  } else {
    Line("vm.export ", Symbol(exported.name), " = ", Symbol(name));
  }
}

void Disassembler::PrintExports(uint32_t function) {
  for (const ExportDef* exported : names_.exports(function)) {
    PrintExport(*exported);
  }
}

LocationList Disassembler::LocationsOf(uint32_t function) const {
  LocationList at;
  // An entry applies from its offset on. One inside an instruction applies to
  // the next, unless that has its own.
  const auto entries = def_.LocationsOf(function);
  const std::span<const uint8_t> code = def_.functions[function].bytecode;
  size_t next = 0;
  for (uint32_t pc = 0; pc < code.size() && next < entries.size();) {
    const size_t before = next;
    while (next < entries.size() && entries[next].first <= pc) ++next;
    if (next != before) at.emplace_back(pc, entries[next - 1].second);
    Decode(code, pc);
  }
  return at;
}

void Disassembler::PrintFunction(uint32_t function, CodePrinter& printer) {
  const FunctionDef& def = def_.functions[function];
  Line();
  if (names_.exports_ascend()) PrintExports(function);
  PrintAttributes("func.attr", def.attributes);
  if (!def.debug_name.empty()) {
    Note("func.name ", QuoteText(def.debug_name));
  }
  const CallingConvention& signature = module_.signature(function);
  if (def.calling_convention != signature.ToString()) {
    Note("func.cconv ", QuoteText(def.calling_convention));
  }
  const FrameNeeds& needs = needs_[function];
  if (def.requirements != needs.requirements) {
    Note("func.requires ", FeaturesToString(def.requirements));
  }
  if (def.declared_i32_count != needs.i32_registers ||
      def.declared_ref_count != needs.ref_registers) {
    Note("func.registers ", def.declared_i32_count, " i32, ",
         def.declared_ref_count, " ref");
  }
  Line("vm.func ", Symbol(names_.function(function)), SignatureText(signature),
       " {");
  printer.Print(function, HasNotes() ? LocationsOf(function) : LocationList(),
                options_.offsets, text_);
  Line("}");
}

absl::StatusOr<size_t> Disassembler::FindFunction() const {
  if (options_.function.empty()) return std::string::npos;
  const size_t count = def_.functions.size();
  for (uint32_t i = 0; i < count; ++i) {
    if (names_.function(i) == options_.function) return i;
  }
  size_t ordinal = 0;
  if (absl::SimpleAtoi(options_.function, &ordinal) && ordinal < count) {
    return ordinal;
  }
  if (const ExportDef* exported = def_.FindExport(options_.function)) {
    return exported->function;
  }
  const std::vector<std::string> names(names_.all().begin(),
                                       names_.all().end());
  return absl::NotFoundError(
      absl::StrCat("The module has no function '", PlainName(options_.function),
                   "'.", PlainText(DidYouMean(options_.function, names), 256)));
}

absl::Status Disassembler::PrintTables() {
  PrintHeader();
  PrintTypes();
  PrintImports();
  RETURN_IF_ERROR(PrintRodata());
  PrintState();
  if (HasNotes()) PrintLocations();
  if (names_.exports_ascend()) return absl::OkStatus();
  Line();
  absl::flat_hash_set<absl::string_view> seen;
  for (const ExportDef& exported : def_.exports) {
    if (seen.insert(exported.name).second) PrintExport(exported);
  }
  return absl::OkStatus();
}

absl::Status Disassembler::Print() {
  CountNeeds();
  ASSIGN_OR_RETURN(const size_t only, FindFunction());
  if (!options_.only_functions) {
    if (HasNotes() && !LocationsFit()) return TooLong();
    RETURN_IF_ERROR(PrintTables());
  }
  CodePrinter printer(def_, names_.callees(),
                      options_.text != AssemblyText::kPublic);
  for (uint32_t i = 0; i < def_.functions.size() && text_.ok(); ++i) {
    if (only == std::string::npos || i == only) PrintFunction(i, printer);
  }
  RETURN_IF_ERROR(text_.Finish());
  return text_.is_too_long() ? TooLong() : absl::OkStatus();
}

}  // namespace

absl::Status Disassemble(const VerifiedModule& module,
                         const DisassemblyOptions& options, TextSink sink) {
  return Disassembler(module, options, sink).Print();
}

absl::StatusOr<std::string> Disassemble(const VerifiedModule& module,
                                        const DisassemblyOptions& options) {
  std::string text;
  const auto collect = [&text](absl::string_view piece) {
    absl::StrAppend(&text, piece);
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(Disassemble(module, options, collect));
  return text;
}

}  // namespace eyrie::vm
