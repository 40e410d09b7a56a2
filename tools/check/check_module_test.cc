// Calls every function of the `check` module, by signature.
#include "tools/check/check_module.h"

#include <memory>
#include <string>
#include <vector>

#include "abi/call/session.h"
#include "abi/tensor/tensor.h"
#include "abi/tensor/tensor_text.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "vm/isa/callconv.h"
#include "vm/isa/value.h"
#include "vm/native/slot_call.h"

namespace eyrie::tools {
namespace {

class CheckModule : public testing::Test {
 protected:
  Ref<hal::BufferView> Floats(const std::vector<float>& numbers,
                              hal::ElementType type) {
    hal::TensorType spec;
    spec.element = type;
    spec.shape = {static_cast<int64_t>(numbers.size())};
    std::vector<uint8_t> bytes(*spec.ByteLength());
    EXPECT_TRUE(
        abi::ParseElements(absl::StrJoin(numbers, " "), spec, bytes).ok());
    return *abi::CopyTensor(*device_, spec, bytes);
  }

  // Calls a function. Returns the beginning of its output.
  std::string Call(const char* name, const char* signature,
                   std::vector<vm::Slot> arguments) {
    failures_.clear();
    const auto convention = vm::CallingConvention::Parse(signature);
    const auto bound = module_->BindImport(*state_, name, *convention);
    if (!bound.ok()) return std::string(bound.status().message());
    const absl::Status status =
        vm::CallWithSlots(*bound, *convention, arguments.data(), nullptr);
    if (!status.ok()) return std::string(status.message());
    if (failures_.empty()) return "holds";
    EXPECT_EQ(failures_.size(), 1u);
    EXPECT_EQ(failures_[0].place, "");  // no program asks
    return "fails";
  }

  static vm::Slot Number(int32_t value) {
    vm::Slot slot;
    slot.i32 = value;
    return slot;
  }
  static vm::Slot Float(float value) {
    vm::Slot slot;
    slot.f32 = value;
    return slot;
  }
  static vm::Slot Object(RefObject* object) {
    vm::Slot slot;
    slot.ref = object;
    return slot;
  }

  std::vector<FailedExpectation> failures_;
  Ref<hal::Device> device_ = *abi::OpenDevice("local-sync", {});
  std::shared_ptr<const vm::NativeModule> module_ = *CreateCheckModule(
      [this](auto describe) { failures_.push_back(describe()); });
  std::unique_ptr<vm::ModuleState> state_ = *module_->CreateState();
};

TEST_F(CheckModule, Scalars) {
  EXPECT_EQ(Call("expect_true", "0i_v", {Number(1)}), "holds");
  EXPECT_EQ(Call("expect_true", "0i_v", {Number(-1)}), "holds");
  EXPECT_EQ(Call("expect_true", "0i_v", {Number(0)}), "fails");
  EXPECT_EQ(Call("expect_false", "0i_v", {Number(0)}), "holds");
  EXPECT_EQ(Call("expect_false", "0i_v", {Number(2)}), "fails");
}

TEST_F(CheckModule, Tensors) {
  const auto a = Floats({1, 2}, hal::ElementType::kFloat32);
  const auto b = Floats({1, 0}, hal::ElementType::kFloat32);
  const vm::Slot device = Object(device_.get());
  EXPECT_EQ(Call("expect_all_true", "0rr_v", {device, Object(a.get())}),
            "holds");
  EXPECT_EQ(Call("expect_all_true", "0rr_v", {device, Object(b.get())}),
            "fails");
  // The device may be null.
  EXPECT_EQ(
      Call("expect_all_true", "0rr_v", {Object(nullptr), Object(b.get())}),
      "fails");
  EXPECT_EQ(
      Call("expect_eq", "0rrr_v", {device, Object(a.get()), Object(a.get())}),
      "holds");
  EXPECT_EQ(
      Call("expect_eq", "0rrr_v", {device, Object(a.get()), Object(b.get())}),
      "fails");
}

// Programs of 3.1 and 3.2 call signatures with fixed tolerances.
TEST_F(CheckModule, AlmostEqual) {
  const vm::Slot device = Object(device_.get());
  const auto call = [&](const char* signature, hal::ElementType type,
                        float difference, std::vector<vm::Slot> tolerances) {
    const auto a = Floats({1, 2}, type);
    const auto b = Floats({1, 2 + difference}, type);
    std::vector<vm::Slot> slots = {device, Object(a.get()), Object(b.get())};
    slots.insert(slots.end(), tolerances.begin(), tolerances.end());
    return Call("expect_almost_eq", signature, slots);
  };
  constexpr auto kF32 = hal::ElementType::kFloat32;
  constexpr auto kF64 = hal::ElementType::kFloat64;
  constexpr auto kF16 = hal::ElementType::kFloat16;
  EXPECT_EQ(call("0rrr_v", kF32, 0.00009f, {}), "holds");
  EXPECT_EQ(call("0rrr_v", kF32, 0.0002f, {}), "fails");
  EXPECT_EQ(call("0rrr_v", kF64, 0.00009f, {}), "holds");
  EXPECT_EQ(call("0rrr_v", kF64, 0.0002f, {}), "fails");
  EXPECT_EQ(call("0rrr_v", kF16, 0.0009f, {}), "holds");
  EXPECT_EQ(call("0rrr_v", kF16, 0.01f, {}), "fails");
  EXPECT_EQ(call("0rrrf_v", kF32, 0.25f, {Float(0.5f)}), "holds");
  EXPECT_EQ(call("0rrrf_v", kF32, 0.75f, {Float(0.5f)}), "fails");
  EXPECT_EQ(call("0rrrff_v", kF32, 0.25f, {Float(0), Float(0.5f)}), "holds");
  EXPECT_EQ(call("0rrrff_v", kF32, 0.25f, {Float(0.5f), Float(0)}), "holds");
  EXPECT_EQ(call("0rrrff_v", kF32, 0.25f, {Float(0.01f), Float(0.01f)}),
            "fails");
}

TEST_F(CheckModule, WrongArguments) {
  const vm::Slot device = Object(device_.get());
  EXPECT_EQ(Call("expect_all_true", "0rr_v", {device, device}),
            "Argument 1 is a hal.device, not a hal.buffer_view.");
  EXPECT_EQ(Call("expect_all_true", "0rr_v", {device, Object(nullptr)}),
            "Argument 1 is null; a hal.buffer_view is required.");
  EXPECT_NE(Call("expect_eq", "0rr_v", {}).find("expect_eq"),
            std::string::npos);
  EXPECT_NE(Call("expect_nothing", "0i_v", {}).find("expect_nothing"),
            std::string::npos);
}

}  // namespace
}  // namespace eyrie::tools
