// Tested by tools/native_test.sh.
#include "abi/native/xla/import.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/status_macros.h"

namespace eyrie::native {
namespace {

absl::Status NoFence(absl::string_view which, const RefObject* object) {
  return absl::InvalidArgumentError(absl::StrCat(
      "The fence ", which, " is ",
      object == nullptr ? "null" : absl::StrCat("a !", object->type().name),
      ", not a !hal.fence."));
}

}  // namespace

absl::StatusOr<std::shared_ptr<BoundFunction>> FfiImport::Create(
    std::unique_ptr<FfiImportParts> parts, vm::ModuleState& state,
    std::shared_ptr<const void> owner) {
  std::shared_ptr<FfiImport> import(
      new FfiImport(std::move(parts), state, std::move(owner)));
  import->call_ = std::make_shared<FfiCall>(*import->parts_);
  if (import->parts_->handlers.stages[EYRIE_FFI_INSTANTIATE] != nullptr) {
    RETURN_IF_ERROR(import->call_->Instantiate());
  }
  return std::shared_ptr<BoundFunction>(std::move(import));
}

absl::Status FfiImport::Invoke(const vm::Slot* arguments, vm::Slot* results) {
  return parts_->plan.has_fences() ? InvokeBetweenFences(arguments, results)
                                   : InvokeAndWait(arguments, results);
}

absl::Status FfiImport::InvokeAndWait(const vm::Slot* arguments,
                                      vm::Slot* results) {
  FfiCall& call = *call_;
  absl::Status status = call.Prepare(arguments);
  Ref<eyrie_ffi_future> future;
  if (status.ok()) [[likely]]
    status = call.Run(NextRunId(), future);
  if (status.ok() && future) [[unlikely]] {
    call.Retain(arguments);
    status = Await(future);
    if (call_.get() != &call) return status;
  }
  if (status.ok()) [[likely]]
    call.ShareResults(results);
  call.End();
  return status;
}

absl::Status FfiImport::Await(const Ref<eyrie_ffi_future>& future) {
  const Ref<hal::Fence> done =
      hal::Fence::At(future->timeline(), eyrie_ffi_future::kDone);
  const vm::Meter* meter = state_.meter();
  const absl::Time deadline =
      meter == nullptr ? absl::InfiniteFuture() : meter->deadline();
  const absl::Status status = done->Wait(
      deadline, [meter] { return meter != nullptr && meter->stopped(); });
  const absl::StatusOr<bool> reached = done->Query();
  if (!reached.ok() || *reached) return status;
  // The handler still writes; what it uses stays until it is done.
  std::shared_ptr<FfiCall> call =
      std::exchange(call_, std::make_shared<FfiCall>(*parts_));
  done->OnReached([self = shared_from_this(), call = std::move(call)](
                      const absl::Status&) { call->End(); });
  return status;
}

absl::Status FfiImport::InvokeBetweenFences(const vm::Slot* arguments,
                                            vm::Slot* results) {
  const vm::Slot* fences = arguments + parts_->plan.wait_slot;
  auto* wait = RefCast<hal::Fence>(fences[0].ref);
  auto* signal = RefCast<hal::Fence>(fences[1].ref);
  if (wait == nullptr && fences[0].ref != nullptr) {
    return NoFence("to wait for", fences[0].ref);
  }
  if (signal == nullptr) return NoFence("to signal", fences[1].ref);
  auto call = std::make_shared<FfiCall>(*parts_);
  if (const absl::Status status = call->Prepare(arguments); !status.ok()) {
    signal->Fail(status);
    return status;
  }
  call->Retain(arguments);
  call->ShareResults(results);
  Ref<hal::Fence> done = Ref<hal::Fence>::Share(signal);
  if (wait == nullptr || wait->points().empty()) {
    Start(std::move(call), absl::OkStatus(), std::move(done));
    return absl::OkStatus();
  }
  wait->OnReached([self = shared_from_this(), call = std::move(call),
                   done = std::move(done)](const absl::Status& reached) {
    self->Start(call, reached, done);
  });
  return absl::OkStatus();
}

void FfiImport::Start(std::shared_ptr<FfiCall> call,
                      const absl::Status& reached, Ref<hal::Fence> signal) {
  if (!reached.ok()) return Finish(*call, reached, signal.get());
  Ref<eyrie_ffi_future> future;
  const absl::Status status = call->Run(NextRunId(), future);
  if (!status.ok() || !future) return Finish(*call, status, signal.get());
  future->timeline()->OnReached(
      eyrie_ffi_future::kDone,
      [self = shared_from_this(), call = std::move(call),
       signal = std::move(signal)](const absl::Status& outcome) {
        Finish(*call, outcome, signal.get());
      });
}

void FfiImport::Finish(FfiCall& call, const absl::Status& status,
                       const hal::Fence* signal) {
  call.End();
  const absl::Status signalled = status.ok() ? signal->Signal() : status;
  if (!signalled.ok()) signal->Fail(signalled);
}

}  // namespace eyrie::native
