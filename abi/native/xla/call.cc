#include "abi/native/xla/call.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "abi/native/call_support.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "vm/object/buffer.h"

namespace eyrie::native {
namespace {

constexpr size_t kTemporaryAlignment = 64;
// Allocating a result up to this size costs more than a typical handler's work.
constexpr uint64_t kMaxSpare = 4096;

// Token buffers point here; they have no bytes.
constexpr int64_t kNoDims[1] = {};

}  // namespace

FfiCall::FfiCall(FfiImportParts& parts)
    : parts_(parts),
      context_(parts.ffi, *parts.registry, parts.instantiated, parts.memory),
      frame_(parts.handlers, *parts.pack, context_, parts.plan.buffers.size(),
             parts.plan.results.size()),
      views_(parts.plan.buffers.size()),
      seen_(parts.plan.buffers.size()),
      results_(parts.plan.results.size()),
      spares_(parts.plan.results.size()),
      shapes_(parts.plan.results.size()) {
  const std::span<const int64_t> no_dims(kNoDims, 0);
  for (size_t i = 0; i < views_.size(); ++i) {
    FfiFrame::Fill(frame_.arg(i), FfiType::kToken, nullptr, no_dims);
  }
  for (size_t i = 0; i < results_.size(); ++i) {
    FfiFrame::Fill(frame_.result(i), FfiType::kToken, nullptr, no_dims);
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

absl::Status FfiCall::CheckType(size_t index, const hal::BufferView& view) {
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
  if (InfoOf(type).since > parts_.handlers.minor) {
    return absl::UnimplementedError(absl::StrCat(
        "Argument ", index, " of the handler is ", view.ShapeAndType(),
        "; the handler uses version 0.", parts_.handlers.minor,
        " of XLA FFI, which may not support this type."));
  }
  seen_[index] = {element, type};
  return absl::OkStatus();
}

absl::Status FfiCall::CheckDims(size_t index,
                                const hal::BufferView& view) const {
  const std::vector<int64_t>& dims = *parts_.plan.buffers[index].operand->dims;
  bool same = dims.size() == view.shape().size();
  for (size_t i = 0; same && i < dims.size(); ++i) {
    same = dims[i] == FfiOperand::kAnyDim || dims[i] == view.shape()[i];
  }
  if (same) [[likely]]
    return absl::OkStatus();
  std::string declared;
  for (const int64_t dim : dims) {
    absl::StrAppend(&declared, dim < 0 ? "?" : absl::StrCat(dim), "x");
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "Argument ", index, " of the handler is ", view.ShapeAndType(), "; ",
      declared, InfoOf(seen_[index].type).name, " is declared."));
}

absl::Status FfiCall::SetBuffer(size_t index, const vm::Slot* arguments) {
  const FfiImportPlan::Buffer& plan = parts_.plan.buffers[index];
  if (plan.slot == FfiImportPlan::kNoSlot) return absl::OkStatus();
  RefObject* const object = arguments[plan.slot].ref;
  const auto* view = RefCast<hal::BufferView>(object);
  if (view == nullptr) [[unlikely]]
    return NoViewError(index, "handler", object);
  views_[index] = view;
  if (view->element_type() != seen_[index].element) [[unlikely]]
    RETURN_IF_ERROR(CheckType(index, *view));
  if (plan.operand->dims) RETURN_IF_ERROR(CheckDims(index, *view));
  uint8_t* const data = view->buffer()->host_data();
  if (data == nullptr && view->byte_length() != 0) [[unlikely]] {
    return absl::FailedPreconditionError(absl::StrCat(
        "Argument ", index,
        " of the handler is in memory that the host cannot access."));
  }
  FfiFrame::Fill(frame_.arg(index), seen_[index].type, data, view->shape());
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

Ref<hal::BufferView> FfiCall::TakeSpare(size_t index, hal::ElementType element,
                                        const hal::BufferView::Shape& shape) {
  for (Ref<hal::BufferView>& spare : spares_[index]) {
    if (!spare || !spare->IsUnique() || !spare->buffer()->IsUnique() ||
        !spare->buffer()->HasOneOwner() || spare->element_type() != element ||
        !std::equal(shape.begin(), shape.end(), spare->shape().begin(),
                    spare->shape().end())) {
      continue;
    }
    return std::move(spare);
  }
  return nullptr;
}

void FfiCall::KeepSpare(size_t index, Ref<hal::BufferView> view) {
  if (view->byte_length() > kMaxSpare) return;
  auto& [newer, older] = spares_[index];
  if (newer) older = std::move(newer);
  newer = std::move(view);
}

absl::Status FfiCall::CreateResult(size_t index) {
  const FfiResult& plan = parts_.plan.results[index];
  if (plan.kind == FfiResult::Kind::kToken) return absl::OkStatus();
  hal::ElementType element = hal::ElementType::kNone;
  hal::BufferView::Shape& shape = shapes_[index];
  RETURN_IF_ERROR(plan.shape.Apply(views_, element, shape));
  int64_t count = 1;
  for (const int64_t dim : shape) {
    if (__builtin_mul_overflow(count, dim, &count)) count = -1;
  }
  const std::optional<uint64_t> bytes = hal::DenseByteLength(element, count);
  const FfiType type = FfiTypeOf(element);
  if (!bytes || type == FfiType::kNone) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Result ", index, " of the handler has the sizes [",
        absl::StrJoin(shape, ", "), "], ",
        type == FfiType::kNone ? "of elements that XLA FFI does not support."
                               : "which exceed any memory."));
  }
  if (plan.kind == FfiResult::Kind::kTemporary) {
    ASSIGN_OR_RETURN(void* data,
                     context_.Allocate(*bytes, kTemporaryAlignment));
    FfiFrame::Fill(frame_.result(index), type, data, shape);
    return absl::OkStatus();
  }
  if (Ref<hal::BufferView> spare = TakeSpare(index, element, shape)) {
    FfiFrame::Fill(frame_.result(index), type, spare->buffer()->host_data(),
                   spare->shape());
    results_[index] = std::move(spare);
    return absl::OkStatus();
  }
  hal::Allocator& allocator = parts_.services->device->allocator();
  ASSIGN_OR_RETURN(Ref<hal::Buffer> buffer,
                   allocator.AllocateCharged(parts_.memory, "a result",
                                             parts_.result_params, *bytes));
  uint8_t* const data = buffer->host_data();
  ASSIGN_OR_RETURN(Ref<hal::BufferView> view,
                   hal::BufferView::Create(std::move(buffer), shape, element));
  if (parts_.memory != nullptr) {
    ASSIGN_OR_RETURN(MemoryCharge charge,
                     MemoryCharge::Take(parts_.memory, sizeof(hal::BufferView),
                                        "a buffer view"));
    view->Hold(std::move(charge));
  }
  FfiFrame::Fill(frame_.result(index), type, data, view->shape());
  results_[index] = std::move(view);
  return absl::OkStatus();
}

absl::Status FfiCall::Prepare(const vm::Slot* arguments) {
  size_t count = views_.size();
  // Trailing optional arguments may be null.
  while (count > 0 &&
         parts_.plan.buffers[count - 1].operand->presence ==
             FfiOperand::Presence::kOptional &&
         arguments[parts_.plan.buffers[count - 1].slot].ref == nullptr) {
    views_[--count] = nullptr;
  }
  frame_.set_arg_count(count);
  for (size_t i = 0; i < count; ++i) RETURN_IF_ERROR(SetBuffer(i, arguments));
  for (size_t i = 0; i < parts_.plan.scalars.size(); ++i) {
    RETURN_IF_ERROR(SetScalar(i, arguments[parts_.plan.scalars[i].slot]));
  }
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
  for (const Ref<hal::BufferView>& result : results_) {
    if (!result) continue;
    (results++)->ref = Ref<RefObject>(result).release();
  }
}

void FfiCall::End() {
  context_.End();
  for (size_t i = 0; i < results_.size(); ++i) {
    if (results_[i]) KeepSpare(i, std::move(results_[i]));
  }
  retained_.clear();
}

}  // namespace eyrie::native
