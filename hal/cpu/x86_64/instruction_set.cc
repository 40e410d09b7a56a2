// The rules of x86-64, except the decoder.
#include "hal/cpu/machine/instruction_set.h"

#include <elf.h>

#include <cstring>

#include "hal/cpu/x86_64/instruction.h"

namespace eyrie::hal::cpu {
namespace {

std::optional<RelocationKind> X86RelocationKind(uint32_t type) {
  switch (type) {
    case R_X86_64_NONE:
      return RelocationKind::kNone;
    case R_X86_64_RELATIVE:
      return RelocationKind::kAddend;
    case R_X86_64_64:
      return RelocationKind::kSymbolAddend;
    case R_X86_64_GLOB_DAT:
    case R_X86_64_JUMP_SLOT:
      return RelocationKind::kSymbol;
    default:
      return std::nullopt;
  }
}

std::vector<uint8_t> X86QueryCode(uint64_t address, uint64_t tables,
                                  uint32_t version) {
  std::vector<uint8_t> code = {0x31, 0xC0,                       // xor eax
                               0x83, 0xFF, 0,                    // cmp edi
                               0x48, 0x8D, 0x0D, 0,    0, 0, 0,  // lea rcx
                               0x48, 0x0F, 0x44, 0xC1,           // cmove rax
                               0xC3};                            // ret
  constexpr size_t kVersion = 4;
  constexpr size_t kDistance = 8;
  code[kVersion] = static_cast<uint8_t>(version);
  const auto distance =
      static_cast<int32_t>(tables - (address + kDistance + sizeof(int32_t)));
  std::memcpy(code.data() + kDistance, &distance, sizeof(distance));
  return code;
}

}  // namespace

constinit const InstructionSet kX86_64 = {
    .machine = EM_X86_64,
    .embedded_format = "embedded-elf-x86_64",
    .system_format = "system-elf-x86_64",
    .features =
        {
#define FEATURE(feature, ...) Feature::k##feature,
#include "hal/cpu/machine/x86_64_features.def"
#undef FEATURE
        },
    .function_alignment = 16,
    .largest_page = 4096,
    .decode = DecodeX86,
    .relocation = X86RelocationKind,
    .relative_relocation = R_X86_64_RELATIVE,
    .query_code = X86QueryCode,
};

}  // namespace eyrie::hal::cpu
