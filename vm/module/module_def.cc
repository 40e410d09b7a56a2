// Decodes the module's FlatBuffer.
#include "vm/module/module_def.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/allocate.h"
#include "base/checked_math.h"
#include "base/optional_field.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "flatbuffers/flatbuffers.h"
#include "vm/isa/operand.h"
#include "vm/module/module_generated.h"
#include "vm/module/module_growth.h"
#include "vm/module/module_tables.h"
#include "vm/module/older_code.h"

namespace eyrie::vm {
namespace {

constexpr uint32_t kOptionalFlag = 1u << 1;

// Up to this many exports are searched one after the other.
constexpr size_t kFewExports = 16;

absl::Status ReadAttributes(
    const flatbuffers::Vector<flatbuffers::Offset<fbs::Attr>>* list,
    std::vector<Attribute>& attributes) {
  RETURN_IF_ERROR(Reserve(attributes, Size(list), "a module's attributes"));
  for (uint32_t i = 0; i < Size(list); ++i) {
    const fbs::Attr* attr = list->Get(i);
    attributes.push_back({View(attr->key()), View(attr->value())});
  }
  return absl::OkStatus();
}

absl::Status ReadSignature(const fbs::Signature& from, FunctionDef& function) {
  function.calling_convention = View(from.calling_convention());
  return ReadAttributes(from.attrs(), function.attributes);
}

absl::Status Unnamed(absl::string_view what, uint32_t index) {
  return absl::InvalidArgumentError(
      absl::StrCat("The module's ", what, " ", index, " has no name."));
}

absl::Status CheckFeatures(uint32_t features, absl::string_view whose) {
  if ((features & ~kKnownFeatures) == 0) return absl::OkStatus();
  return absl::UnimplementedError(
      absl::StrCat(whose, " requires the features ", FeaturesToString(features),
                   "; known are ", FeaturesToString(kKnownFeatures), "."));
}

absl::Status CheckRegisterCounts(const FunctionDef& function,
                                 absl::string_view where) {
  if (function.i32_register_count <= kMaxI32Registers &&
      function.ref_register_count <= kMaxRefRegisters) {
    return absl::OkStatus();
  }
  return absl::OutOfRangeError(absl::StrCat(
      where, " has ", function.i32_register_count, " i32 and ",
      function.ref_register_count, " ref registers; the limits are ",
      kMaxI32Registers, " and ", kMaxRefRegisters, "."));
}

// Reads everything but the signature. `bytecode` is the module's.
absl::StatusOr<FunctionDef> DecodeFunction(const fbs::Function& from,
                                           std::span<const uint8_t> bytecode,
                                           absl::string_view where) {
  RETURN_IF_ERROR(CheckFeatures(from.requirements(), where));
  const int32_t offset = from.bytecode_offset();
  const int32_t length = from.bytecode_length();
  if (offset < 0 || length <= 0 ||
      !RangeFits(offset, length, bytecode.size())) {
    return absl::OutOfRangeError(
        absl::StrCat(where, " has its bytecode at ", offset, ", of ", length,
                     " bytes; the module has ", bytecode.size(), " bytes."));
  }
  FunctionDef function;
  function.bytecode = bytecode.subspan(offset, length);
  if (reinterpret_cast<uintptr_t>(function.bytecode.data()) % 2 != 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        where, " has its bytecode at ", offset, ", an odd offset."));
  }
  function.bytecode_offset = static_cast<uint32_t>(offset);
  function.requirements = from.requirements();
  function.block_count = from.block_count();
  function.i32_register_count = from.i32_register_count();
  function.ref_register_count = from.ref_register_count();
  function.declared_i32_count = function.i32_register_count;
  function.declared_ref_count = function.ref_register_count;
  RETURN_IF_ERROR(CheckRegisterCounts(function, where));
  return function;
}

}  // namespace

absl::string_view ImportDef::module_name() const {
  return full_name.substr(0, full_name.find('.'));
}

absl::string_view ImportDef::local_name() const {
  return full_name.substr(full_name.find('.') + 1);
}

absl::StatusOr<ModuleDef> ModuleDef::Decode(
    std::shared_ptr<const Archive> archive) {
  ModuleDef def;
  def.archive_ = std::move(archive);
  auto decode = [&def]() -> absl::Status {
    ASSIGN_OR_RETURN(const ModuleTables module,
                     ModuleTables::Read(*def.archive_));
    RETURN_IF_ERROR(
        CheckModuleGrowth(module, def.archive_->flatbuffer().size()));
    RETURN_IF_ERROR(def.DecodeHeader(module));
    RETURN_IF_ERROR(def.DecodeImports(module));
    RETURN_IF_ERROR(def.DecodeFunctions(module));
    def.ReadDebugNames();
    RETURN_IF_ERROR(def.DecodeExports(module));
    RETURN_IF_ERROR(def.UpdateCode());
    RETURN_IF_ERROR(def.CheckConventions());
    RETURN_IF_ERROR(def.DecodeRodata(module));
    return def.DecodeState(module);
  };
  if (absl::Status status = decode(); !status.ok()) {
    return Annotate(status, absl::StrCat("(in ", def.archive_->name(), ")"));
  }
  return def;
}

absl::Status ModuleDef::DecodeHeader(const ModuleTables& module) {
  ASSIGN_OR_RETURN(bytecode_version,
                   FindBytecodeVersion(module.bytecode_version));
  bytecode_major = static_cast<uint16_t>(module.bytecode_version >> 16);
  bytecode_minor = static_cast<uint16_t>(module.bytecode_version);
  requirements = module.requirements;
  RETURN_IF_ERROR(CheckFeatures(requirements, "The module"));
  name = View(module.name);
  if (name.empty()) {
    return absl::InvalidArgumentError("The module has no name.");
  }
  version = module.version;
  RETURN_IF_ERROR(ReadAttributes(module.attrs, attributes));
  RETURN_IF_ERROR(Reserve(types, Size(module.types), "a module's types"));
  for (uint32_t i = 0; i < Size(module.types); ++i) {
    types.push_back(View(module.types->Get(i)->full_name()));
    if (types.back().empty()) return Unnamed("type", i);
  }
  RETURN_IF_ERROR(Reserve(dependencies, Size(module.dependencies),
                          "a module's dependencies"));
  for (uint32_t i = 0; i < Size(module.dependencies); ++i) {
    const fbs::Dependency* from = module.dependencies->Get(i);
    dependencies.push_back({View(from->name()), from->minimum_version(),
                            (from->flags() & kOptionalFlag) != 0});
    if (dependencies.back().name.empty()) return Unnamed("dependency", i);
  }
  debug_ = module.debug;
  return absl::OkStatus();
}

// Each convention is parsed separately, so limits texts that many functions
// share.
absl::Status ModuleDef::CheckConventions() const {
  uint64_t total = 0;
  for (const ImportDef& import : imports) {
    total += import.calling_convention.size();
  }
  for (const FunctionDef& function : functions) {
    total += function.calling_convention.size();
  }
  if (total <= archive_->flatbuffer().size()) return absl::OkStatus();
  return absl::UnimplementedError(
      absl::StrCat("The module's calling conventions have ", total,
                   " letters, more than the FlatBuffer has bytes (",
                   archive_->flatbuffer().size(), "): functions share them."));
}

absl::Status ModuleDef::DecodeImports(const ModuleTables& module) {
  RETURN_IF_ERROR(Reserve(imports, Size(module.imports), "a module's imports"));
  for (uint32_t i = 0; i < Size(module.imports); ++i) {
    const fbs::Import* from = module.imports->Get(i);
    ImportDef import = {
        View(from->full_name()), {}, (from->flags() & kOptionalFlag) != 0, {}};
    if (import.full_name.empty()) return Unnamed("import", i);
    if (import.full_name.find('.') == absl::string_view::npos) {
      return absl::InvalidArgumentError(
          absl::StrCat("Import ", i, ", ", PlainName(import.full_name),
                       ", does not name its module."));
    }
    if (const fbs::Signature* signature = from->signature()) {
      import.calling_convention = View(signature->calling_convention());
      RETURN_IF_ERROR(ReadAttributes(signature->attrs(), import.attributes));
    }
    imports.push_back(std::move(import));
  }
  return absl::OkStatus();
}

absl::Status ModuleDef::DecodeFunctions(const ModuleTables& module) {
  if (module.bytecode != nullptr) {
    bytecode = {module.bytecode->data(), module.bytecode->size()};
  }
  const uint32_t count = module.function_count();
  if (module.older_functions == nullptr && Size(module.signatures) != count) {
    return absl::InvalidArgumentError(
        absl::StrCat("The module has ", Size(module.signatures),
                     " signatures for ", count, " functions."));
  }
  uint64_t bytes_left = bytecode.size();
  RETURN_IF_ERROR(Reserve(functions, count, "a module's functions"));
  for (uint32_t i = 0; i < count; ++i) {
    const std::string where = absl::StrCat("Function ", i);
    ASSIGN_OR_RETURN(FunctionDef function,
                     DecodeFunction(module.function_at(i), bytecode, where));
    // Each function is verified separately, so their bytecode must not overlap.
    if (function.bytecode.size() > bytes_left) {
      return absl::UnimplementedError(absl::StrCat(
          where,
          " shares its bytecode with others: together the functions "
          "have more than the module's ",
          bytecode.size(), " bytes."));
    }
    bytes_left -= function.bytecode.size();
    if (module.signatures != nullptr) {
      RETURN_IF_ERROR(ReadSignature(*module.signatures->Get(i), function));
    }
    functions.push_back(std::move(function));
  }
  return absl::OkStatus();
}

// Source maps are in the order of functions. Compilers from 3.11 on write all
// of them to index 0, so that only the last function's is left.
void ModuleDef::ReadDebugNames() {
  if (debug_ == nullptr) return;
  one_source_map_ = functions.size() > 1 && Size(debug_->functions()) == 1;
  for (uint32_t i = 0; i < functions.size(); ++i) {
    if (std::optional<uint32_t> map = SourceMapOf(i)) {
      functions[i].debug_name =
          View(debug_->functions()->Get(*map)->local_name());
    }
  }
}

std::optional<uint32_t> ModuleDef::SourceMapOf(uint32_t function) const {
  if (debug_ == nullptr || function >= functions.size()) return std::nullopt;
  if (one_source_map_) {
    if (function + 1 == functions.size()) return 0;
    return std::nullopt;
  }
  if (Size(debug_->functions()) != functions.size()) return std::nullopt;
  return function;
}

absl::Status ModuleDef::DecodeExports(const ModuleTables& module) {
  RETURN_IF_ERROR(
      Reserve(exports, module.export_count(), "a module's exports"));
  for (uint32_t i = 0; i < module.export_count(); ++i) {
    const ModuleTables::Export from = module.export_at(i);
    absl::string_view export_name = View(from.name);
    if (export_name.empty()) return Unnamed("export", i);
    const int32_t function = from.function;
    if (function < 0 || static_cast<size_t>(function) >= functions.size()) {
      return absl::OutOfRangeError(
          absl::StrCat("Export ", PlainName(export_name), " is function ",
                       function, "; the module has ", functions.size(), "."));
    }
    exports.push_back({export_name, static_cast<uint32_t>(function)});
    FunctionDef& exported = functions[function];
    if (!exported.export_name.empty()) continue;
    exported.export_name = export_name;
    if (from.signature == nullptr) continue;
    RETURN_IF_ERROR(ReadSignature(*from.signature, exported));
  }
  return IndexExports();
}

absl::Status ModuleDef::UpdateCode() {
  if (bytecode_version->decoded_major == bytecode_version->major) {
    return absl::OkStatus();
  }
  std::vector<OlderFunction> older;
  RETURN_IF_ERROR(Reserve(older, functions.size(), "a module's functions"));
  for (const FunctionDef& function : functions) {
    older.push_back({function.bytecode, function.i32_register_count});
  }
  ASSIGN_OR_RETURN(older_code_, RewriteOlderCode(older));
  bytecode = older_code_->bytecode;
  for (size_t i = 0; i < functions.size(); ++i) {
    FunctionDef& function = functions[i];
    const OlderCode::Function& rewritten = older_code_->functions[i];
    function.bytecode = bytecode.subspan(rewritten.offset, rewritten.size);
    function.bytecode_offset = rewritten.offset;
    function.requirements = rewritten.requirements;
    function.block_count = rewritten.block_count;
    function.i32_register_count = rewritten.i32_registers;
    function.declared_i32_count = rewritten.i32_registers;
    if (function.calling_convention.empty()) {
      function.calling_convention = rewritten.convention;
    }
    requirements |= function.requirements;
  }
  return absl::OkStatus();
}

absl::Status ModuleDef::IndexExports() {
  if (exports.size() <= kFewExports) return absl::OkStatus();
  RETURN_IF_ERROR(
      Reserve(by_name_, exports.size(), "the index of a module's exports"));
  for (uint32_t i = 0; i < exports.size(); ++i) by_name_.push_back(i);
  std::ranges::sort(by_name_, [&](uint32_t a, uint32_t b) {
    const int order = exports[a].name.compare(exports[b].name);
    return order < 0 || (order == 0 && a < b);
  });
  return absl::OkStatus();
}

absl::Status ModuleDef::DecodeRodata(const ModuleTables& module) {
  std::span<const uint8_t> file = archive_->bytes();
  RETURN_IF_ERROR(Reserve(rodata, Size(module.rodata), "a module's constants"));
  for (uint32_t i = 0; i < Size(module.rodata); ++i) {
    const fbs::Rodata* from = module.rodata->Get(i);
    if (from->compression_type() != fbs::Compression::NONE &&
        from->compression_type() != fbs::Compression::Uncompressed) {
      return absl::UnimplementedError(
          absl::StrCat("Constant ", i, " is compressed with method ",
                       static_cast<int>(from->compression_type()),
                       ", which is not supported."));
    }
    if (const auto* embedded = from->embedded()) {
      uint64_t offset = archive_->flatbuffer_offset() +
                        (embedded->data() - archive_->flatbuffer().data());
      rodata.push_back(
          {{embedded->data(), embedded->size()}, false, offset, {}});
      continue;
    }
    std::optional<uint64_t> offset =
        CheckedAdd<uint64_t>(archive_->rodata_base(), from->external_offset());
    uint64_t length = from->external_length();
    if (length == 0) {
      rodata.push_back({{}, true, offset.value_or(0), {}});
      continue;
    }
    if (!offset || !RangeFits(*offset, length, file.size())) {
      return absl::OutOfRangeError(absl::StrCat(
          "Constant ", i, " has ", length, " bytes at ",
          from->external_offset(), " after the module's FlatBuffer (",
          archive_->rodata_base(), "); the file has ", file.size(),
          ": it is cut short or damaged."));
    }
    rodata.push_back({file.subspan(*offset, length), true, *offset,
                      archive_->MemberAt(*offset)});
  }
  return absl::OkStatus();
}

absl::Status ModuleDef::DecodeState(const ModuleTables& module) {
  const fbs::State* state = module.state;
  if (state == nullptr) return absl::OkStatus();
  int32_t bytes = state->global_bytes();
  int32_t refs = state->global_refs();
  if (bytes < 0 || refs < 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "The module has ", bytes, " bytes and ", refs, " refs of globals."));
  }
  global_bytes = static_cast<uint32_t>(bytes);
  global_refs = static_cast<uint32_t>(refs);
  if (global_bytes > kMaxGlobalBytes || global_refs > kMaxGlobalRefs) {
    return absl::ResourceExhaustedError(
        absl::StrCat("The module has ", bytes, " bytes and ", refs,
                     " refs of globals; the limits are ", kMaxGlobalBytes,
                     " and ", kMaxGlobalRefs, "."));
  }
  return absl::OkStatus();
}

const ExportDef* ModuleDef::FindExport(absl::string_view export_name) const {
  if (!by_name_.empty()) {
    const auto found = std::ranges::lower_bound(
        by_name_, export_name, {},
        [&](uint32_t i) -> absl::string_view { return exports[i].name; });
    if (found == by_name_.end() || exports[*found].name != export_name) {
      return nullptr;
    }
    return &exports[*found];
  }
  for (const ExportDef& candidate : exports) {
    if (candidate.name == export_name) return &candidate;
  }
  return nullptr;
}

std::string ModuleDef::FunctionName(uint32_t function) const {
  if (function < functions.size()) {
    const FunctionDef& def = functions[function];
    if (!def.debug_name.empty()) return std::string(def.debug_name);
    if (!def.export_name.empty()) return std::string(def.export_name);
  }
  return absl::StrCat("@", function);
}

std::string ModuleDef::QualifiedName(uint32_t function) const {
  constexpr size_t kMax = 1024;
  const std::string local = FunctionName(function);
  return absl::StrCat(name.substr(0, kMax), ".",
                      absl::string_view(local).substr(0, kMax));
}

std::optional<absl::string_view> FindAttribute(
    std::span<const Attribute> attributes, absl::string_view key) {
  for (const Attribute& attribute : attributes) {
    if (attribute.key == key) return attribute.value;
  }
  return std::nullopt;
}

}  // namespace eyrie::vm
