#include "abi/call/object_copier.h"

#include <cstring>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "hal/allocator.h"
#include "hal/executable.h"
#include "hal/file.h"
#include "hal/pipeline_layout.h"
#include "hal/types.h"
#include "vm/isa/value.h"

namespace eyrie::abi {
namespace {

constexpr char kWhat[] = "a copy of globals";

// Objects of these types never change, or belong to the device.
constexpr const RefType* kShared[] = {
    &hal::Allocator::kType, &hal::DescriptorSetLayout::kType,
    &hal::Device::kType,    &hal::Executable::kType,
    &hal::File::kType,      &hal::PipelineLayout::kType,
};

// Reports whether programs may write to the buffer.
bool CanChange(const hal::Buffer& buffer) {
  constexpr hal::MemoryAccess kWrites =
      hal::memory_access::kWrite | hal::memory_access::kAny;
  return (buffer.allowed_access() & kWrites) != 0 &&
         (buffer.allowed_usage() & hal::buffer_usage::kSharingImmutable) == 0;
}

}  // namespace

ObjectCopier::ObjectCopier(std::span<const Ref<hal::Device>> devices,
                           std::shared_ptr<MemoryMeter> memory,
                           std::shared_ptr<vm::NestedLists> lists)
    : devices_(devices), memory_(std::move(memory)), lists_(std::move(lists)) {}

absl::StatusOr<Ref<RefObject>> ObjectCopier::Copy(RefObject* object) {
  if (object == nullptr) return Ref<RefObject>();
  const auto found = copies_.find(object);
  if (found != copies_.end()) return found->second;
  ASSIGN_OR_RETURN(Ref<RefObject> copy, CopyNew(*object));
  copies_.emplace(object, copy);
  return copy;
}

absl::StatusOr<Ref<RefObject>> ObjectCopier::CopyNew(RefObject& object) {
  if (absl::c_linear_search(kShared, &object.type())) {
    return Ref<RefObject>::Share(&object);
  }
  if (auto* const bytes = RefCast<vm::Buffer>(&object)) {
    return CopyBytes(*bytes);
  }
  if (auto* const list = RefCast<vm::List>(&object)) return CopyList(*list);
  if (auto* const buffer = RefCast<hal::Buffer>(&object)) {
    return CopyBuffer(*buffer);
  }
  if (auto* const view = RefCast<hal::BufferView>(&object)) {
    return CopyView(*view);
  }
  if (auto* const commands = RefCast<hal::CommandBuffer>(&object)) {
    return CopyCommands(*commands);
  }
  if (auto* const fence = RefCast<hal::Fence>(&object)) {
    if (!fence->IsKnownReached()) {
      fences_.push_back(Ref<hal::Fence>::Share(fence));
    }
    return Ref<RefObject>::Share(&object);
  }
  return absl::UnimplementedError(absl::StrCat(
      "An object of the type ", object.type().name, " cannot be copied."));
}

absl::StatusOr<Ref<RefObject>> ObjectCopier::CopyBytes(vm::Buffer& buffer) {
  if (!buffer.is_mutable()) return Ref<RefObject>::Share(&buffer);
  ASSIGN_OR_RETURN(
      Ref<vm::Buffer> copy,
      vm::Buffer::Copy(buffer.bytes(), vm::Buffer::kDefaultAlignment, memory_));
  return Ref<RefObject>(std::move(copy));
}

// The elements are copied later, because lists may contain each other.
absl::StatusOr<Ref<RefObject>> ObjectCopier::CopyList(vm::List& list) {
  ASSIGN_OR_RETURN(Ref<vm::List> copy,
                   vm::List::Create(list.element_type(), list.size(), memory_));
  new_lists_.emplace_back(&list, copy);
  return Ref<RefObject>(std::move(copy));
}

absl::StatusOr<Ref<RefObject>> ObjectCopier::CopyBuffer(hal::Buffer& buffer) {
  hal::Buffer& whole = buffer.allocation();
  if (!CanChange(whole)) return Ref<RefObject>::Share(&buffer);
  if (&whole == &buffer) return CopyAllocation(buffer);
  ASSIGN_OR_RETURN(Ref<RefObject> copy, Copy(&whole));
  ASSIGN_OR_RETURN(
      Ref<hal::Buffer> range,
      hal::Buffer::Subspan(
          Ref<hal::Buffer>::Share(static_cast<hal::Buffer*>(copy.get())),
          buffer.byte_offset(), buffer.byte_length()));
  return Ref<RefObject>(std::move(range));
}

absl::StatusOr<Ref<RefObject>> ObjectCopier::CopyAllocation(
    hal::Buffer& buffer) {
  for (const Ref<hal::Device>& device : devices_) {
    if (!device->allocator().CanUse(buffer)) continue;
    hal::BufferParams params = buffer.params();
    params.owner = hal::kOverwritten;
    ASSIGN_OR_RETURN(Ref<hal::Buffer> copy,
                     device->allocator().AllocateCharged(memory_, kWhat, params,
                                                         buffer.byte_length()));
    copy->TakeOwnersOf(buffer);
    new_buffers_.push_back(
        {Ref<hal::Buffer>::Share(&buffer), copy, device.get()});
    return Ref<RefObject>(std::move(copy));
  }
  return absl::FailedPreconditionError(
      "A buffer does not belong to any device of the context.");
}

absl::StatusOr<Ref<RefObject>> ObjectCopier::CopyView(hal::BufferView& view) {
  ASSIGN_OR_RETURN(Ref<RefObject> buffer, Copy(view.buffer().get()));
  if (buffer.get() == view.buffer().get()) return Ref<RefObject>::Share(&view);
  ASSIGN_OR_RETURN(
      Ref<hal::BufferView> copy,
      hal::BufferView::Create(
          Ref<hal::Buffer>::Share(static_cast<hal::Buffer*>(buffer.get())),
          view.shape(), view.element_type(), view.encoding()));
  return Ref<RefObject>(std::move(copy));
}

// Compiled programs keep commands whose buffers are given at each submission.
absl::StatusOr<Ref<RefObject>> ObjectCopier::CopyCommands(
    hal::CommandBuffer& commands) {
  bool is_fixed = commands.finalized() && !commands.talks_to_ranks();
  if (is_fixed) {
    commands.ForEachRef([&](const hal::RecordedRef& range) {
      is_fixed &=
          range.buffer == nullptr || !CanChange(range.buffer->allocation());
    });
  }
  if (is_fixed) return Ref<RefObject>::Share(&commands);
  return absl::UnimplementedError(
      "Commands that refer to a buffer that can change cannot be copied.");
}

absl::Status ObjectCopier::FillList(const vm::List& from, vm::List& to) {
  to.JoinNested(lists_);
  RETURN_IF_ERROR(to.Resize(from.size()));
  for (uint64_t i = 0; i < from.size(); ++i) {
    ASSIGN_OR_RETURN(vm::Value value, from.Get(i));
    if (value.is_ref()) {
      if (value.ref() == nullptr) continue;  // new elements are null or empty
      ASSIGN_OR_RETURN(Ref<RefObject> copy, Copy(value.ref()));
      value = vm::Value(std::move(copy));
    }
    RETURN_IF_ERROR(to.Set(i, value));
  }
  return absl::OkStatus();
}

absl::Status ObjectCopier::FillBuffer(const BufferPair& pair,
                                      std::vector<Ref<hal::Fence>>& copied) {
  const uint64_t size = pair.from->byte_length();
  if (size == 0) return absl::OkStatus();
  const uint8_t* const bytes = pair.from->Peek(0, size);
  if (bytes != nullptr && pair.to->Peek(0, size) != nullptr) {
    std::memcpy(pair.to->host_data(), bytes, size);
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(Ref<hal::Fence> done, pair.device->CreateFence());
  hal::QueueFences fences;
  fences.signal = done.get();
  fences.memory = &memory_;
  RETURN_IF_ERROR(
      pair.device->QueueCopy(fences, {pair.from, 0, size}, {pair.to, 0, size}));
  copied.push_back(std::move(done));
  return absl::OkStatus();
}

absl::Status ObjectCopier::Finish(Wait wait) {
  // Filling a list may add lists, buffers and fences.
  for (size_t i = 0; i < new_lists_.size(); ++i) {
    const auto [from, to] = new_lists_[i];
    RETURN_IF_ERROR(FillList(*from, *to));
  }
  for (const Ref<hal::Fence>& fence : fences_) RETURN_IF_ERROR(wait(*fence));
  std::vector<Ref<hal::Fence>> copied;
  for (const BufferPair& pair : new_buffers_) {
    RETURN_IF_ERROR(FillBuffer(pair, copied));
  }
  for (const Ref<hal::Fence>& fence : copied) RETURN_IF_ERROR(wait(*fence));
  return absl::OkStatus();
}

}  // namespace eyrie::abi
