#include "abi/native/xla/import.h"

#include <utility>

#include "abi/native/call_support.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace eyrie::native {

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
  call.End(status.ok());
  return status;
}

absl::Status FfiImport::Await(const Ref<eyrie_ffi_future>& future) {
  const Ref<hal::Fence> done =
      hal::Fence::ForPoint(future->timeline(), eyrie_ffi_future::kDone);
  const absl::Status status = WaitWithinLimits(*done, state_);
  const absl::StatusOr<bool> reached = done->Query();
  if (!reached.ok() || *reached) return status;
  // The handler is still running, so keep all that it uses until it is done.
  std::shared_ptr<FfiCall> call =
      std::exchange(call_, std::make_shared<FfiCall>(*parts_));
  done->OnReached([self = shared_from_this(),
                   call = std::move(call)](const absl::Status& outcome) {
    call->End(outcome.ok());
  });
  return status;
}

absl::Status FfiImport::InvokeBetweenFences(const vm::Slot* arguments,
                                            vm::Slot* results) {
  ASSIGN_OR_RETURN(const CallFences fences,
                   ReadFences(arguments + parts_->plan.wait_slot));
  auto call = std::make_shared<FfiCall>(*parts_);
  if (const absl::Status status = call->Prepare(arguments); !status.ok()) {
    fences.signal->Fail(Named(status));
    return status;
  }
  call->Retain(arguments);
  call->ShareResults(results);
  Ref<hal::Fence> done = Ref<hal::Fence>::Share(fences.signal);
  if (fences.wait == nullptr || fences.wait->points().empty()) {
    Start(std::move(call), absl::OkStatus(), std::move(done));
    return absl::OkStatus();
  }
  fences.wait->OnReached([self = shared_from_this(), call = std::move(call),
                          done = std::move(done)](const absl::Status& reached) {
    self->Start(call, reached, done);
  });
  return absl::OkStatus();
}

void FfiImport::Start(std::shared_ptr<FfiCall> call,
                      const absl::Status& reached, Ref<hal::Fence> signal) {
  if (!reached.ok()) return Finish(*call, reached, signal.get());
  Ref<eyrie_ffi_future> future;
  absl::Status status = call->CopyIn();
  if (status.ok()) status = call->Run(NextRunId(), future);
  if (!status.ok() || !future) {
    return Finish(*call, Named(status), signal.get());
  }
  future->timeline()->OnReached(
      eyrie_ffi_future::kDone,
      [self = shared_from_this(), call = std::move(call),
       signal = std::move(signal)](const absl::Status& outcome) {
        Finish(*call, self->Named(outcome), signal.get());
      });
}

absl::Status FfiImport::Named(const absl::Status& status) const {
  if (status.ok()) [[likely]]
    return status;
  return Annotate(status, absl::StrCat("(native function ", parts_->name, ")"));
}

void FfiImport::Finish(FfiCall& call, const absl::Status& status,
                       const hal::Fence* signal) {
  call.End(status.ok());
  EndFence(*signal, status);
}

}  // namespace eyrie::native
