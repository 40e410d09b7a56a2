// The rules of one machine's code: how it is decoded, linked and written.
//
// Every build has the rules of all machines, because programs also describe and
// convert executables for others. Only code of ThisInstructionSet() runs.
// Tested by hal/cpu/code_scan_test.cc, hal/cpu/elf_loader_test.cc,
// hal/cpu/library_rewrite_test.cc.
#ifndef EYRIE_HAL_CPU_MACHINE_INSTRUCTION_SET_H_
#define EYRIE_HAL_CPU_MACHINE_INSTRUCTION_SET_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "absl/strings/string_view.h"
#include "hal/cpu/machine/cpu_features.h"
#include "hal/cpu/machine/instruction.h"

namespace eyrie::hal::cpu {

// The value that a relocation writes, besides the image's place in memory.
enum class RelocationKind : uint8_t {
  kNone,          // writes nothing
  kAddend,        // an address of the image
  kSymbol,        // a symbol's address
  kSymbolAddend,  // their sum
};

struct InstructionSet {
  uint16_t machine;  // an EM_ constant of <elf.h>
  // The formats of its executables: "embedded-elf-x86_64", "system-elf-x86_64".
  absl::string_view embedded_format;
  absl::string_view system_format;
  FeatureSet features;          // all that are known
  uint64_t function_alignment;  // the compilers' smallest, in bytes
  uint64_t largest_page;        // of systems, in bytes

  // Decodes the first instruction of `code`, which is at `address`. Never reads
  // past the end of `code`.
  Instruction (*decode)(std::span<const uint8_t> code, uint64_t address);

  // Returns a relocation's kind by its type, or nullopt if it is unknown.
  std::optional<RelocationKind> (*relocation)(uint32_t type);
  uint32_t relative_relocation;  // the type of the usual kAddend

  // Returns the code of a query function at `address`, which returns the
  // address `tables` for one version, 0 to 127, and null for any other.
  std::vector<uint8_t> (*query_code)(uint64_t address, uint64_t tables,
                                     uint32_t version);
};

extern const InstructionSet kAArch64;
extern const InstructionSet kRiscv64;
extern const InstructionSet kX86_64;

// Returns the rules for an EM_ constant, or null if they are unknown.
const InstructionSet* FindInstructionSet(uint16_t machine);

// Returns those of the machine for which this program is compiled.
const InstructionSet& ThisInstructionSet();

}  // namespace eyrie::hal::cpu

#endif  // EYRIE_HAL_CPU_MACHINE_INSTRUCTION_SET_H_
