#include "abi/native/xla/context.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <utility>

#include "abi/native/guarded_call.h"
#include "absl/strings/str_cat.h"
#include "base/checked_math.h"
#include "base/status_macros.h"

namespace eyrie::native {
namespace {

constexpr size_t kMaxAlignment = 4096;
constexpr size_t kMinAlignment = 64;  // as for our buffers

}  // namespace

void FfiState::Set(void* object, int64_t type_id, FfiDeleter deleter) {
  Reset();
  object_ = object;
  type_id_ = type_id;
  deleter_ = deleter;
}

void FfiState::Delete() {
  void* const object = std::exchange(object_, nullptr);
  if (deleter_ == nullptr) return;
  Thrown ignored;
  RunGuarded(deleter_, object, ignored);
}

void FfiContext::FreeDeleter::operator()(void* data) const {
  if (device != nullptr) return device->Free(data);
  std::free(data);
}

FfiState* FfiContext::state(int32_t stage) {
  switch (stage) {
    case EYRIE_FFI_INSTANTIATE:
      return &instantiated_;
    case EYRIE_FFI_PREPARE:
    case EYRIE_FFI_INITIALIZE:
      return &states_[stage - EYRIE_FFI_PREPARE];
    default:
      return nullptr;
  }
}

absl::StatusOr<void*> FfiContext::Allocate(size_t bytes, size_t alignment) {
  const CudaDevice* const device = services_.cuda.get();
  const size_t most =
      device == nullptr ? kMaxAlignment : CudaDevice::kAlignment;
  if (!std::has_single_bit(alignment) || alignment > most) {
    return absl::InvalidArgumentError(
        absl::StrCat("Scratch memory was requested with an alignment of ",
                     alignment, "; expected a power of two up to ", most, "."));
  }
  alignment = std::max(alignment, kMinAlignment);
  if (bytes > SIZE_MAX - alignment) {
    return absl::ResourceExhaustedError(
        absl::StrCat("Scratch memory of ", bytes, " bytes was requested."));
  }
  const size_t whole = AlignUp(std::max<size_t>(bytes, 1), alignment);
  ASSIGN_OR_RETURN(
      MemoryCharge charge,
      MemoryCharge::Take(
          memory_, whole,
          device == nullptr ? "scratch memory" : "memory of the device"));
  Allocation allocation;
  if (device != nullptr) {
    ASSIGN_OR_RETURN(void* const data, device->Allocate(whole));
    allocation.data = {data, FreeDeleter{device}};
  } else {
    allocation.data.reset(std::aligned_alloc(alignment, whole));
  }
  if (allocation.data == nullptr) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "The system cannot allocate ", whole, " bytes of scratch memory."));
  }
  allocation.charge = std::move(charge);
  void* const data = allocation.data.get();
  const std::lock_guard lock(mutex_);
  allocations_.push_back(std::move(allocation));
  return data;
}

absl::Status FfiContext::Free(void* data) {
  if (data == nullptr) return absl::OkStatus();
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(
      allocations_.begin(), allocations_.end(), [data](const Allocation& each) {
        return each.data.get() == data && !each.is_freed;
      });
  if (found == allocations_.end()) {
    return absl::InvalidArgumentError(
        "The handler freed scratch memory that this call did not allocate.");
  }
  if (found->data.get_deleter().device != nullptr) {
    found->is_freed = true;
    return absl::OkStatus();
  }
  std::swap(*found, allocations_.back());
  allocations_.pop_back();
  return absl::OkStatus();
}

void FfiContext::Schedule(void (*task)(void* data), void* data) {
  std::shared_ptr<TaskWatch> watch;
  {
    const std::lock_guard lock(mutex_);
    if (watch_ == nullptr) watch_ = std::make_shared<TaskWatch>();
    watch = watch_;
  }
  if (services_.tasks == nullptr) return watch->Run(task, data);
  services_.tasks->Schedule(
      [watch = std::move(watch), task, data] { watch->Run(task, data); });
}

void TaskWatch::Run(void (*task)(void* data), void* data) {
  Thrown thrown;
  RunGuarded(task, data, thrown);
  if (!thrown.any()) [[likely]]
    return;
  const std::lock_guard lock(mutex_);
  failure_ = absl::UnknownError(absl::StrCat(
      "A task of the handler threw an exception: ", ThrownLines(thrown)));
  if (future_) future_->timeline()->Fail(failure_);
}

void TaskWatch::Attach(Ref<eyrie_ffi_future> future) {
  const std::lock_guard lock(mutex_);
  if (!failure_.ok()) future->timeline()->Fail(failure_);
  future_ = std::move(future);
}

}  // namespace eyrie::native
