// Modules, registers and arguments for attacks with code.
#include "tests/fuzz/limits/attack_module.h"

#include <array>

#include "absl/strings/str_cat.h"
#include "hal/types.h"

namespace eyrie::tests {

std::string Constants() {
  return absl::StrCat(
      "const.i32 0 i0 const.i32 1 i1 const.i32 ", kElements, " i2 const.i32 ",
      kElements / 2, " i3 const.i32 -1 i4 const.i32 16 i5 const.i32 ", 1 << 28,
      " i6 const.i64 0 i10 const.i64 ", kBytes / 2, " i12 const.i64 ", kBytes,
      " i14 const.i64 1 i16 const.i64 -1 i18 const.i64 ", INT64_MAX,
      " i20 const.i64 ", kBytes / 8, " i22 ");
}

ModuleBuilder NewAttackModule() {
  ModuleBuilder module;
  module.types = {"i32", "i64", "?", "!vm.buffer"};
  module.AddRodata(std::vector<uint8_t>(1 << 16, 7));
  return module;
}

std::string DeviceSetup(ModuleBuilder& module) {
  module.AddImport("hal.devices.get", "0i_r");
  module.AddImport("hal.device.allocator", "0r_r");
  module.AddImport("hal.allocator.allocate", "0rIiiI_r");
  return absl::StrCat(
      "const.i32 ",
      hal::memory_type::kHostLocal | hal::memory_type::kDeviceLocal,
      " i40 const.i32 ",
      hal::buffer_usage::kDefault | hal::buffer_usage::kMapping, " i41 ");
}

void AddAttack(ModuleBuilder& module, absl::string_view code) {
  ModuleBuilder::Function& function =
      module.AddFunction("attack", "0v_v", code);
  function.i32_registers = 128;
  function.ref_registers = 32;
}

std::vector<std::string> RunArguments(Random& random, bool eager) {
  const char* const jit =
      eager ? "eager" : random.Of(std::array{"off", "lazy", "eager"});
  std::vector<std::string> arguments = {
      "run", "FILE", "--function=attack", absl::StrCat("--jit=", jit),
      absl::StrCat("--device=", random.OneIn(4) ? "local-task" : "local-sync")};
  if (random.OneIn(4)) arguments.push_back("--isolate");
  if (random.OneIn(3)) {
    arguments.push_back(absl::StrCat(
        "--fuel=", random.Of(std::array{1000, 1000000, 100000000})));
  }
  return arguments;
}

Attack CreateAttack(uint64_t number) {
  Random random(number);
  constexpr Attack (*kKinds[])(Random&) = {InstructionAttack, ImportAttack,
                                           InstructionAttack, ShapeAttack,
                                           FileAttack,        MemoryAttack};
  Attack attack = kKinds[number % std::size(kKinds)](random);
  attack.name = absl::StrCat("attack ", number, ": ", attack.name);
  return attack;
}

}  // namespace eyrie::tests
