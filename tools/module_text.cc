// A module's metadata as text.
#include "tools/module_text.h"

#include <algorithm>
#include <vector>

#include "abi/signature/signature.h"
#include "abi/signature/signature_reader.h"
#include "abi/signature/structures.h"
#include "abi/signature/user_exports.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/plain_text.h"
#include "vm/isa/callconv.h"
#include "vm/isa/version.h"

namespace eyrie::tools {
namespace {

constexpr size_t kRuleWidth = 110;
constexpr size_t kPreviewLength = 32;
constexpr uint64_t kBytesPerRef = 16;  // what the text has always counted

const char* TypeText(vm::ValueType type) {
  return type == vm::ValueType::kRef ? "!vm.ref<?>" : vm::NameOf(type);
}

std::string ListText(const std::vector<vm::CallElement>& elements) {
  std::vector<std::string> texts;
  for (const vm::CallElement& element : elements) {
    std::vector<std::string> types;
    for (vm::ValueType type : element.types) types.push_back(TypeText(type));
    std::string joined = absl::StrJoin(types, ", ");
    if (element.variadic) joined = absl::StrCat("tuple<", joined, ">...");
    texts.push_back(std::move(joined));
  }
  return absl::StrJoin(texts, ", ");
}

// Maximum bytes of a line, and of a value from the file.
constexpr size_t kMaxText = size_t{1} << 16;

// Returns a name or value from the file, escaped as a part of a line.
std::string Plain(absl::string_view text) { return PlainText(text, kMaxText); }

class Writer {
 public:
  Writer(const vm::ModuleDef& module, TextStream& to)
      : module_(module), to_(to) {}

  void Write() {
    Section(
        absl::StrCat("@", Plain(module_.name), " : version ", module_.version));
    WriteHeader();
    WriteImports();
    WriteExports();
    Section("Sections");
    WriteState();
    WriteRodata();
    Section(absl::StrCat("Bytecode : version ", module_.bytecode_minor));
    WriteFunctions();
    WriteDebug();
  }

 private:
  template <typename... Args>
  void Add(const Args&... args) {
    to_.Add(args...);
  }

  void Title(absl::string_view title) {
    const std::string rule =
        absl::StrCat("//===", std::string(kRuleWidth, '-'), "===//\n");
    Add(rule, "// ", title, "\n", rule);
  }
  void Section(absl::string_view title) {
    Title(title);
    Add("\n");
  }

  void WriteAttributes(const std::vector<vm::Attribute>& attributes,
                       absl::string_view indent) {
    for (const vm::Attribute& attribute : attributes) {
      Add(indent, Plain(attribute.key), ": ", Plain(attribute.value), "\n");
    }
  }

  // Two features have names. Others are printed as a number, as before.
  std::string Features(uint32_t bits) const {
    std::vector<std::string> texts;
    if (bits & vm::kFeatureF32) texts.push_back("EXT_F32");
    if (bits & vm::kFeatureF64) texts.push_back("EXT_F64");
    bits &= ~(vm::kFeatureF32 | vm::kFeatureF64);
    if (bits) texts.push_back(absl::StrFormat("%08X", bits));
    return absl::StrJoin(texts, " | ");
  }

  void WriteHeader() {
    if (module_.requirements) {
      Add("Requirements: ", Features(module_.requirements), "\n\n");
    }
    if (!module_.attributes.empty()) {
      Add("Attributes:\n");
      WriteAttributes(module_.attributes, "  ");
      Add("\n");
    }
    if (!module_.types.empty()) {
      Add("Required Types:\n");
      for (size_t i = 0; i < module_.types.size(); ++i) {
        Add(absl::StrFormat("  [%3d] ", i), Plain(module_.types[i]), "\n");
      }
      Add("\n");
    }
    if (module_.dependencies.empty()) return;
    Add("Module Dependencies:\n");
    for (const vm::DependencyDef& dependency : module_.dependencies) {
      Add("  ", Plain(dependency.name),
          ", version >= ", dependency.minimum_version, ", ",
          dependency.optional ? "optional" : "required", "\n");
    }
    Add("\n");
  }

  void WriteImports() {
    if (module_.imports.empty()) return;
    Add("Imported Functions:\n");
    for (size_t i = 0; i < module_.imports.size(); ++i) {
      const vm::ImportDef& import = module_.imports[i];
      Add(absl::StrFormat("  [%3d] ", i), import.optional ? "?" : "",
          Plain(import.full_name), SignatureText(import.calling_convention),
          "\n");
      WriteAttributes(import.attributes, "        ");
    }
    Add("\n");
  }

  void WriteExports() {
    if (module_.exports.empty()) return;
    Add("Exported Functions:\n");
    for (size_t i = 0; i < module_.exports.size(); ++i) {
      const vm::ExportDef& exported = module_.exports[i];
      const vm::FunctionDef& function = module_.functions[exported.function];
      Add(absl::StrFormat("  [%3d] ", i), Plain(exported.name),
          SignatureText(function.calling_convention), "\n");
      WriteAttributes(function.attributes, "        ");
    }
    Add("\n");
  }

  void WriteState() {
    const uint64_t refs = module_.global_refs;
    if (module_.global_bytes == 0 && refs == 0) return;
    Add("Module State:\n  ", module_.global_bytes, " bytes, ", refs, " refs, ~",
        module_.global_bytes + refs * kBytesPerRef, " bytes total\n\n");
  }

  // Returns the text up to the first NUL, if all of it is printable.
  std::string Preview(std::span<const uint8_t> bytes) const {
    absl::string_view text(reinterpret_cast<const char*>(bytes.data()),
                           bytes.size());
    text = text.substr(0, text.find('\0'));
    const auto printable = [](char c) { return absl::ascii_isprint(c); };
    if (!std::all_of(text.begin(), text.end(), printable)) return "";
    return absl::StrCat(" `", text.substr(0, kPreviewLength), "`",
                        text.size() >= kPreviewLength ? "..." : "");
  }

  void WriteRodata() {
    const vm::Archive& archive = module_.archive();
    constexpr size_t kSizePrefix = 4;
    Add("FlatBuffer: ", archive.flatbuffer().size() - kSizePrefix,
        " bytes\n  Bytecode: ", module_.bytecode.size(), " bytes\n");
    uint64_t external = 0;
    for (size_t i = 0; i < module_.rodata.size(); ++i) {
      const vm::RodataDef& rodata = module_.rodata[i];
      const size_t size = rodata.bytes.size();
      if (!rodata.external) {
        Add(absl::StrFormat("  .rodata[%3d] embedded %8d bytes", i, size),
            Preview(rodata.bytes), "\n");
        continue;
      }
      const uint64_t offset = rodata.file_offset - archive.rodata_base();
      external += size;
      Add(
          absl::StrFormat("  .rodata[%3d] external %8d bytes "
                          "(offset %d / %Xh to %Xh)\n",
                          i, size, offset, offset, offset + size));
    }
    Add("\n");
    if (external) Add("External .rodata: ~", external, " bytes\n\n");
  }

  void WriteFunctions() {
    Add("  # | Offset   |   Length | Blocks | i32 # | ref # | Requirements | "
        "Aliases\n",
        "----+----------+----------+--------+-------+-------+--------------+",
        std::string(53, '-'), "\n");
    std::vector<const vm::ExportDef*> exports;
    for (const vm::ExportDef& exported : module_.exports) {
      exports.push_back(&exported);
    }
    std::stable_sort(
        exports.begin(), exports.end(),
        [](const auto* a, const auto* b) { return a->function < b->function; });
    auto alias = exports.begin();
    for (size_t i = 0; i < module_.functions.size(); ++i) {
      const vm::FunctionDef& function = module_.functions[i];
      Add(absl::StrFormat("%3d | %08X | %8d | %6d | %5d | %5d | %-12s | ", i,
                          function.bytecode_offset, function.bytecode.size(),
                          function.block_count, function.declared_i32_count,
                          function.declared_ref_count,
                          Features(function.requirements)));
      for (bool first = true; alias != exports.end() && (*alias)->function == i;
           ++alias, first = false) {
        Add(first ? "" : ", ", Plain((*alias)->name));
      }
      Add("\n");
    }
    Add("\n");
  }

  void WriteDebug() {
    if (!module_.has_debug_database()) return;
    Title("Debug Information");
    Add("// NOTE: debug databases are large and should be stripped in deployed "
        "artifacts.\n\nLocations: ",
        module_.location_count(), "\n\n");
  }

  const vm::ModuleDef& module_;
  TextStream& to_;
};

}  // namespace

std::string SignatureText(absl::string_view calling_convention) {
  const auto parsed = vm::CallingConvention::Parse(calling_convention);
  if (!parsed.ok()) return absl::StrCat("(", Plain(calling_convention), ")");
  return absl::StrCat("(", ListText(parsed->arguments()), ") -> (",
                      ListText(parsed->results()), ")");
}

std::string SignaturesText(const vm::ModuleDef& module,
                           const vm::VerifiedModule* verified,
                           absl::string_view only) {
  std::string text;
  const auto add = [&text](const auto&... parts) {
    absl::StrAppend(&text, Plain(absl::StrCat(parts...)), "\n");
  };
  std::vector<const vm::ExportDef*> shown;
  if (only.empty()) {
    const auto exports = abi::UserExports(module);
    if (!exports.ok()) return absl::StrCat(exports.status().message(), "\n");
    for (const uint32_t i : *exports) {
      shown.push_back(&module.exports[i]);
    }
  } else if (const vm::ExportDef* exported = module.FindExport(only)) {
    shown.push_back(exported);
  }
  abi::ExportSignatures signatures(module, verified);
  for (const vm::ExportDef* exported : shown) {
    const absl::string_view name = exported->name;
    const vm::FunctionDef& function = module.functions[exported->function];
    if (!vm::CallingConvention::Parse(function.calling_convention).ok()) {
      continue;
    }
    const auto signature = signatures.Of(*exported);
    if (!signature.ok()) {
      add(name, SignatureText(function.calling_convention));
      add("    ", signature.status().message());
      continue;
    }
    add(signature->ToString(), "  [", signature->source_name(), "]");
    const abi::StructuredCall* structured = signature->structured();
    const abi::RawCall* raw =
        structured ? structured->flat->raw() : signature->raw();
    if (raw != nullptr) add("    f: ", raw->signature.ToString());
    for (const absl::string_view line :
         absl::StrSplit(signature->doc(), '\n', absl::SkipEmpty())) {
      add("    ", line);
    }
  }
  return text;
}

void PrintMetadata(const vm::ModuleDef& module, TextStream& to) {
  Writer(module, to).Write();
}

}  // namespace eyrie::tools
