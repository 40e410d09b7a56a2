// Builds small module files in memory, for tests:
//   module.AddFunction("add", "0ii_i",
//                      "entry: add.i32 i0 i1 i2 return [i2]");
// Code is words separated by blanks. `label:` begins a block. Instructions of
// opcodes.def follow, with their operands in order, results last:
//   i0 r1 r1!     registers, ! with the move bit; i for all but refs
//   [i0 r1!]      a list; [i0>i1] a remap; [1 0 2] segments
//   7 -1 0x1F 2.5 immediates and ordinals; ^label a block; #3 an import
//   "text"        a string without blanks; {^a [] ^b [i0>i1]} cases
//   .byte 0x79    a literal byte; .u16 7; .u32 7; .align to an even offset
#ifndef EYRIE_TESTS_SUPPORT_MODULE_BUILDER_H_
#define EYRIE_TESTS_SUPPORT_MODULE_BUILDER_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace eyrie::tests {

// Encodes one function's code. INVALID_ARGUMENT names the invalid word.
absl::StatusOr<std::vector<uint8_t>> AssembleCode(absl::string_view code);

// All members are public and may have any value, including invalid ones.
class ModuleBuilder {
 public:
  struct Import {
    std::string full_name;
    std::string convention;
    bool optional = false;
  };
  struct Function {
    std::string name;
    std::string convention;
    std::vector<uint8_t> code;
    uint16_t blocks = 0;  // counted from the code's labels by AddFunction
    uint16_t i32_registers = 16;
    uint16_t ref_registers = 8;
    uint32_t requirements = 3;  // the f32 and f64 sets
    bool exported = true;
    std::vector<std::pair<std::string, std::string>> attributes = {};
    int32_t bytecode_offset = -1;  // -1: the actual offset
    int32_t bytecode_length = -1;  // -1: as long as the code
  };
  struct Dependency {
    std::string name;
    uint32_t minimum_version = 0;
    bool optional = false;
  };
  struct Rodata {
    std::vector<uint8_t> bytes;
    bool external = false;
    uint8_t compression = 0;
  };
  // An entry of the debug database's location table.
  struct Location {
    enum Kind { kNone, kCallSite, kFile, kFused, kNamed, kUnknown } kind;
    std::string text;  // file or name
    int32_t a = 0;     // callee, line, first index, child
    int32_t b = 0;     // caller, column, second index
  };

  std::string name = "test";
  uint32_t version = 0;
  uint32_t requirements = 3;
  uint32_t bytecode_version = 17u << 16;
  std::vector<std::string> types = {"i32", "i64", "!vm.buffer", "!vm.list"};
  std::vector<std::pair<std::string, std::string>> attributes;
  std::vector<Dependency> dependencies;
  std::vector<Import> imports;
  std::vector<Function> functions;
  std::vector<std::pair<std::string, int32_t>> extra_exports;
  std::vector<Rodata> rodata;
  int32_t global_bytes = 64;
  int32_t global_refs = 4;
  bool debug_database = true;
  // The location table, and each function's entry in it. By default
  // "test.mlir:<ordinal + 1>:1", one per function.
  std::vector<Location> locations;
  // As compilers since 3.11 write it: only the last function has a map.
  bool one_source_map = false;
  // Stores equal conventions as one string.
  bool share_conventions = false;

  // Appends an import or constant. Returns its ordinal.
  uint32_t AddImport(std::string full_name, std::string convention,
                     bool optional = false);
  uint32_t AddRodata(std::vector<uint8_t> bytes, bool external = false);
  // Appends an exported function. Aborts if the code does not assemble. The
  // reference is valid until the next function is added.
  Function& AddFunction(std::string name, std::string convention,
                        absl::string_view code);

  // Returns the bare FlatBuffer, followed by external constants.
  std::vector<uint8_t> Build() const;
  // The same in a ZIP, with constants as members "rodata_<ordinal>.bin".
  std::vector<uint8_t> BuildZip() const;

 private:
  std::vector<uint8_t> BuildFlatBuffer() const;
};

// Returns the first i32 registers as a list of operands: "[i0 i1 i2]".
std::string Registers(int count);

}  // namespace eyrie::tests

#endif  // EYRIE_TESTS_SUPPORT_MODULE_BUILDER_H_
