// Tests the rows of shims.def: where they lead, and the calls that they make.
#include "tools/upgrade/shims.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "vm/isa/callconv.h"
#include "vm/isa/operand.h"
#include "vm/isa/release.h"

namespace eyrie::tools {
namespace {

using vm::KnownRegisters;
using vm::KnownValue;

vm::CallingConvention Parse(const std::string& text) {
  auto parsed = vm::CallingConvention::Parse(text);
  EXPECT_TRUE(parsed.ok()) << text;
  return parsed.ok() ? *std::move(parsed) : vm::CallingConvention();
}

// Returns a call with another register for each value, and `tuples` tuples in
// each span. All integers are known to be `number`.
ImportCall CallOf(const vm::CallingConvention& convention, size_t tuples,
                  int64_t number, vm::KnownRegisters& registers) {
  ImportCall call;
  uint16_t next = 0;
  for (const vm::CallElement& element : convention.arguments()) {
    std::vector<uint16_t>& list = call.arguments.emplace_back();
    for (size_t i = 0; i < (element.variadic ? tuples : 1); ++i) {
      for (const vm::ValueType type : element.types) {
        const bool ref = type == vm::ValueType::kRef;
        list.push_back(static_cast<uint16_t>(ref ? vm::kRefBit | next : next));
        if (!ref) {
          registers.Set(list.back(), {vm::KnownValue::Kind::kInteger,
                                      vm::IsWide(type), number});
        }
        next += 2;
      }
    }
  }
  return call;
}

vm::FunctionDef EmptyFunction() {
  vm::FunctionDef function = {};
  function.i32_register_count = 128;
  function.ref_register_count = 64;
  return function;
}

// Checks that the registers have the banks that the convention asks for.
void ExpectSuits(const ImportCall& call, const vm::CallingConvention& to) {
  ASSERT_EQ(call.arguments.size(), to.arguments().size());
  for (size_t i = 0; i < call.arguments.size(); ++i) {
    const vm::CallElement& element = to.arguments()[i];
    const std::vector<uint16_t>& list = call.arguments[i];
    EXPECT_EQ(list.size() % element.types.size(), 0u) << "argument " << i;
    EXPECT_TRUE(element.variadic || list.size() == 1) << "argument " << i;
    for (size_t j = 0; j < list.size(); ++j) {
      const vm::ValueType type = element.types[j % element.types.size()];
      EXPECT_EQ(vm::IsRefRegister(list[j]), type == vm::ValueType::kRef)
          << "argument " << i;
    }
  }
}

struct Step {
  const char* name;
  const char* convention;
  int release;
  const char* want;  // each new function
};

const Step kSteps[] = {
    {"hal.ex.shared_device", "0v_r", 13, "hal.devices.get 0i_r"},
    {"hal.devices.get", "0i_r", vm::k20231004, "hal.ex.shared_device 0v_r"},
    {"hal.allocator.allocate", "0riiI_r", 13,
     "hal.allocator.allocate 0rIiiI_r"},
    {"hal.command_buffer.copy_buffer", "0rrIrII_v", 13,
     "hal.command_buffer.copy_buffer 0riirIrII_v"},
    {"hal.command_buffer.copy_buffer", "0riirIrII_v", 13,
     "hal.command_buffer.copy_buffer 0riirIrIII_v"},
    {"hal.command_buffer.copy_buffer", "0riirIrIII_v", 3,
     "hal.command_buffer.copy_buffer 0riirIrII_v"},
    {"hal.command_buffer.fill_buffer", "0rrIIii_v", 13,
     "hal.command_buffer.fill_buffer 0rrIIiii_v"},
    {"hal.command_buffer.fill_buffer", "0rrIIiii_v", vm::k20240724,
     "hal.command_buffer.fill_buffer 0rrIIii_v"},
    {"hal.command_buffer.dispatch", "0rriiiiICiDCiirIID_v", 12,
     "hal.command_buffer.dispatch 0rrIiiiICiDCiirIID_v"},
    {"hal.device.queue.execute", "0rIrrCrD_v", 4,
     "hal.device.queue.execute 0rIrrrI_v hal.device.queue.barrier 0rIrrI_v"},
    {"hal.device.queue.barrier", "0rIrrI_v", 3,
     "hal.device.queue.execute 0rIrrCrD_v"},
    {"hal.fence.await", "0iICrD_i", 3, "hal.fence.await 0iCrD_i"},
    {"hal_loader.executable.dispatch", "0rIiiiCiDCrIID_v", 11,
     "hal_loader.executable.dispatch 0riiiiCiDCrIID_v"},
    {"hal.allocator.select", "0iiICrID_rI", 3, ""},
    {"hal.executable.create", "0rrrr_r", vm::k20240724, ""},
    {"custom.f", "0i_i", 3, ""},
};

TEST(ShimsTest, LeadTowardsTheRelease) {
  for (const Step& step : kSteps) {
    SCOPED_TRACE(absl::StrCat(step.name, " ", step.convention, " to ",
                              vm::ReleaseName(step.release)));
    std::string names;
    for (const Shim& shim :
         ShimsFor(step.release, step.name, step.convention)) {
      absl::StrAppend(&names, names.empty() ? "" : " ", shim.full_name, " ",
                      shim.convention);
    }
    EXPECT_EQ(names, step.want);
  }
}

TEST(ShimsTest, MakeCallsOfTheirConvention) {
  for (const Step& step : kSteps) {
    for (const Shim& shim :
         ShimsFor(step.release, step.name, step.convention)) {
      SCOPED_TRACE(absl::StrCat(step.name, ": ", shim.recipe));
      CodeEditor editor(EmptyFunction());
      vm::KnownRegisters registers;
      const auto from = Parse(step.convention);
      auto made =
          ApplyShim(shim, CallOf(from, 1, 0, registers), registers, editor);
      if (!made.ok()) {  // it takes empty spans only
        made =
            ApplyShim(shim, CallOf(from, 0, 0, registers), registers, editor);
      }
      ASSERT_TRUE(made.ok()) << made.status().message();
      ExpectSuits(*made, Parse(shim.convention));
    }
  }
}

struct Refusal {
  const char* name;
  const char* convention;
  int release;
  int64_t number;  // of each integer argument
  size_t tuples;
  const char* want;
};

const Refusal kRefusals[] = {
    {"hal.fence.join", "0ICrD_r", 3, 1, 1, "argument 0 is 1; it must be 0."},
    {"hal.fence.create", "0rI_r", 3, int64_t{1} << 40, 1,
     "argument 1 is 1099511627776; it must have 32 bits."},
    {"hal.device.queue.dealloca", "0rIrrrI_v", 3, 2, 1,
     "argument 5 is 2; it must be at most 1."},
    {"hal.device.queue.execute", "0rIrrCrD_v", 4, 0, 2,
     "argument 4 has 2 elements, not 1."},
};

TEST(ShimsTest, RefuseWhatCannotBeExpressed) {
  for (const Refusal& row : kRefusals) {
    SCOPED_TRACE(row.name);
    const auto shims = ShimsFor(row.release, row.name, row.convention);
    ASSERT_FALSE(shims.empty());
    CodeEditor editor(EmptyFunction());
    vm::KnownRegisters registers;
    const auto made = ApplyShim(
        shims[0],
        CallOf(Parse(row.convention), row.tuples, row.number, registers),
        registers, editor);
    EXPECT_EQ(made.status().message(), row.want);
  }
}

TEST(ShimsTest, KnowsTheVersionsOfModules) {
  const struct {
    const char* module;
    int release;
    uint32_t want;
  } kVersions[] = {{"hal", vm::k20230404, 0},
                   {"hal", vm::k20231113, 1},
                   {"hal", vm::k20240724, 2},
                   {"hal", 3, 5},
                   {"hal", 11, 6},
                   {"hal", 13, 7},
                   {"hal_loader", 11, 0},
                   {"hal_loader", 12, 1},
                   {"io_parameters", 13, 0}};
  for (const auto& row : kVersions) {
    EXPECT_EQ(ModuleVersionOf(row.module, row.release), row.want)
        << row.module << " " << vm::ReleaseName(row.release);
  }
}

}  // namespace
}  // namespace eyrie::tools
