#include "abi/native/xla/call.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "abi/native/call_support.h"
#include "abi/native/strided_copy.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "hal/packed_elements.h"
#include "vm/object/buffer.h"

namespace eyrie::native {
namespace {

// Token buffers point here; they have no bytes.
constexpr int64_t kNoDims[1] = {};

// Reports whether two shapes are equal. Without a call, because most have few
// dimensions.
bool IsSame(std::span<const int64_t> a, std::span<const int64_t> b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i]) return false;
  }
  return true;
}

// Reports whether the caller alone holds the view and its memory.
bool IsFree(const hal::BufferView& view) {
  return view.IsUnique() && view.buffer()->IsUnique() &&
         view.buffer()->HasOneOwner();
}

}  // namespace

FfiCall::FfiCall(FfiImportParts& parts)
    : parts_(parts),
      context_(parts.ffi, *parts.registry, parts.instantiated, parts.memory),
      frame_(parts.handlers, *parts.pack, context_, parts.plan.buffers.size(),
             parts.plan.results.size()),
      views_(parts.plan.buffers.size()),
      arguments_(parts.plan.buffers.size()),
      results_(parts.plan.results.size()),
      given_(views_.size()) {
  const std::span<const int64_t> no_dims(kNoDims, 0);
  for (size_t i = 0; i < views_.size(); ++i) {
    FfiFrame::Fill(frame_.arg(i), FfiType::kToken, nullptr, no_dims);
  }
  for (size_t i = 0; i < results_.size(); ++i) {
    FfiFrame::Fill(frame_.result(i), FfiType::kToken, nullptr, no_dims);
    results_[i].kind = parts.plan.results[i].kind;
  }
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
  const FfiOperand& operand = *parts_.plan.buffers[index].operand;
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

absl::Status FfiCall::CheckDims(size_t index, const hal::BufferView& view,
                                FfiType type) const {
  const hal::TensorType& declared = parts_.plan.buffers[index].operand->tensor;
  if (declared.FitsShape(view.shape())) [[likely]]
    return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "Argument ", index, " of the handler is ", view.ShapeAndType(), "; ",
      declared.ShapeDifference(
          view.shape(),
          absl::StrCat(declared.ShapePrefix(), InfoOf(type).name))));
}

absl::Status FfiCall::Learn(size_t index, const hal::BufferView& view) {
  Argument& argument = arguments_[index];
  argument.element = hal::ElementType::kNone;
  planned_ = usual_ = false;
  ASSIGN_OR_RETURN(const FfiType type, CheckType(index, view));
  RETURN_IF_ERROR(CheckDims(index, view, type));
  RETURN_IF_ERROR(parts_.plan.buffers[index].operand->layout.CheckRank(
      absl::StrCat("Argument ", index, " of the handler"),
      view.shape().size()));
  argument.element = view.element_type();
  argument.shape.assign(view.shape().begin(), view.shape().end());
  FfiFrame::Fill(frame_.arg(index), type, nullptr, argument.shape);
  return absl::OkStatus();
}

absl::Status FfiCall::SetBuffer(size_t index, const vm::Slot* arguments) {
  const uint32_t slot = parts_.plan.buffers[index].slot;
  if (slot == FfiImportPlan::kNoSlot) return absl::OkStatus();
  RefObject* const object = arguments[slot].ref;
  const auto* view = RefCast<hal::BufferView>(object);
  if (view == nullptr) [[unlikely]]
    return NoViewError(index, "handler", object);
  views_[index] = view;
  const Argument& known = arguments_[index];
  if (view->element_type() != known.element ||
      !IsSame(view->shape(), known.shape)) [[unlikely]] {
    RETURN_IF_ERROR(Learn(index, *view));
  }
  uint8_t* const data = view->buffer()->host_data();
  if (data == nullptr && view->byte_length() != 0) [[unlikely]]
    usual_ = false;
  frame_.arg(index).data = data;
  return absl::OkStatus();
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

absl::Status FfiCall::PlanResult(size_t index) {
  Result& result = results_[index];
  if (result.kind == FfiResult::Kind::kToken) return absl::OkStatus();
  result.views = {};
  result.element = hal::ElementType::kNone;
  RETURN_IF_ERROR(parts_.plan.results[index].shape.Apply(views_, result.element,
                                                         result.shape));
  RETURN_IF_ERROR(parts_.plan.results[index].layout.CheckRank(
      absl::StrCat("Result ", index, " of the handler"), result.shape.size()));
  int64_t count = 1;
  for (const int64_t dim : result.shape) {
    if (__builtin_mul_overflow(count, dim, &count)) count = -1;
  }
  const std::optional<uint64_t> bytes =
      hal::DenseByteLength(result.element, count);
  const FfiType type = FfiTypeOf(result.element);
  if (!bytes || type == FfiType::kNone) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Result ", index, " of the handler has the sizes [",
        absl::StrJoin(result.shape, ", "), "], ",
        type == FfiType::kNone ? "of elements that XLA FFI does not support."
                               : "which exceed any memory."));
  }
  result.bytes = *bytes;
  if (result.kind == FfiResult::Kind::kTemporary &&
      hal::IsPacked(result.element)) {
    result.bytes = static_cast<uint64_t>(count);  // never packed
  }
  large_ |= *bytes > kMaxKept;
  FfiFrame::Fill(frame_.result(index), type, nullptr, result.shape);
  return absl::OkStatus();
}

absl::StatusOr<Ref<hal::BufferView>> FfiCall::NewView(
    const Result& result) const {
  ASSIGN_OR_RETURN(
      Ref<hal::Buffer> buffer,
      parts_.services->device->allocator().AllocateCharged(
          parts_.memory, "a result", parts_.result_params, result.bytes));
  ASSIGN_OR_RETURN(
      Ref<hal::BufferView> view,
      hal::BufferView::Create(std::move(buffer), result.shape, result.element));
  if (parts_.memory != nullptr) {
    ASSIGN_OR_RETURN(MemoryCharge charge,
                     MemoryCharge::Take(parts_.memory, sizeof(hal::BufferView),
                                        "a buffer view"));
    view->Hold(std::move(charge));
  }
  return view;
}

absl::Status FfiCall::CreateResult(size_t index) {
  Result& result = results_[index];
  if (result.kind == FfiResult::Kind::kToken) return absl::OkStatus();
  if (result.kind == FfiResult::Kind::kTemporary) {
    ASSIGN_OR_RETURN(frame_.result(index).data,
                     context_.Allocate(result.bytes, kAlignment));
    return absl::OkStatus();
  }
  // The one before the last first: the caller rarely holds that, too.
  const uint8_t last = result.current;
  result.current = last ^ 1;
  if (!result.views[last ^ 1] || !IsFree(*result.views[last ^ 1])) {
    if (result.views[last] && IsFree(*result.views[last])) {
      result.current = last;
    } else {
      ASSIGN_OR_RETURN(result.views[last ^ 1], NewView(result));
    }
  }
  frame_.result(index).data =
      result.views[result.current]->buffer()->host_data();
  return absl::OkStatus();
}

absl::Status FfiCall::Prepare(const vm::ModuleState& import,
                              const vm::Slot* arguments) {
  size_t count = views_.size();
  // Trailing optional arguments may be null.
  while (count > 0 &&
         parts_.plan.buffers[count - 1].operand->presence ==
             FfiOperand::Presence::kOptional &&
         arguments[parts_.plan.buffers[count - 1].slot].ref == nullptr) {
    views_[--count] = nullptr;
  }
  if (count != given_) {
    given_ = count;
    planned_ = usual_ = false;
    frame_.set_arg_count(count);
  }
  for (size_t i = 0; i < count; ++i) RETURN_IF_ERROR(SetBuffer(i, arguments));
  for (size_t i = 0; i < parts_.plan.scalars.size(); ++i) {
    RETURN_IF_ERROR(SetScalar(i, arguments[parts_.plan.scalars[i].slot]));
  }
  if (!usual_) [[unlikely]]
    return PrepareUnusual(import, arguments);
  for (size_t i = 0; i < results_.size(); ++i) RETURN_IF_ERROR(CreateResult(i));
  return absl::OkStatus();
}

void FfiCall::Retain(const vm::Slot* arguments) {
  for (const FfiImportPlan::Buffer& buffer : parts_.plan.buffers) {
    if (buffer.slot == FfiImportPlan::kNoSlot) continue;
    retained_.push_back(Ref<RefObject>::Share(arguments[buffer.slot].ref));
  }
  for (const FfiImportPlan::Scalar& scalar : parts_.plan.scalars) {
    if (scalar.type != FfiType::kNone) continue;
    retained_.push_back(Ref<RefObject>::Share(arguments[scalar.slot].ref));
  }
}

void FfiCall::ShareResults(vm::Slot* results) const {
  for (const Result& result : results_) {
    if (result.kind != FfiResult::Kind::kBuffer) continue;
    RefObject* const view = result.views[result.current].get();
    view->AddRef();
    (results++)->ref = view;
  }
}

void FfiCall::End(bool succeeded) {
  if (attended_) [[unlikely]]
    Attend(succeeded);
  const CudaDevice::Current current(parts_.ffi.cuda.get());
  context_.End();
  if (!retained_.empty()) [[unlikely]]
    retained_.clear();
}

// Copies of a handler's arguments and results.
//
// An argument is copied if the handler's layout orders its elements
// differently, if the tensor packs several elements in a byte, if the host
// cannot see its memory, or if a result is "inout" with it and cannot take its
// memory. A result is copied after the call if its layout differs or its
// elements are packed. Elements that are packed and have another layout are
// copied twice. Tested by tools/native_test.sh, tools/vulkan_test.sh.

namespace {

// Returns the bytes of an element in a handler's buffer.
size_t HandlerBytes(hal::ElementType element) {
  return hal::IsPacked(element) ? 1 : hal::BitCount(element) / 8;
}

}  // namespace

absl::Status FfiCall::PrepareUnusual(const vm::ModuleState& import,
                                     const vm::Slot* arguments) {
  if (!planned_) {
    large_ = false;
    RETURN_IF_ERROR(parts_.plan.equal->Check({views_.data(), given_}));
    for (size_t i = 0; i < results_.size(); ++i) RETURN_IF_ERROR(PlanResult(i));
    planned_ = true;
  }
  bool takes_arguments = false;
  for (size_t i = 0; i < results_.size(); ++i) {
    results_[i].is_argument = TakeArgument(i, import, arguments);
    takes_arguments |= results_[i].is_argument;
    if (!results_[i].is_argument) RETURN_IF_ERROR(CreateResult(i));
  }
  RETURN_IF_ERROR(PlanCopies());
  usual_ = copies_in_.empty() && copies_out_.empty() && !takes_arguments &&
           parts_.ffi.cuda == nullptr;
  attended_ = large_ || !usual_;
  return parts_.plan.has_fences() ? absl::OkStatus() : CopyIn();
}

bool FfiCall::TakeArgument(size_t index, const vm::ModuleState& import,
                           const vm::Slot* arguments) {
  const std::optional<int> inout = parts_.plan.results[index].shape.inout();
  if (!inout || parts_.ffi.cuda != nullptr) return false;
  const auto argument = static_cast<size_t>(*inout);
  const FfiImportPlan::Buffer& plan = parts_.plan.buffers[argument];
  if (argument >= given_ || plan.slot == FfiImportPlan::kNoSlot) return false;
  auto* const view = RefCast<hal::BufferView>(arguments[plan.slot].ref);
  if (plan.operand->layout.Moves(view->shape()) ||
      hal::IsPacked(view->element_type()) ||
      !IsGivenAway(import, plan.slot, *view, {views_.data(), given_})) {
    return false;
  }
  attended_ = true;  // drops the view, also if the call fails before it runs
  Result& result = results_[index];
  result.current = 0;
  result.views = {Ref<hal::BufferView>::Share(view), nullptr};
  frame_.result(index).data = view->buffer()->host_data();
  return true;
}

absl::Status FfiCall::PlanCopies() {
  copies_in_.clear();
  copies_out_.clear();
  uint64_t bytes = 0;
  for (size_t i = 0; i < given_; ++i) {
    if (views_[i] == nullptr || views_[i]->byte_length() == 0) continue;
    RETURN_IF_ERROR(PlanArgumentCopy(i, bytes));
  }
  for (size_t i = 0; i < results_.size(); ++i) {
    if (results_[i].kind != FfiResult::Kind::kBuffer) continue;
    RETURN_IF_ERROR(PlanResultCopy(i, bytes));
  }
  for (size_t i = 0; parts_.ffi.cuda != nullptr && i < given_; ++i) {
    bytes += ArgumentBytes(i);
  }
  for (size_t i = 0; parts_.ffi.cuda != nullptr && i < results_.size(); ++i) {
    bytes += ResultBytes(i);
  }
  return parts_.state->WorkOnBytes(bytes);
}

absl::Status FfiCall::AddCopy(size_t index, const hal::BufferView& view,
                              bool moves, void*& elements,
                              std::vector<Copy>& copies, uint64_t& bytes) {
  const uint64_t size = static_cast<uint64_t>(view.element_count()) *
                        HandlerBytes(view.element_type());
  bytes += size;
  if (elements == nullptr) {
    ASSIGN_OR_RETURN(elements, context_.AllocateHost(size, kAlignment));
  }
  void* unpacked = nullptr;
  if (hal::IsPacked(view.element_type())) {
    unpacked = elements;
    if (moves) {
      bytes += size;
      ASSIGN_OR_RETURN(unpacked, context_.AllocateHost(size, kAlignment));
    }
  }
  copies.push_back({index, static_cast<uint8_t*>(elements),
                    static_cast<uint8_t*>(unpacked)});
  return absl::OkStatus();
}

absl::Status FfiCall::PlanArgumentCopy(size_t index, uint64_t& bytes) {
  const hal::BufferView& view = *views_[index];
  const FfiImportPlan::Buffer& plan = parts_.plan.buffers[index];
  const bool moves = plan.operand->layout.Moves(view.shape());
  const bool differs = moves || hal::IsPacked(view.element_type());
  // Memory of a device is always a copy.
  const bool is_written = plan.inout && parts_.ffi.cuda == nullptr &&
                          !results_[*plan.inout].is_argument;
  if (!differs && !is_written && view.buffer()->host_data() != nullptr) {
    return absl::OkStatus();
  }
  void* to = plan.inout && !differs ? frame_.result(*plan.inout).data : nullptr;
  RETURN_IF_ERROR(AddCopy(index, view, moves, to, copies_in_, bytes));
  frame_.arg(index).data = to;
  if (plan.inout) frame_.result(*plan.inout).data = to;
  return absl::OkStatus();
}

absl::Status FfiCall::PlanResultCopy(size_t index, uint64_t& bytes) {
  const Result& result = results_[index];
  const FfiResult& plan = parts_.plan.results[index];
  const bool moves = plan.layout.Moves(result.shape);
  if (result.bytes == 0 || !(moves || hal::IsPacked(result.element))) {
    return absl::OkStatus();
  }
  // Memory of an "inout" result is the argument's copy.
  void*& data = frame_.result(index).data;
  if (!plan.shape.inout()) data = nullptr;
  return AddCopy(index, *result.views[result.current], moves, data, copies_out_,
                 bytes);
}

absl::Status FfiCall::CopyIn() {
  for (const Copy& copy : copies_in_) {
    const hal::BufferView& view = *views_[copy.index];
    const TensorLayout& layout =
        parts_.plan.buffers[copy.index].operand->layout;
    RETURN_IF_ERROR(WithElements(view, [&](const uint8_t* elements) {
      if (copy.unpacked != nullptr) {
        // The handler's type says whether a signless element has a sign.
        const auto type = static_cast<FfiType>(frame_.arg(copy.index).type);
        hal::Unpack(InfoOf(type).element, elements,
                    {copy.unpacked, static_cast<size_t>(view.element_count())});
        if (copy.unpacked == copy.elements) return;
        elements = copy.unpacked;
      }
      CopyStrided(view.shape(), HandlerBytes(view.element_type()), elements,
                  TensorLayout().StridesOf(view.shape()), copy.elements,
                  layout.StridesOf(view.shape()));
    }));
  }
  return parts_.ffi.cuda == nullptr ? absl::OkStatus() : CopyToDevice();
}

uint64_t FfiCall::ArgumentBytes(size_t index) const {
  const hal::BufferView* const view = views_[index];
  if (view == nullptr) return 0;
  return static_cast<uint64_t>(view->element_count()) *
         HandlerBytes(view->element_type());
}

uint64_t FfiCall::ResultBytes(size_t index) const {
  const Result& result = results_[index];
  if (result.kind != FfiResult::Kind::kBuffer) return 0;
  const hal::BufferView& view = *result.views[result.current];
  return static_cast<uint64_t>(view.element_count()) *
         HandlerBytes(view.element_type());
}

void FfiCall::CopyOut() {
  for (const Copy& copy : copies_out_) {
    const Result& result = results_[copy.index];
    const hal::BufferView& view = *result.views[result.current];
    const TensorLayout& layout = parts_.plan.results[copy.index].layout;
    uint8_t* const data = view.buffer()->host_data();
    uint8_t* const to = copy.unpacked != nullptr ? copy.unpacked : data;
    if (to != copy.elements) {
      CopyStrided(result.shape, HandlerBytes(result.element), copy.elements,
                  layout.StridesOf(result.shape), to,
                  TensorLayout().StridesOf(result.shape));
    }
    if (copy.unpacked != nullptr) {
      hal::Pack(result.element,
                {copy.unpacked, static_cast<size_t>(view.element_count())},
                data);
    }
  }
}

void FfiCall::Attend(bool succeeded) {
  if (busy_) {
    parts_.ffi.cuda->Await().IgnoreError();
    busy_ = false;
  }
  if (succeeded) CopyOut();
  for (Result& result : results_) {
    if (result.bytes > kMaxKept || result.is_argument) result.views = {};
    result.is_argument = false;
  }
}

// Copies a call's arguments to a device, and its results back.
//
// Handlers for CUDA get memory of the device. All copies are in the order of
// the context's stream. A call waits for the stream before it releases memory,
// also if it fails. Tested by tools/native_test.sh.

absl::Status FfiCall::CopyToDevice() {
  const CudaDevice& device = *parts_.ffi.cuda;
  attended_ = busy_ = true;
  on_device_.clear();
  for (size_t i = 0; i < results_.size(); ++i) {
    const uint64_t bytes = ResultBytes(i);
    if (bytes != 0) on_device_.push_back({i, frame_.result(i).data, bytes});
  }
  for (size_t i = 0; i < given_; ++i) {
    const uint64_t bytes = ArgumentBytes(i);
    const void* const host = frame_.arg(i).data;
    void* memory = nullptr;
    if (bytes != 0) {
      ASSIGN_OR_RETURN(memory, context_.Allocate(bytes, kAlignment));
      RETURN_IF_ERROR(device.CopyIn(memory, host, bytes));
    }
    frame_.arg(i).data = memory;
    if (const auto result = parts_.plan.buffers[i].inout) {
      frame_.result(*result).data = memory;
    }
  }
  for (const DeviceResult& result : on_device_) {
    if (parts_.plan.results[result.index].shape.inout()) continue;
    ASSIGN_OR_RETURN(frame_.result(result.index).data,
                     context_.Allocate(result.bytes, kAlignment));
  }
  return absl::OkStatus();
}

absl::Status FfiCall::CopyFromDevice() {
  const CudaDevice& device = *parts_.ffi.cuda;
  for (const DeviceResult& result : on_device_) {
    RETURN_IF_ERROR(device.CopyOut(
        result.host, frame_.result(result.index).data, result.bytes));
  }
  RETURN_IF_ERROR(device.Await());
  busy_ = false;
  return absl::OkStatus();
}

}  // namespace eyrie::native
