// A module as its file declares it: decoded and in bounds, but not verified.
//
// Views point into the archive, which the ModuleDef keeps alive; copies share
// it. Immutable after Decode; shared by threads.
// Tested by module_def_test.cc, testing/module_fuzz.cc.
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
  std::span<const uint8_t> bytecode;  // starts at an even address
  uint32_t bytecode_offset;           // relative to the module's bytecode
  uint32_t requirements;              // Feature bits
  uint16_t block_count;
  // The registers of its frame: as declared, or more if its code needs more
  // (see VerifiedModule::Verify).
  uint16_t i32_register_count;
  uint16_t ref_register_count;
  uint16_t declared_i32_count;
  uint16_t declared_ref_count;
  absl::string_view calling_convention;
  std::vector<Attribute> attributes;  // such as "iree.abi.declaration"
  absl::string_view debug_name;       // empty if it was stripped
  absl::string_view export_name;      // its first; empty if not exported
};

struct RodataDef {
  std::span<const uint8_t> bytes;
  bool external;                  // stored outside the FlatBuffer
  uint64_t file_offset;           // from the start of the file
  absl::string_view member_name;  // in the ZIP file; empty if unknown
};

// A location in the source that a module was compiled from. Views point into
// the archive and may be of any length.
struct SourceLocation {
  absl::string_view file;  // empty if unknown
  int line = 0;
  int column = 0;
  absl::string_view name;  // of an enclosing NameLoc; may be empty

  // Returns "model.mlir:12:3", preceded by the name if there is one. Truncates
  // both to `most` bytes.
  std::string ToString(size_t most = 4096) const;
};

namespace fbs {
struct DebugDatabase;  // module.fbs
}  // namespace fbs
struct ModuleTables;
struct OlderCode;

// Limits for the globals of a module, which each context allocates.
inline constexpr uint32_t kMaxGlobalBytes = 1u << 28;
inline constexpr uint32_t kMaxGlobalRefs = 1u << 24;

class ModuleDef {
 public:
  // Decodes the archive's FlatBuffer. Returns INVALID_ARGUMENT or OUT_OF_RANGE
  // if it is malformed, UNIMPLEMENTED if it uses an unsupported bytecode
  // version, feature or compression, and RESOURCE_EXHAUSTED if it has more than
  // kMaxGlobalBytes or kMaxGlobalRefs, or if its tables refer to the same bytes
  // too often (module_growth.h).
  static absl::StatusOr<ModuleDef> Decode(
      std::shared_ptr<const Archive> archive);

  const Archive& archive() const { return *archive_; }
  const std::shared_ptr<const Archive>& shared_archive() const {
    return archive_;
  }

  absl::string_view name;
  uint32_t version = 0;
  uint32_t requirements = 0;    // Feature bits
  uint16_t bytecode_major = 0;  // of the file; see decoded_major
  uint16_t bytecode_minor = 0;
  const BytecodeVersion* bytecode_version = nullptr;  // never null after Decode
  std::vector<Attribute> attributes;
  std::vector<absl::string_view> types;  // "i32", "!hal.buffer", "!vm.list<i8>"
  std::vector<DependencyDef> dependencies;
  std::vector<ImportDef> imports;
  std::vector<ExportDef> exports;
  std::vector<FunctionDef> functions;
  std::vector<RodataDef> rodata;
  uint32_t global_bytes = 0;
  uint32_t global_refs = 0;
  std::span<const uint8_t> bytecode;  // the bytecode of all functions

  // Returns the first export with this name, or null.
  const ExportDef* FindExport(absl::string_view export_name) const;

  // Returns a function's name for messages: its debug name, else the name of
  // its export, else "@<ordinal>".
  std::string FunctionName(uint32_t function) const;
  // Returns "module.function", with each part truncated to 1 KiB, since many
  // names may be needed.
  std::string QualifiedName(uint32_t function) const;

  bool has_debug_database() const { return debug_ != nullptr; }
  // Null if it was stripped.
  const fbs::DebugDatabase* debug_database() const { return debug_; }
  // Returns the number of entries in the debug database's location table.
  size_t location_count() const;

  // Returns the index of a function's source map in the debug database.
  std::optional<uint32_t> SourceMapOf(uint32_t function) const;

  // Returns the function's source map: byte offsets, ascending, each with the
  // index of a location that applies from there on. Empty if it was stripped.
  std::vector<std::pair<uint32_t, int32_t>> LocationsOf(
      uint32_t function) const;

  // Returns the source locations of the instruction at a byte offset of a
  // function, innermost first: a call site is followed by its callers. Empty if
  // unknown.
  std::vector<SourceLocation> FindLocations(uint32_t function,
                                            uint32_t offset) const;
  // Returns the same for an entry of the location table; empty if it does not
  // exist.
  std::vector<SourceLocation> ReadLocation(int32_t location) const;

 private:
  absl::Status DecodeHeader(const ModuleTables& module);
  absl::Status DecodeImports(const ModuleTables& module);
  absl::Status DecodeFunctions(const ModuleTables& module);
  absl::Status DecodeExports(const ModuleTables& module);
  // Rewrites the functions if no later bytecode has their instructions.
  absl::Status UpdateCode();
  // Sorts the exports by name, if there are many.
  absl::Status IndexExports();
  absl::Status DecodeRodata(const ModuleTables& module);
  absl::Status DecodeState(const ModuleTables& module);
  absl::Status CheckConventions() const;
  void ReadDebugNames();

  // Indices of `exports`, sorted by name and index; empty if there are few.
  std::vector<uint32_t> by_name_;
  std::shared_ptr<const Archive> archive_;
  const fbs::DebugDatabase* debug_ = nullptr;    // in the archive; may be null
  std::shared_ptr<const OlderCode> older_code_;  // null if not rewritten
  bool one_source_map_ = false;                  // see ReadDebugNames
};

// Returns the value of the first attribute with this key.
std::optional<absl::string_view> FindAttribute(
    std::span<const Attribute> attributes, absl::string_view key);

}  // namespace eyrie::vm

#endif  // EYRIE_VM_MODULE_MODULE_DEF_H_
