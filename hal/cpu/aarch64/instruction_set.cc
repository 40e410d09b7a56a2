// The rules of AArch64, except the decoder.
#include "hal/cpu/machine/instruction_set.h"

#include <elf.h>

#include <cstring>

#include "hal/cpu/aarch64/instruction.h"

namespace eyrie::hal::cpu {
namespace {

// The type that the ABI had for R_AARCH64_NONE before its release.
constexpr uint32_t kOldNone = 256;

std::optional<RelocationKind> ArmRelocationKind(uint32_t type) {
  switch (type) {
    case R_AARCH64_NONE:
    case kOldNone:
      return RelocationKind::kNone;
    case R_AARCH64_RELATIVE:
      return RelocationKind::kAddend;
    case R_AARCH64_ABS64:
    case R_AARCH64_GLOB_DAT:
    case R_AARCH64_JUMP_SLOT:
      return RelocationKind::kSymbolAddend;
    default:
      return std::nullopt;
  }
}

std::vector<uint8_t> ArmQueryCode(uint64_t address, uint64_t tables,
                                  uint32_t version) {
  constexpr uint64_t kAdrp = 4;  // its place
  const uint64_t pages = (tables >> 12) - ((address + kAdrp) >> 12);
  const auto low = static_cast<uint32_t>(pages & 3);
  const auto high = static_cast<uint32_t>(pages >> 2 & 0x7FFFF);
  const auto rest = static_cast<uint32_t>(tables & 0xFFF);
  const uint32_t code[] = {
      0x7100001F | version << 10,          // cmp w0, version
      0x90000001 | low << 29 | high << 5,  // adrp x1, tables
      0x91000021 | rest << 10,             // add x1, x1, rest
      0x9A9F0020,                          // csel x0, x1, xzr, eq
      0xD65F03C0,                          // ret
  };
  std::vector<uint8_t> bytes(sizeof(code));
  std::memcpy(bytes.data(), code, sizeof(code));
  return bytes;
}

}  // namespace

constinit const InstructionSet kAArch64 = {
    .machine = EM_AARCH64,
    .embedded_format = "embedded-elf-arm_64",
    .system_format = "system-elf-arm_64",
    .features =
        {
#define FEATURE(feature, ...) Feature::k##feature,
#include "hal/cpu/machine/aarch64_features.def"
#undef FEATURE
        },
    .function_alignment = 4,
    .largest_page = 65536,
    .decode = DecodeArm,
    .relocation = ArmRelocationKind,
    .relative_relocation = R_AARCH64_RELATIVE,
    .query_code = ArmQueryCode,
};

}  // namespace eyrie::hal::cpu
