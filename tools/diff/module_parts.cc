// Uses the readers of `eyrie inspect` and `eyrie dump`.
#include "tools/diff/module_parts.h"

#include <optional>
#include <set>
#include <utility>

#include "abi/call/describe_executable.h"
#include "abi/call/host_imports.h"
#include "abi/needs/module_facts.h"
#include "abi/signature/signature_reader.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/checked_math.h"
#include "base/counted.h"
#include "base/sha256.h"
#include "base/status_macros.h"
#include "tools/module_text.h"
#include "vm/asm/function_texts.h"
#include "vm/isa/version.h"

namespace eyrie::tools {
namespace {

constexpr size_t kHashDigits = 32;
constexpr uint64_t kMaxReads = 4;  // of each byte of a file

// Returns the first digits that sha256sum prints.
std::string HashText(std::span<const uint8_t> bytes) {
  const auto hash = Sha256(bytes);
  return absl::BytesToHexString(
             absl::string_view(reinterpret_cast<const char*>(hash.data()),
                               hash.size()))
      .substr(0, kHashDigits);
}

std::string BytesText(uint64_t bytes) { return Counted(bytes, "byte"); }

class PartsReader {
 public:
  explicit PartsReader(const vm::VerifiedModule& module)
      : module_(module),
        def_(module.def()),
        facts_(abi::ReadModuleFacts(module)) {}

  absl::StatusOr<ModuleParts> Read() {
    RETURN_IF_ERROR(HashConstants());
    ReadHeader();
    ReadTables();
    ReadImports();
    ReadExports();
    RETURN_IF_ERROR(ReadFunctions());
    ReadConstants();
    RETURN_IF_ERROR(ReadExecutables());
    ReadNeeds();
    return std::move(parts_);
  }

 private:
  Section& NewSection(const char* name) {
    return parts_.sections.emplace_back(Section{name, {}});
  }
  // Counts bytes that are read besides the tables. Many constants may be the
  // same bytes of the file.
  absl::Status TakeBytes(uint64_t bytes) {
    read_ = CheckedAdd(read_, bytes).value_or(UINT64_MAX);
    if (read_ <= kMaxReads * def_.archive().bytes().size()) {
      return absl::OkStatus();
    }
    return absl::ResourceExhaustedError(
        absl::StrCat("The constants of '", def_.archive().name(),
                     "' are the same bytes too often: together they have more "
                     "than ",
                     kMaxReads, " times the bytes of the file."));
  }

  absl::Status HashConstants();
  void ReadHeader();
  void ReadTables();
  void ReadImports();
  void ReadExports();
  absl::Status ReadFunctions();
  Item FunctionItem(const vm::FunctionText& text) const;
  void ReadConstants();
  absl::Status ReadExecutables();
  absl::StatusOr<Item> ExecutableItem(const abi::ExecutableUse& use);
  void ReadNeeds();

  const vm::VerifiedModule& module_;
  const vm::ModuleDef& def_;
  const abi::ModuleFacts facts_;
  uint64_t read_ = 0;
  std::vector<std::string> hashes_;  // of constants
  std::set<uint32_t> executables_;   // the constants that are executables
  ModuleParts parts_;
};

// Constants are named by their hashes, but executables by their order: code
// does not differ only because an executable does.
absl::Status PartsReader::HashConstants() {
  for (const vm::RodataDef& rodata : def_.rodata) {
    RETURN_IF_ERROR(TakeBytes(rodata.bytes.size()));
    hashes_.push_back(HashText(rodata.bytes));
  }
  parts_.constants = hashes_;
  for (const abi::ExecutableUse& use : facts_.executables) {
    if (!use.rodata.has_value() || !executables_.insert(*use.rodata).second) {
      continue;
    }
    parts_.constants[*use.rodata] =
        absl::StrCat("executable_", executables_.size() - 1);
  }
  return absl::OkStatus();
}

void PartsReader::ReadHeader() {
  const vm::ReleaseRange releases = abi::ReleasesOf(def_);
  std::vector<Item>& items = NewSection("module").items;
  const auto add = [&items](const char* name, const auto&... value) {
    items.push_back({name, {{kValue, absl::StrCat(value...)}}});
  };
  add("name", def_.name);
  add("version", def_.version);
  add("compiled by", "iree-compile ", releases.ToString());
  add("bytecode", def_.bytecode_major, ".", def_.bytecode_minor);
  add("requires", vm::FeaturesToString(def_.requirements));
  add("container", def_.archive().is_zip() ? "ZIP" : "FlatBuffer");
  add("debug information", def_.has_debug_database() ? "yes" : "no");
  add("globals", BytesText(def_.global_bytes), " and ",
      Counted(def_.global_refs, "reference"));
}

void PartsReader::ReadTables() {
  Section& attributes = NewSection("attributes");
  for (const vm::Attribute& attribute : def_.attributes) {
    attributes.items.push_back(
        {std::string(attribute.key), {{kValue, std::string(attribute.value)}}});
  }
  Section& dependencies = NewSection("dependencies");
  for (const vm::DependencyDef& dependency : def_.dependencies) {
    dependencies.items.push_back(
        {std::string(dependency.name),
         {{"version", absl::StrCat(dependency.minimum_version, " or later",
                                   dependency.optional ? ", optional" : "")}}});
  }
  Section& types = NewSection("types");
  const std::set<absl::string_view> names(def_.types.begin(), def_.types.end());
  for (const absl::string_view name : names) {
    types.items.push_back({std::string(name), {}});
  }
}

void PartsReader::ReadImports() {
  Section& imports = NewSection("imports");
  for (const vm::ImportDef& import : def_.imports) {
    Item& item = imports.items.emplace_back();
    item.name = std::string(import.full_name);
    item.properties.push_back(
        {"signature", absl::StrCat(SignatureText(import.calling_convention),
                                   import.optional ? ", optional" : "")});
    for (const vm::Attribute& attribute : import.attributes) {
      item.properties.push_back({absl::StrCat("attribute ", attribute.key),
                                 std::string(attribute.value)});
    }
  }
}

// An export's attributes are those of its function.
void PartsReader::ReadExports() {
  Section& exports = NewSection("exports");
  abi::ExportSignatures signatures(def_, &module_);
  for (const vm::ExportDef& exported : def_.exports) {
    const vm::FunctionDef& function = def_.functions[exported.function];
    Item& item = exports.items.emplace_back();
    item.name = std::string(exported.name);
    const auto signature = signatures.Of(exported);
    item.properties.push_back(
        {"signature", signature.ok()
                          ? signature->ToString()
                          : std::string(signature.status().message())});
    for (const vm::Attribute& attribute : function.attributes) {
      item.properties.push_back({absl::StrCat("reflection ", attribute.key),
                                 std::string(attribute.value)});
    }
  }
}

Item PartsReader::FunctionItem(const vm::FunctionText& text) const {
  const vm::FunctionDef& function = def_.functions[text.function];
  Item item{std::string(text.name), {}};
  item.properties.push_back(
      {"signature", SignatureText(function.calling_convention)});
  item.properties.push_back(
      {kCode, absl::StrCat(
                  Counted(text.instructions, "instruction"), ", ",
                  HashText({reinterpret_cast<const uint8_t*>(text.text.data()),
                            text.text.size()}))});
  item.properties.push_back(
      {"registers", absl::StrCat(function.declared_i32_count, " i32, ",
                                 function.declared_ref_count, " ref")});
  item.properties.push_back(
      {"requires", vm::FeaturesToString(function.requirements)});
  if (!function.export_name.empty()) return item;
  for (const vm::Attribute& attribute : function.attributes) {
    item.properties.push_back({absl::StrCat("reflection ", attribute.key),
                               std::string(attribute.value)});
  }
  return item;
}

absl::Status PartsReader::ReadFunctions() {
  Section& functions = NewSection(kFunctions);
  return vm::VisitFunctionTexts(
      module_, parts_.constants,
      [this, &functions](const vm::FunctionText& text) {
        functions.items.push_back(FunctionItem(text));
      });
}

void PartsReader::ReadConstants() {
  Section& constants = NewSection("constants");
  for (uint32_t i = 0; i < def_.rodata.size(); ++i) {
    if (executables_.contains(i)) continue;
    constants.items.push_back(
        {hashes_[i], {{"size", BytesText(def_.rodata[i].bytes.size())}}});
  }
}

// Returns "3 bindings, 0 constants, workgroups of 1x1x1".
std::string KernelText(const hal::KernelFacts& kernel) {
  std::string text;
  if (kernel.binding_count && kernel.constant_count) {
    absl::StrAppend(&text, Counted(*kernel.binding_count, "binding"), ", ",
                    Counted(*kernel.constant_count, "constant"), ", ");
  }
  const auto& size = kernel.workgroup_size;
  absl::StrAppend(&text, "workgroups of ", size[0], "x", size[1], "x", size[2]);
  if (kernel.local_memory != 0) {
    absl::StrAppend(&text, ", ", BytesText(kernel.local_memory),
                    " of local memory");
  }
  return text;
}

absl::StatusOr<Item> PartsReader::ExecutableItem(
    const abi::ExecutableUse& use) {
  Item item{use.format, {}};
  if (!use.rodata.has_value()) {
    item.properties.push_back({"size", "known only at run time"});
    return item;
  }
  const auto bytes = def_.rodata[*use.rodata].bytes;
  RETURN_IF_ERROR(TakeBytes(bytes.size()));
  item.properties.push_back({"size", BytesText(bytes.size())});
  item.properties.push_back({"hash", hashes_[*use.rodata]});
  const auto facts = abi::DescribeExecutable(use.format, bytes);
  if (!facts.ok()) return item;
  if (!facts->name.empty()) absl::StrAppend(&item.name, " ", facts->name);
  if (!facts->uses.empty()) item.properties.push_back({"uses", facts->uses});
  for (size_t i = 0; i < facts->kernels.size(); ++i) {
    const hal::KernelFacts& kernel = facts->kernels[i];
    item.properties.push_back({kernel.name.empty()
                                   ? absl::StrCat("entry point ", i)
                                   : absl::StrCat("entry point ", kernel.name),
                               KernelText(kernel)});
  }
  return item;
}

absl::Status PartsReader::ReadExecutables() {
  Section& executables = NewSection("executables");
  // Several devices may create the same executable.
  std::set<std::pair<std::string, std::optional<uint32_t>>> seen;
  for (const abi::ExecutableUse& use : facts_.executables) {
    if (!seen.emplace(use.format, use.rodata).second) continue;
    ASSIGN_OR_RETURN(Item item, ExecutableItem(use));
    executables.items.push_back(std::move(item));
  }
  return absl::OkStatus();
}

void PartsReader::ReadNeeds() {
  Section& devices = NewSection("device queries");
  for (const abi::DeviceQuery& query : facts_.queries) {
    devices.items.push_back({absl::StrCat(query.category, " ", query.key), {}});
  }
  Section& parameters = NewSection("parameters");
  for (const abi::ParameterUse& parameter : facts_.parameters) {
    parameters.items.push_back(
        {parameter.scope.empty()
             ? parameter.key
             : absl::StrCat(parameter.scope, "::", parameter.key),
         {{"least size", BytesText(parameter.bytes)}}});
  }
  if (facts_.unknown_parameters == 0) return;
  parameters.items.push_back(
      {"(names known only at run time)",
       {{"places", absl::StrCat(facts_.unknown_parameters)}}});
}

}  // namespace

absl::StatusOr<ModuleParts> ReadModuleParts(const vm::VerifiedModule& module) {
  return PartsReader(module).Read();
}

}  // namespace eyrie::tools
