#include "abi/native/xla/import.h"

#include <utility>

#include "abi/native/native_call.h"
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
  absl::Status status = call.Prepare(*this, arguments);
  Ref<eyrie_ffi_future> future;
  if (status.ok()) [[likely]]
    status = call.Run(NextRunId(), future);
  if (status.ok() && future) [[unlikely]] {
    call.Retain(arguments);
    status = Await(future);
    if (call_.get() != &call) return status;
  }
  if (status.ok()) [[likely]]
    status = call.TakeFromDevice();
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
  done->OnReached([self = shared_from_this(), call = std::move(call)](
                      const absl::Status& outcome) mutable {
    const FfiImport& import = *self;
    import.MayWait([self = std::move(self), call = std::move(call),
                    ok = outcome.ok()] { call->End(ok); });
  });
  return status;
}

absl::Status FfiImport::InvokeBetweenFences(const vm::Slot* arguments,
                                            vm::Slot* results) {
  ASSIGN_OR_RETURN(const CallFences fences,
                   ReadFences(arguments + parts_->plan.wait_slot));
  auto call = std::make_shared<FfiCall>(*parts_);
  if (const absl::Status status = call->Prepare(*this, arguments);
      !status.ok()) {
    fences.signal->Fail(Named(status));
    return status;
  }
  call->Retain(arguments);
  call->ShareResults(results);
  Running running = {shared_from_this(), std::move(call),
                     Ref<hal::Fence>::Share(fences.signal)};
  if (fences.wait == nullptr || fences.wait->points().empty()) {
    Start(std::move(running), absl::OkStatus());
    return absl::OkStatus();
  }
  fences.wait->OnReached(
      [running = std::move(running)](const absl::Status& reached) mutable {
        const FfiImport& import = *running.self;
        import.MayWait([running = std::move(running), reached]() mutable {
          Start(std::move(running), reached);
        });
      });
  return absl::OkStatus();
}

void FfiImport::Start(Running running, const absl::Status& reached) {
  if (!reached.ok()) return Finish(std::move(running), reached);
  FfiImport& self = *running.self;
  Ref<eyrie_ffi_future> future;
  absl::Status status = running.call->CopyIn();
  if (status.ok()) status = running.call->Run(self.NextRunId(), future);
  if (!status.ok() || !future) {
    return Finish(std::move(running), self.Named(status));
  }
  future->timeline()->OnReached(
      eyrie_ffi_future::kDone,
      [running = std::move(running)](const absl::Status& outcome) mutable {
        const FfiImport& import = *running.self;
        import.MayWait([running = std::move(running), outcome]() mutable {
          absl::Status named = running.self->Named(outcome);
          Finish(std::move(running), std::move(named));
        });
      });
}

void FfiImport::MayWait(std::function<void()> work) const {
  if (parts_->ffi.cuda == nullptr) return work();
  parts_->services->cuda->calls().Schedule(std::move(work));
}

absl::Status FfiImport::Named(const absl::Status& status) const {
  if (status.ok()) [[likely]]
    return status;
  return Annotate(status, absl::StrCat("(native function ", parts_->name, ")"));
}

void FfiImport::Finish(Running running, absl::Status status) {
  if (status.ok()) {
    status = running.self->Named(running.call->TakeFromDevice());
  }
  running.call->End(status.ok());
  running.call.reset();
  running.self.reset();
  EndFence(*running.signal, status);
}

}  // namespace eyrie::native
