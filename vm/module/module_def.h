// A module as its file declares it: decoded, in bounds, not yet verified.
//
// Views point into the archive, which the ModuleDef keeps alive; copies share
// it. Immutable once decoded; shared by threads.
// Tested by module_def_test.cc, module_fuzz.cc.
#ifndef EYRIE_VM_MODULE_MODULE_DEF_H_
#define EYRIE_VM_MODULE_MODULE_DEF_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "vm/isa/version.h"
#include "vm/module/archive.h"

namespace eyrie::vm {

struct Attribute {
  absl::string_view key;
  absl::string_view value;
};

struct DependencyDef {
  absl::string_view name;
  uint32_t minimum_version;
  bool optional;
};

struct ImportDef {
  absl::string_view full_name;           // "hal.buffer.length"
  absl::string_view calling_convention;  // "0r_I"
  bool optional;
  std::vector<Attribute> attributes;

  absl::string_view module_name() const;  // before the first '.'
  absl::string_view local_name() const;   // after it
};

struct ExportDef {
  absl::string_view name;
  uint32_t function;  // ordinal in ModuleDef::functions
};

struct FunctionDef {
  std::span<const uint8_t> bytecode;  // begins at an even address
  uint32_t bytecode_offset;           // in the module's bytecode
  uint32_t requirements;              // Feature bits
  uint16_t block_count;
  uint16_t i32_register_count;
  uint16_t ref_register_count;
  absl::string_view calling_convention;
  std::vector<Attribute> attributes;  // reflection, "iree.abi.declaration" …
  absl::string_view debug_name;       // empty if stripped
  absl::string_view export_name;      // of its first export; empty: it has none
};

struct RodataDef {
  std::span<const uint8_t> bytes;
  bool external;                  // outside the FlatBuffer
  uint64_t file_offset;           // from the start of the file
  absl::string_view member_name;  // of the ZIP; empty if unknown
};

// A place in the source a module was compiled from. Its views are the
// archive's, of any length.
struct SourceLocation {
  absl::string_view file;  // empty if unknown
  int line = 0;
  int column = 0;
  absl::string_view name;  // of a NameLoc around it; may be empty

  // "model.mlir:12:3", with the name before it if there is one; at most `most`
  // bytes of each.
  std::string ToString(size_t most = 4096) const;
};

namespace fbs {
struct DebugDatabase;  // module.fbs
struct Module;
}  // namespace fbs

// What a module may ask for; each context allocates it.
inline constexpr uint32_t kMaxGlobalBytes = 1u << 28;
inline constexpr uint32_t kMaxGlobalRefs = 1u << 24;

class ModuleDef {
 public:
  // Reads the archive's FlatBuffer. INVALID_ARGUMENT or OUT_OF_RANGE: damaged.
  // UNIMPLEMENTED: a bytecode version, feature or compression we lack.
  // RESOURCE_EXHAUSTED: more globals than kMaxGlobalBytes, kMaxGlobalRefs, or
  // tables that name the same bytes too often (module_growth.h).
  static absl::StatusOr<ModuleDef> Decode(
      std::shared_ptr<const Archive> archive);

  const Archive& archive() const { return *archive_; }
  const std::shared_ptr<const Archive>& shared_archive() const {
    return archive_;
  }

  absl::string_view name;
  uint32_t version = 0;
  uint32_t requirements = 0;  // Feature bits
  uint16_t bytecode_major = 0;
  uint16_t bytecode_minor = 0;
  const BytecodeVersion* bytecode_version = nullptr;  // never null if decoded
  std::vector<Attribute> attributes;
  std::vector<absl::string_view> types;  // "i32", "!hal.buffer", "!vm.list<i8>"
  std::vector<DependencyDef> dependencies;
  std::vector<ImportDef> imports;
  std::vector<ExportDef> exports;
  std::vector<FunctionDef> functions;
  std::vector<RodataDef> rodata;
  uint32_t global_bytes = 0;
  uint32_t global_refs = 0;
  std::span<const uint8_t> bytecode;  // of all functions

  // The export with this name, or nullptr. Linear.
  const ExportDef* FindExport(absl::string_view export_name) const;

  // A function's name for messages: its debug name, else the name it is
  // exported by, else "@<ordinal>".
  std::string FunctionName(uint32_t function) const;
  // "module.function", for names that are made of many functions: at most 1 KiB
  // of each part.
  std::string QualifiedName(uint32_t function) const;

  bool has_debug_database() const { return debug_ != nullptr; }
  // Entries of the debug database's location table.
  size_t location_count() const;

  // The index of a function's source map in the debug database, or nullopt.
  std::optional<uint32_t> SourceMapOf(uint32_t function) const;

  // The function's source map: entries of the location table, each from the
  // byte offset on that it stands with, ascending. Empty if stripped.
  std::vector<std::pair<uint32_t, int32_t>> LocationsOf(
      uint32_t function) const;

  // The source of the instruction at a byte offset of a function, innermost
  // first (a call site adds its callers); empty if stripped or unknown.
  std::vector<SourceLocation> FindLocations(uint32_t function,
                                            uint32_t offset) const;
  // The same of an entry of the location table; empty if there is none.
  std::vector<SourceLocation> ReadLocation(int32_t location) const;

 private:
  absl::Status DecodeHeader(const fbs::Module& module);
  absl::Status DecodeImports(const fbs::Module& module);
  absl::Status DecodeFunctions(const fbs::Module& module);
  absl::Status DecodeExports(const fbs::Module& module);
  absl::Status DecodeRodata(const fbs::Module& module);
  absl::Status DecodeState(const fbs::Module& module);
  absl::Status CheckConventions() const;
  void ReadDebugNames();

  std::shared_ptr<const Archive> archive_;
  const fbs::DebugDatabase* debug_ = nullptr;  // in the archive, or null
  bool one_source_map_ = false;                // see ReadDebugNames
};

// The value of the first attribute with this key, or nullopt.
std::optional<absl::string_view> FindAttribute(
    std::span<const Attribute> attributes, absl::string_view key);

}  // namespace eyrie::vm

#endif  // EYRIE_VM_MODULE_MODULE_DEF_H_
