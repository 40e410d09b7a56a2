#include "abi/native/xla/call.h"

#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "vm/object/buffer.h"

namespace eyrie::native {

FfiCall::FfiCall(FfiImportParts& parts)
    : NativeCall(parts.plan, parts),
      parts_(parts),
      context_(parts.ffi, *parts.registry, parts.instantiated, parts.memory),
      frame_(parts.handlers, *parts.pack, context_, arguments(), results()) {
  for (const FfiImportPlan::Scalar& scalar : parts.plan.scalars) {
    const size_t place = parts.pack->IndexOf(scalar.attribute);
    if (scalar.type == FfiType::kNone) {
      frame_.AddText(place);
    } else {
      frame_.AddScalar(place, scalar.type);
    }
  }
}

absl::StatusOr<FfiType> FfiCall::CheckType(size_t index,
                                           const hal::BufferView& view) const {
  const FfiOperand& operand = *parts_.plan.operands[index];
  const hal::ElementType element = view.element_type();
  const FfiType type =
      operand.type != FfiType::kNone ? operand.type : FfiTypeOf(element);
  if (operand.type != FfiType::kNone && !IsTakenAs(element, operand.type)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Argument ", index, " of the handler is ", view.ShapeAndType(),
        "; elements of ", InfoOf(operand.type).name, " are declared."));
  }
  if (type == FfiType::kNone) {
    return absl::UnimplementedError(absl::StrCat(
        "Argument ", index, " of the handler is ", view.ShapeAndType(),
        "; XLA FFI does not support this type, or stores it differently."));
  }
  // A type that the manifest names is one that the handler knows.
  if (operand.type == FfiType::kNone &&
      InfoOf(type).since > parts_.handlers.minor) {
    return absl::UnimplementedError(absl::StrCat(
        "Argument ", index, " of the handler is ", view.ShapeAndType(),
        "; the handler uses version 0.", parts_.handlers.minor,
        " of XLA FFI, which may not support this type. If the handler does, "
        "name the type in the manifest."));
  }
  return type;
}

absl::StatusOr<FfiType> FfiCall::CheckArgument(
    size_t index, const hal::BufferView& view) const {
  ASSIGN_OR_RETURN(const FfiType type, CheckType(index, view));
  const hal::TensorType& declared = parts_.plan.operands[index]->tensor;
  if (declared.FitsShape(view.shape())) return type;
  return absl::InvalidArgumentError(absl::StrCat(
      "Argument ", index, " of the handler is ", view.ShapeAndType(), "; ",
      declared.ShapeDifference(
          view.shape(),
          absl::StrCat(declared.ShapePrefix(), InfoOf(type).name))));
}

absl::StatusOr<FfiType> FfiCall::CheckResult(size_t index,
                                             std::span<const int64_t> dims,
                                             hal::ElementType& element) const {
  const FfiType type = FfiTypeOf(element);
  if (type != FfiType::kNone) return type;
  return absl::InvalidArgumentError(
      absl::StrCat("Result ", index, " of the handler has the sizes [",
                   absl::StrJoin(dims, ", "),
                   "], of elements that XLA FFI does not support."));
}

absl::Status FfiCall::SetScalar(size_t index, const vm::Slot& slot) {
  const FfiImportPlan::Scalar& scalar = parts_.plan.scalars[index];
  if (scalar.type == FfiType::kNone) {
    auto* buffer = RefCast<vm::Buffer>(slot.ref);
    if (buffer == nullptr) {
      return absl::InvalidArgumentError(
          absl::StrCat("The attribute '", scalar.attribute,
                       "' of the handler is not a !vm.buffer."));
    }
    frame_.text(scalar.place) = {buffer->text().data(), buffer->text().size()};
    return absl::OkStatus();
  }
  uint64_t bits = 0;
  std::memcpy(&bits, &slot, sizeof(bits));
  if (scalar.type == FfiType::kPred) bits = static_cast<uint32_t>(bits) != 0;
  frame_.scalar(scalar.place) = bits;
  return absl::OkStatus();
}

absl::Status FfiCall::Prepare(const vm::ModuleState& import,
                              const vm::Slot* arguments) {
  RETURN_IF_ERROR(PrepareTensors(import, arguments));
  frame_.set_arg_count(given());
  for (size_t i = 0; i < parts_.plan.scalars.size(); ++i) {
    RETURN_IF_ERROR(SetScalar(i, arguments[parts_.plan.scalars[i].slot]));
  }
  if (is_usual() || parts_.plan.has_fences()) [[likely]]
    return absl::OkStatus();
  return CopyIn();
}

absl::Status FfiCall::CopyIn() {
  RETURN_IF_ERROR(CopyTensorsIn());
  return parts_.ffi.cuda == nullptr ? absl::OkStatus() : CopyToDevice();
}

void FfiCall::Retain(const vm::Slot* arguments) {
  for (const NativePlan::Argument& argument : parts_.plan.arguments) {
    if (argument.slot == NativePlan::kNone) continue;
    retained_.push_back(Ref<RefObject>::Share(arguments[argument.slot].ref));
  }
  for (const FfiImportPlan::Scalar& scalar : parts_.plan.scalars) {
    if (scalar.type != FfiType::kNone) continue;
    retained_.push_back(Ref<RefObject>::Share(arguments[scalar.slot].ref));
  }
}

void FfiCall::End(bool succeeded) {
  if (busy_) [[unlikely]]
    parts_.ffi.cuda->Await().IgnoreError();
  busy_ = false;
  EndTensors(succeeded);
  const CudaDevice::Current current(parts_.ffi.cuda.get());
  context_.End();
  if (!retained_.empty()) [[unlikely]]
    retained_.clear();
}

// Copies a call's arguments to a device, and its results back.
//
// Handlers for CUDA get memory of the device. All copies are in the order of
// the context's stream. A call waits for the stream before it releases memory,
// also if it fails. Tested by tools/native_test.sh.

absl::Status FfiCall::CopyToDevice() {
  const CudaDevice& device = *parts_.ffi.cuda;
  busy_ = true;
  on_device_.clear();
  for (size_t i = 0; i < results().size(); ++i) {
    const uint64_t bytes = ResultBytes(i);
    if (bytes != 0) on_device_.push_back({i, results()[i].data, bytes});
  }
  for (size_t i = 0; i < given(); ++i) {
    const uint64_t bytes = ArgumentBytes(i);
    const void* const host = arguments()[i].data;
    void* memory = nullptr;
    if (bytes != 0) {
      ASSIGN_OR_RETURN(memory, context_.Allocate(bytes, kAlignment));
      RETURN_IF_ERROR(device.CopyIn(memory, host, bytes));
    }
    arguments()[i].data = memory;
    if (const auto result = parts_.plan.arguments[i].inout) {
      results()[*result].data = memory;
    }
  }
  for (const DeviceResult& result : on_device_) {
    if (parts_.plan.results[result.index].shape.inout()) continue;
    ASSIGN_OR_RETURN(results()[result.index].data,
                     context_.Allocate(result.bytes, kAlignment));
  }
  return absl::OkStatus();
}

absl::Status FfiCall::CopyFromDevice() {
  const CudaDevice& device = *parts_.ffi.cuda;
  for (const DeviceResult& result : on_device_) {
    RETURN_IF_ERROR(device.CopyOut(result.host, results()[result.index].data,
                                   result.bytes));
  }
  RETURN_IF_ERROR(device.Await());
  busy_ = false;
  return absl::OkStatus();
}

}  // namespace eyrie::native
