// A module as it is to be written: everything a module file can hold, as plain
// values, and the writer of the file.
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
inline constexpr int32_t kNoPlace = -1;         // for the number of a location
inline constexpr uint32_t kMaxBlocks = 0xFFFF;  // of a function
inline constexpr uint64_t kMaxRodataBytes = 0x7FFFFFFF;  // of all constants
inline constexpr uint32_t kMaxStateSize = 0x7FFFFFFF;    // of its fields

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
  // Where the instruction at an offset comes from: an entry of `locations`.
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
    bool external = false;   // after the FlatBuffer, in a ZIP a member
    std::string name;        // of the member; empty: "rodata_<ordinal>.bin"
    uint32_t alignment = 0;  // 0: 16, or kArchiveAlignment if external
  };
  // An entry of the debug database's location table.
  struct Location {
    enum Kind : uint8_t { kNone, kCallSite, kFile, kFused, kNamed };
    Kind kind = kNone;
    std::string text;             // file, metadata, name
    int32_t a = 0;                // callee, line, child
    int32_t b = 0;                // caller, column
    std::vector<int32_t> places;  // of kFused
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
  bool zip = false;  // else a bare FlatBuffer

  // True if a debug database is written: there is something to put in it.
  bool has_debug() const;
};

// The bytes of the module's file; equal plans give equal bytes.
// RESOURCE_EXHAUSTED: a part exceeds what the format can hold.
absl::StatusOr<std::vector<uint8_t>> WriteModule(const ModulePlan& plan);

}  // namespace eyrie::vm

#endif  // EYRIE_VM_ASM_MODULE_PLAN_H_
