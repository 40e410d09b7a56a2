#include "abi/c/host_function.h"

#include <array>
#include <utility>

#include "abi/c/host_values.h"
#include "abi/native/native_call.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "vm/native/native_binding.h"

namespace eyrie::abi {
namespace {

using vm::binding_internal::GiveUp;

// Functions with at most so many numbers take the fast path.
constexpr size_t kFewArguments = 8;
constexpr size_t kFewResults = 4;

class HostImport final : public vm::ModuleState {
 public:
  HostImport(std::shared_ptr<const HostFunction> function,
             HostModuleState& module)
      : function_(std::move(function)),
        module_(module),
        entry_(function_->entry),
        user_(function_->user.get()),
        arguments_(static_cast<uint32_t>(function_->arguments.size())),
        results_(static_cast<uint32_t>(function_->results.size())) {}

  // Reports whether CallNumbers can be used.
  bool is_plain() const {
    const auto are_numbers = [](const std::vector<SlotKind>& kinds) {
      for (const SlotKind kind : kinds) {
        if (kind > SlotKind::k64) return false;
      }
      return true;
    };
    return are_numbers(function_->arguments) &&
           are_numbers(function_->results) && arguments_ <= kFewArguments &&
           results_ <= kFewResults;
  }

  static absl::Status CallNumbers(vm::ModuleState* state, uint8_t* frame,
                                  const uint32_t* places);
  static absl::Status CallAny(vm::ModuleState* state, uint8_t* frame,
                              const uint32_t* places) {
    const auto& self = static_cast<const HostImport&>(*state);
    eyrie_host_call_t call = {*self.function_, self.module_, frame, places};
    return self.Run(call, frame, places + self.arguments_);
  }
  static absl::Status CallBetweenFences(vm::ModuleState* state, uint8_t* frame,
                                        const uint32_t* places);

 private:
  absl::Status Run(eyrie_host_call_t& call, uint8_t* frame,
                   const uint32_t* next) const;

  const std::shared_ptr<const HostFunction> function_;
  HostModuleState& module_;
  const eyrie_host_function_t entry_;
  void* const user_;
  const uint32_t arguments_;
  const uint32_t results_;
};

absl::Status HostImport::CallNumbers(vm::ModuleState* state, uint8_t* frame,
                                     const uint32_t* places) {
  const auto& self = static_cast<const HostImport&>(*state);
  const HostFunction& function = *self.function_;
  // Not initialized as a whole: only the slots that the function has are set.
  std::array<eyrie_slot_t, kFewArguments> arguments;
  std::array<eyrie_slot_t, kFewResults> results;
  for (uint32_t i = 0; i < self.arguments_; ++i) {
    ReadNumber(function.arguments[i], function.signature.arguments[i], frame,
               places[i], arguments[i]);
  }
  for (uint32_t i = 0; i < self.results_; ++i) results[i].i64 = 0;
  eyrie_host_call_t call = {function, self.module_, frame, places};
  eyrie_error_t* const error =
      self.entry_(&call, arguments.data(), results.data(), self.user_);
  if (error != nullptr) [[unlikely]]
    return TakeHostError(error);
  const uint32_t* const next = GiveUp(frame, places + self.arguments_);
  for (uint32_t i = 0; i < self.results_; ++i) {
    WriteNumber(function.results[i], function.signature.results[i], results[i],
                frame, next[i]);
  }
  return absl::OkStatus();
}

absl::Status HostImport::Run(eyrie_host_call_t& call, uint8_t* frame,
                             const uint32_t* next) const {
  HostArguments arguments;
  RETURN_IF_ERROR(arguments.Read(call));
  call.slots = arguments.slots();
  HostResults results(*function_);
  eyrie_error_t* const error =
      entry_(&call, arguments.slots(), results.slots(), user_);
  if (error != nullptr) [[unlikely]]
    return TakeHostError(error);
  RETURN_IF_ERROR(results.Encode(call));
  // Nothing can fail from here on.
  results.Store(frame, GiveUp(frame, next));
  return absl::OkStatus();
}

absl::Status HostImport::CallBetweenFences(vm::ModuleState* state,
                                           uint8_t* frame,
                                           const uint32_t* places) {
  const auto& self = static_cast<const HostImport&>(*state);
  const uint32_t* const next = places + self.arguments_;
  std::array<vm::Slot, 2> slots;
  slots[0].ref = RefAt(frame, next[0]);
  slots[1].ref = RefAt(frame, next[1]);
  ASSIGN_OR_RETURN(const native::CallFences fences,
                   native::ReadFences(slots.data()));
  const bool is_async = self.function_->signature.is_async;
  // The frame's references may be given up before the fence is signalled.
  const auto signal = Ref<hal::Fence>::Share(fences.signal);
  eyrie_host_call_t call = {*self.function_,
                            self.module_,
                            frame,
                            places,
                            is_async ? fences.wait : nullptr,
                            is_async ? fences.signal : nullptr};
  absl::Status status;
  if (!is_async && fences.wait != nullptr) {
    status = native::WaitWithinLimits(*fences.wait, self.module_);
  }
  if (status.ok()) status = self.Run(call, frame, next + 2);
  if (!is_async || !status.ok()) native::EndFence(*signal, status);
  return status;
}

}  // namespace

absl::StatusOr<vm::NativeImport> BindHostFunction(
    std::shared_ptr<const HostFunction> function,
    const vm::CallingConvention& convention, HostModuleState& module) {
  const HostSignature& signature = function->signature;
  const std::string given = convention.ToString();
  const bool fences = given == signature.Convention(/*fences=*/true);
  const bool same = given == signature.Convention(/*fences=*/false);
  if (signature.is_async ? !fences : !fences && !same) {
    return absl::UnimplementedError(absl::StrCat(
        "The host function ", function->name, " is ", signature.ToString(),
        ", with the calling convention ",
        signature.Convention(signature.is_async),
        ", and is imported with the calling convention ", given, "."));
  }
  auto import = std::make_shared<HostImport>(std::move(function), module);
  const bool plain = import->is_plain();
  vm::ModuleState* const state = module.Keep(std::move(import));
  return vm::NativeImport{nullptr,
                          fences  ? HostImport::CallBetweenFences
                          : plain ? HostImport::CallNumbers
                                  : HostImport::CallAny,
                          state};
}

}  // namespace eyrie::abi
