// A function of a session, called with registers. Invoker calls it with values
// of the host. Adds the fences that asynchronous functions need, and storage
// for the results of raw functions.
// Tested by session_test.cc, raw_call_test.cc, start_test.cc.
#ifndef EYRIE_ABI_CALL_CALLABLE_H_
#define EYRIE_ABI_CALL_CALLABLE_H_

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "abi/signature/signature.h"
#include "abi/v0/call/result_storage.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/memory_meter.h"
#include "base/ref.h"
#include "hal/device.h"
#include "hal/fence.h"
#include "hal/fence_line.h"
#include "vm/isa/value.h"
#include "vm/module/module.h"
#include "vm/run/context.h"

namespace eyrie::abi {

// Names in errors: there is no memory for the values of a call.
inline constexpr char kArguments[] = "the arguments of a call";
inline constexpr char kResults[] = "the results of a call";

// Waits for the results of a running call. DEADLINE_EXCEEDED or CANCELLED: the
// call was stopped. Otherwise fails as the fence does.
absl::Status WaitWithin(const vm::Context& context, const hal::Fence& fence);

// A function of a session: its types as a caller sees them, and calls. A small
// value. Thread-compatible. The session must outlive it.
class Callable {
 public:
  // Makes a function callable. `device`, the session's first, holds fences and
  // storage; it may be null. FAILED_PRECONDITION: the function signals a fence,
  // and there is no device.
  static absl::StatusOr<Callable> Bind(vm::Context& context,
                                       Ref<hal::Device> device,
                                       const vm::Function& function);

  const vm::Function& function() const { return function_; }
  // Returns the signature that the source declares, or else what the code and
  // the calling convention show.
  const Signature& declared() const { return declared_; }
  // Returns the signature from its best source. Fails as abi::ReadSignature.
  absl::StatusOr<Signature> ReadSignature() const;
  // Returns the signature that `count` arguments in registers must match: that
  // of a raw function if they can be its inputs alone, else declared().
  const Signature& OfRegisters(size_t count) const {
    return raw_ != nullptr && count <= raw_->input_count() ? *inputs_
                                                           : declared_;
  }

  // The meter of the session's memory; null if it has no limit.
  const std::shared_ptr<MemoryMeter>& memory() const;

  // Reports whether the function returns before its results are ready, and
  // signals a fence when they are.
  bool is_async() const { return adds_fences_; }
  // Allocates storage for the results of a function with V0's raw convention.
  // Null for other functions, and if the signature is wrong; raw_status() has
  // the error.
  const v0::ResultStorage* raw() const { return raw_.get(); }
  const absl::Status& raw_status() const { return raw_status_; }

  // The types of the calling convention, without the two fences of an
  // asynchronous function. Storage that a raw function fills but does not
  // return counts as a result.
  std::span<const vm::ValueType> argument_types() const;
  std::span<const vm::ValueType> result_types() const { return results_; }
  // Returns the declared type of a result; null for storage that a raw function
  // fills but does not return.
  const Type* declared_result(size_t index) const;

  // Calls the function and waits for its results. The arguments, which the call
  // borrows, are those that Invoker::Encode or EncodeRegisters returned.
  // Allocates storage for the results of a raw function if the caller does not
  // pass it. The session's limits apply to the whole call. Fails as the
  // function does, or if the registers are not those of the function.
  absl::StatusOr<std::vector<vm::Value>> Call(
      std::span<const vm::Value> arguments);

  // Calls with slots: `arguments` match argument_types(), or the inputs of a
  // raw signature; `results` match result_types(). The caller owns the results.
  // On errors there are none: `results` must not be read.
  absl::Status Invoke(std::span<const vm::Slot> arguments,
                      std::span<vm::Slot> results);

  // Calls the function without waiting for its results. An asynchronous
  // function begins when `wait` is reached, and signals `signal` if this
  // succeeds; `wait` may be null. For other functions both must be null.
  // `slots` receives the storage that was allocated; if it has_unknown(), the
  // results are known only after the call completes. Fails as Call does.
  absl::Status Start(std::span<const vm::Value> arguments, hal::Fence* wait,
                     hal::Fence* signal, v0::ResultStorage::Slots& slots,
                     std::vector<vm::Value>& results);
  // For a call in several steps: appends the storage that Call would allocate
  // to the inputs of a raw function. Does nothing for other functions. An
  // asynchronous function must wait for `slots.usable` if it is not null.
  absl::Status AddStorage(std::vector<vm::Value>& arguments,
                          v0::ResultStorage::Slots& slots) const;
  // Turns the values that such a call returned into its results, by adding
  // storage that the function fills but does not return.
  absl::Status AddFilled(const v0::ResultStorage::Slots& slots,
                         std::vector<vm::Value>& values) const;
  // INVALID_ARGUMENT: a result does not match the raw signature.
  absl::Status CheckResults(std::span<const vm::Slot> results) const;
  absl::Status CheckResults(std::span<const vm::Value> results) const;

 private:
  // Reads the raw signature if there is one.
  absl::Status BindRaw();
  // Reports whether the caller left out storage, so that a call allocates it.
  bool MakesStorage(size_t arguments) const {
    return raw_ != nullptr && arguments == raw_->input_count();
  }
  // As Start, without checks.
  absl::Status Begin(std::span<const vm::Slot> arguments, hal::Fence* wait,
                     hal::Fence* signal, v0::ResultStorage::Slots& made,
                     std::span<vm::Slot> results);
  absl::Status WrongCount(size_t given) const;
  // INVALID_ARGUMENT: the number of registers, or the type of one, is not the
  // function's.
  absl::Status CheckRegisters(std::span<const vm::Value> arguments) const;

  vm::Context* context_ = nullptr;
  Ref<hal::Device> device_;  // null: the session has none
  vm::Function function_;
  std::vector<vm::ValueType> results_;
  Signature declared_;
  bool adds_fences_ = false;
  hal::FenceLine fences_;  // for calls of an asynchronous function
  std::shared_ptr<v0::ResultStorage> raw_;
  std::shared_ptr<const Signature> inputs_;  // of raw_
  absl::Status raw_status_;
};

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_CALL_CALLABLE_H_
