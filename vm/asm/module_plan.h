// A module to be written: everything that a module file may contain, as plain
// values, and the function that writes the file.
//
// Tested by module_plan_test.cc, assembler_test.cc.
#ifndef EYRIE_VM_ASM_MODULE_PLAN_H_
#define EYRIE_VM_ASM_MODULE_PLAN_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "vm/module/archive.h"

namespace eyrie::vm {

inline constexpr uint32_t kMaxRodataAlignment = 4096;
inline constexpr int32_t kNoPlace = -1;  // instead of the number of a location
inline constexpr uint32_t kMaxBlocks = 0xFFFF;           // per function
inline constexpr uint64_t kMaxRodataBytes = 0x7FFFFFFF;  // of all constants
inline constexpr uint32_t kMaxStateSize = 0x7FFFFFFF;  // for each of its fields

struct ModulePlan {
  using Attributes = std::vector<std::pair<std::string, std::string>>;

  struct Dependency {
    std::string name;
    uint32_t minimum_version = 0;
    bool optional = false;
  };
  struct Import {
    std::string full_name;
    std::string convention;
    bool optional = false;
    Attributes attributes;
  };
  struct Export {
    std::string name;
    uint32_t function = 0;
  };
  // The location of an instruction: an index in `locations`.
  struct InstructionLocation {
    uint32_t offset;
    int32_t location;
  };
  struct Function {
    std::string convention = "0v_v";
    Attributes attributes;
    std::vector<uint8_t> code;
    uint32_t requirements = 0;
    uint32_t blocks = 0;
    uint32_t i32_registers = 0;
    uint32_t ref_registers = 0;
    std::string debug_name;
    std::vector<InstructionLocation> locations;
  };
  struct Rodata {
    std::vector<uint8_t> bytes;
    bool external = false;   // after the FlatBuffer; if zip, as a member
    std::string name;        // of the member; "" means "rodata_<ordinal>.bin"
    uint32_t alignment = 0;  // 0 means 16, or kArchiveAlignment if external
  };
  // An entry of the debug database's location table.
  struct Location {
    enum Kind : uint8_t { kNone, kCallSite, kFile, kFused, kNamed };
    Kind kind = kNone;
    std::string text;             // file, metadata or name
    int32_t a = 0;                // callee, line or child
    int32_t b = 0;                // caller or column
    std::vector<int32_t> places;  // for kFused
  };

  std::string name;
  uint32_t version = 0;
  uint32_t requirements = 0;
  uint16_t bytecode_major = 17;
  uint16_t bytecode_minor = 0;
  Attributes attributes;
  std::vector<std::string> types;
  std::vector<Dependency> dependencies;
  std::vector<Import> imports;
  std::vector<Export> exports;
  std::vector<Function> functions;
  std::vector<Rodata> rodata;
  uint32_t global_bytes = 0;
  uint32_t global_refs = 0;
  std::vector<Location> locations;
  bool zip = false;  // otherwise a FlatBuffer alone

  // Reports whether the file has a debug database: there is content for it.
  bool has_debug() const;
};

// Returns the contents of the module's file. Equal plans give equal bytes.
// Returns RESOURCE_EXHAUSTED if a part does not fit into the format.
absl::StatusOr<std::vector<uint8_t>> WriteModule(const ModulePlan& plan);

}  // namespace eyrie::vm

#endif  // EYRIE_VM_ASM_MODULE_PLAN_H_
