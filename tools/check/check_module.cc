// Binds the functions of imports.def to expectations.
#include "tools/check/check_module.h"

#include <cstdint>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "hal/buffer_view.h"
#include "hal/device.h"
#include "hal/element_type.h"
#include "tools/check/expectation.h"
#include "vm/module/backtrace.h"
#include "vm/module/module.h"
#include "vm/native/native_binding.h"
#include "vm/run/machine.h"

namespace eyrie::tools {
namespace {

constexpr uint32_t kVersion = 0;

// The tolerance of releases 3.1 and 3.2, whose programs do not pass one.
constexpr double kCloseness = 1e-4;
constexpr double kClosenessOfHalves = 1e-3;

std::string CallerText(const vm::ModuleState& state) {
  const std::optional<vm::BacktraceFrame> caller = vm::CallerOf(state);
  if (!caller.has_value()) return "";
  const vm::ModuleDef& module = *caller->module;
  const auto places = module.FindLocations(caller->function, caller->offset);
  if (!places.empty() && !places[0].file.empty()) {
    return absl::StrCat(PlainName(places[0].file), ":", places[0].line, ":",
                        places[0].column);
  }
  return absl::StrCat(PlainName(module.name), ".",
                      PlainName(module.FunctionName(caller->function)), "+0x",
                      absl::Hex(caller->offset));
}

class CheckState final : public vm::ModuleState {
 public:
  explicit CheckState(const ExpectationSink& failed) : failed_(failed) {}

  // Reports the text as a failure unless it is empty.
  absl::Status Tell(absl::StatusOr<std::string> text) {
    RETURN_IF_ERROR(text.status());
    if (text->empty()) return absl::OkStatus();
    failed_(
        [&] { return FailedExpectation{CallerText(*this), *std::move(text)}; });
    return absl::OkStatus();
  }

 private:
  const ExpectationSink& failed_;  // the module's
};

absl::Status ExpectTrue(CheckState& state, int32_t operand) {
  return state.Tell(
      operand != 0 ? ""
                   : absl::StrCat("Expected ", operand, " to be nonzero."));
}

absl::Status ExpectFalse(CheckState& state, int32_t operand) {
  return state.Tell(
      operand == 0 ? "" : absl::StrCat("Expected ", operand, " to be zero."));
}

// Programs name the device that can make a tensor readable; buffers know it.
absl::Status ExpectAllTrue(CheckState& state, hal::Device*,
                           hal::BufferView& operand) {
  RETURN_IF_ERROR(state.WorkOnBytes(operand.byte_length()));
  return state.Tell(tools::ExpectAllTrue(operand));
}

absl::Status ExpectEq(CheckState& state, hal::Device*, hal::BufferView& left,
                      hal::BufferView& right) {
  RETURN_IF_ERROR(state.WorkOnBytes(left.byte_length()));
  return state.Tell(ExpectEqual(left, right));
}

absl::Status ExpectAlmostEq(CheckState& state, hal::Device*,
                            hal::BufferView& left, hal::BufferView& right,
                            float absolute, float relative) {
  RETURN_IF_ERROR(state.WorkOnBytes(left.byte_length()));
  return state.Tell(ExpectAlmostEqual(left, right, {absolute, relative}));
}

// Signature of builds between 3.2 and 3.3.
absl::Status ExpectAlmostEqAbsolute(CheckState& state, hal::Device* device,
                                    hal::BufferView& left,
                                    hal::BufferView& right, float absolute) {
  return ExpectAlmostEq(state, device, left, right, absolute, 0);
}

absl::Status ExpectAlmostEqFixed(CheckState& state, hal::Device*,
                                 hal::BufferView& left,
                                 hal::BufferView& right) {
  RETURN_IF_ERROR(state.WorkOnBytes(left.byte_length()));
  const bool halves = left.element_type() == hal::ElementType::kFloat16;
  return state.Tell(ExpectAlmostEqual(
      left, right, {halves ? kClosenessOfHalves : kCloseness, 0}));
}

constexpr vm::NativeFunction kImports[] = {
#define CHECK_IMPORT(name, convention, function) \
  vm::Bind<function>(name, convention),
#include "tools/check/imports.def"
#undef CHECK_IMPORT
};
static_assert(vm::RowsAscend(kImports));

}  // namespace

absl::StatusOr<std::shared_ptr<const vm::NativeModule>> CreateCheckModule(
    ExpectationSink failed) {
  auto sink = std::make_shared<const ExpectationSink>(std::move(failed));
  return vm::NativeModule::Create(
      kCheckModuleName, kVersion, kImports,
      [sink]() -> absl::StatusOr<std::unique_ptr<vm::ModuleState>> {
        return std::make_unique<CheckState>(*sink);
      });
}

}  // namespace eyrie::tools
