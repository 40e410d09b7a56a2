// The names of machines.
#include "base/elf_machine.h"

#include <elf.h>

#include "absl/strings/str_cat.h"

namespace eyrie {
namespace {

struct MachineRow {
  uint16_t machine;
  const char* name;
};
constexpr MachineRow kMachineNames[] = {
    {EM_386, "x86-32"},      {EM_MIPS, "MIPS"},
    {EM_PPC, "PowerPC"},     {EM_PPC64, "PowerPC 64"},
    {EM_S390, "S/390"},      {EM_ARM, "Arm (32-bit)"},
    {EM_X86_64, "x86-64"},   {EM_QDSP6, "Hexagon"},
    {EM_AARCH64, "AArch64"}, {EM_AMDGPU, "AMD GPU"},
    {EM_RISCV, "RISC-V"},    {EM_LOONGARCH, "LoongArch"},
};

}  // namespace

std::string ElfMachineName(uint16_t machine) {
  for (const MachineRow& row : kMachineNames) {
    if (row.machine == machine) return row.name;
  }
  return absl::StrCat("machine ", machine);
}

}  // namespace eyrie
