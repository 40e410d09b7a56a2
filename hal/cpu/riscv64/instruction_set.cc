// The rules of RISC-V with 64 bits, except the decoder.
#include "hal/cpu/machine/instruction_set.h"

#include <elf.h>

#include <cstring>

#include "hal/cpu/riscv64/instruction.h"

namespace eyrie::hal::cpu {
namespace {

std::optional<RelocationKind> RiscvRelocationKind(uint32_t type) {
  switch (type) {
    case R_RISCV_NONE:
      return RelocationKind::kNone;
    case R_RISCV_RELATIVE:
      return RelocationKind::kAddend;
    case R_RISCV_64:
      return RelocationKind::kSymbolAddend;
    case R_RISCV_JUMP_SLOT:
      return RelocationKind::kSymbol;
    default:
      return std::nullopt;
  }
}

std::vector<uint8_t> RiscvQueryCode(uint64_t address, uint64_t tables,
                                    uint32_t version) {
  constexpr uint64_t kAuipc = 8;  // its place
  const uint64_t distance = tables - (address + kAuipc);
  // The lower part is signed.
  const auto high = static_cast<uint32_t>((distance + 0x800) & 0xFFFFF000);
  const auto low = static_cast<uint32_t>(distance & 0xFFF);
  const uint32_t code[] = {
      0x00000593 | version << 20,  // li a1, version
      0x00B51863,                  // bne a0, a1, 16 bytes from here
      0x00000517 | high,           // auipc a0, high
      0x00050513 | low << 20,      // addi a0, a0, low
      0x00008067,                  // ret
      0x00000513,                  // li a0, 0
      0x00008067,                  // ret
  };
  std::vector<uint8_t> bytes(sizeof(code));
  std::memcpy(bytes.data(), code, sizeof(code));
  return bytes;
}

}  // namespace

constinit const InstructionSet kRiscv64 = {
    .machine = EM_RISCV,
    .embedded_format = "embedded-elf-riscv_64",
    .system_format = "system-elf-riscv_64",
    .features =
        {
#define FEATURE(feature, ...) Feature::k##feature,
#include "hal/cpu/machine/riscv64_features.def"
#undef FEATURE
        },
    .function_alignment = 2,
    .largest_page = 4096,
    .decode = DecodeRiscv,
    .relocation = RiscvRelocationKind,
    .relative_relocation = R_RISCV_RELATIVE,
    .query_code = RiscvQueryCode,
};

}  // namespace eyrie::hal::cpu
