// Attacks with memory that devices, isolated or not, map, commit, clear and
// copy. Half of them are limited by fuel alone.
#include <elf.h>

#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "hal/cpu/machine/instruction_set.h"
#include "tests/fuzz/limits/attack_module.h"
#include "tests/fuzz/limits/attacks.h"
#include "tests/support/module_builder.h"
#include "tests/support/program_headers.h"

namespace eyrie::tests {
namespace {

using File = std::vector<uint8_t>;

// Returns a compiled executable of this machine, with three bindings.
File Compiled() {
  const absl::string_view machine = absl::StripPrefix(
      hal::cpu::ThisInstructionSet().embedded_format, "embedded-elf-");
  std::ifstream file(absl::StrCat("hal/cpu/testdata/", machine, "/add_v6.so"),
                     std::ios::binary);
  return File(std::istreambuf_iterator<char>(file), {});
}

// Its pages before the image are for the largest alignment.
File WithSlack(const File& file) {
  return WithProgramHeaders(file, [](Elf64_Phdr& segment) {
    if (segment.p_type == PT_LOAD) segment.p_align = uint64_t{64} << 20;
  });
}

// Almost all of its image is zeros, which the file does not have.
File WithZeros(const File& file) {
  return WithProgramHeaders(file, [](Elf64_Phdr& segment) {
    if (segment.p_type != PT_GNU_STACK) return;
    segment = {PT_LOAD, PF_R, 0, 0x10000, 0x10000, 0, 900000, 4096};
  });
}

// The imports that attacks call, in order of their numbers below, after those
// of DeviceSetup.
void AddImports(ModuleBuilder& module) {
  module.AddImport("hal.device.queue.alloca", "0rIrrIiiII_r");
  module.AddImport("hal.allocator.import", "0riIiirII_r");
  module.AddImport("hal.executable.create", "0rIrrr_r");
  module.AddImport("hal_loader.executable.load", "0rrr_r");
  module.AddImport("hal_loader.executable.dispatch", "0rIiiiCiDCrIID_v");
  module.AddImport("hal_inline.buffer.allocate.initialized", "0irII_rr");
}

struct Row {
  const char* name;
  File (*executable)(const File&);  // null: none
  const char* setup;                // after r0: a buffer, r8: a device
  const char* loop;
};

File Intact(const File& file) { return file; }

// r9 is the allocator; r14 the format, r15 the executable's file, r16 a
// constant of 1 MiB; i40 and i41 a memory type and usage.
const Row kRows[] = {
    {"allocate", nullptr, "", "call #2 [r9 i10 i40 i41 i12] [r5] "},
    {"alloca", nullptr, "", "call #3 [r8 i10 r4 r4 i10 i40 i41 i12 i10] [r5] "},
    {"import a constant", nullptr, "",
     "call #4 [r9 i0 i10 i40 i41 r16 i10 i18] [r5] "},
    {"copy a constant", nullptr, "", "call #8 [i0 r16 i10 i18] [r5 r6] "},
    {"load", Intact, "", "call #5 [r8 i10 r14 r15 r4] [r5] "},
    {"load with slack", WithSlack, "", "call #5 [r8 i10 r14 r15 r4] [r5] "},
    {"load with zeros", WithZeros, "", "call #5 [r8 i10 r14 r15 r4] [r5] "},
    {"keep zeros", WithZeros, "list.alloc 2 i1 r17 list.resize r17 i2 ",
     "call #5 [r8 i10 r14 r15 r4] [r5] list.set.ref r17 i30 r5 "
     "add.i32 i30 i1 i30 "},
    {"copy bindings", Intact, "call #6 [r14 r15 r4] [r5] ",
     "call.variadic #7 [1 1 1 1 1 0 3] "
     "[r5 i10 i1 i1 i1 r0 i10 i14 r0 i10 i14 r0 i10 i14] [] "},
    {"copy unaligned constants", Intact, "call #6 [r14 r15 r4] [r5] ",
     "call.variadic #7 [1 1 1 1 1 0 3] "
     "[r5 i10 i1 i1 i1 r16 i16 i18 r16 i16 i18 r0 i10 i14] [] "},
};

}  // namespace

Attack MemoryAttack(Random& random) {
  const Row& row = kRows[random.Below(std::size(kRows))];
  ModuleBuilder module = NewAttackModule();
  const std::string setup = DeviceSetup(module);
  AddImports(module);
  const absl::string_view format =
      hal::cpu::ThisInstructionSet().embedded_format;
  module.AddRodata({format.begin(), format.end()});
  module.AddRodata(row.executable == nullptr ? File(1)
                                             : row.executable(Compiled()));
  module.AddRodata(File(1 << 20));
  AddAttack(
      module,
      absl::StrCat("entry: ", Constants(), setup,
                   "const.i32 0 i30 const.i32 64 i31 buffer.alloc i14 i31 r0 "
                   "call #0 [i0] [r8] call #1 [r8] [r9] "
                   "const.ref.rodata 1 r14 const.ref.rodata 2 r15 "
                   "const.ref.rodata 3 r16 ",
                   row.setup, "br ^loop [] loop: ", row.loop, "br ^loop []"));
  const bool is_isolated = !random.OneIn(4);
  Attack attack = {absl::StrCat(row.name, is_isolated ? ", isolated" : ""),
                   module.Build(),
                   {"run", "FILE", "--function=attack",
                    absl::StrCat("--fuel=", kBytes / 1024 * 5 / 2),
                    absl::StrCat("--device=", random.OneIn(2) ? "local-task"
                                                              : "local-sync")}};
  if (is_isolated) attack.arguments.push_back("--isolate");
  attack.is_timed = random.OneIn(2);
  return attack;
}

}  // namespace eyrie::tests
