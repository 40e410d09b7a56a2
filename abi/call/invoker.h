// Calls functions with host values, positional and by name, as Python does.
//
//   ASSIGN_OR_RETURN(Invoker add, Invoker::Create(*session, callable));
//   RETURN_IF_ERROR(add.Call(positional, named, results));
// Create reads the signature once. A call with only scalars does not allocate.
// Tested by invoker_test.cc, tests/conformance/abi/abi_test.cc.
#ifndef EYRIE_ABI_CALL_INVOKER_H_
#define EYRIE_ABI_CALL_INVOKER_H_

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "abi/call/prepared_call.h"
#include "abi/call/result_memory.h"
#include "abi/call/session.h"
#include "abi/signature/signature.h"
#include "abi/value/direct.h"
#include "abi/value/encoder.h"
#include "abi/value/host_value.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/short_row.h"
#include "hal/buffer_view.h"
#include "hal/fence.h"

namespace eyrie::abi {

// Thread-compatible. The session must outlive it.
class Invoker {
 public:
  // Creates an invoker of a function. Fails as ReadSignature does.
  static absl::StatusOr<Invoker> Create(Session& session, Callable callable);
  // Creates one with the declared signature, for a function whose records are
  // malformed.
  static Invoker CreateDeclared(Session& session, Callable callable);

  // Creates an invoker that encodes and decodes values but has no function to
  // call: Call, Prepare and Start return FAILED_PRECONDITION. `device` holds
  // the arrays. `memory` counts allocations; null if nothing does.
  static Invoker WithoutFunction(Ref<hal::Device> device, Signature signature,
                                 std::shared_ptr<MemoryMeter> memory = nullptr);

  const Signature& signature() const { return signature_; }
  const Callable& callable() const { return callable_; }

  // A call: its arguments, and where the results go. Borrows everything.
  struct Request {
    std::span<const HostValue* const> values = {};
    std::span<const absl::string_view> names = {};  // of the last values
    // If not null, arguments that this invoker has prepared with these `outs`,
    // instead of values and names.
    PreparedCall* prepared = nullptr;
    // Arrays of the caller for results: at most one for each result, in order;
    // null leaves the result to the call. A function that takes storage for the
    // result writes to the array itself, if that is dense, aligned and not lent
    // to the call; any other result is copied. The results then share the
    // arrays' memory. If the call fails, the arrays may have been written to.
    std::span<const HostValue* const> outs = {};
    // Memory of the host for all other arrays of the results; null leaves them
    // to the device. Storage is in that memory itself, other results are
    // copied.
    const ResultMemory* memory = nullptr;
  };

  // Calls the function and waits for its results. Replaces `results` by one
  // value per result of the signature; it may be the vector of the arguments.
  // INVALID_ARGUMENT: an argument is missing, unexpected, given twice, or does
  // not match the signature; a result does not match it; or an array of `outs`
  // cannot take its result, or overlaps another one, which is known before the
  // call, except for shapes and element types that the signature leaves open.
  // Otherwise fails as Callable::Call and ResultMemory do.
  absl::Status Call(const Request& request, std::vector<HostValue>& results);
  absl::Status Call(std::span<const HostValue> positional,
                    std::span<const HostValue::Entry> named,
                    std::vector<HostValue>& results);
  // Replaces one value for each result. They do not change if the call fails.
  // `spare` is for the results of calls that need more than moves; its content
  // is meaningless after the call.
  absl::Status Call(const Request& request, std::span<HostValue* const> results,
                    std::vector<HostValue>& spare);

  // Encodes arguments once for repeated calls. Copies whatever is not lent, and
  // allocates storage for results. The arrays of `outs` must exist as long as
  // the prepared call. Fails as Call does if an argument or an array is wrong.
  absl::StatusOr<PreparedCall> Prepare(const Request& request);
  // Moves the results of a call where the request of these `outs` and `memory`
  // wants them, unless they are there already. Fails as Call does.
  absl::Status PlaceResults(std::span<const HostValue* const> outs,
                            const ResultMemory* memory,
                            std::vector<HostValue>& results);

  // Statistics on the arrays of the last call.
  const CallStatistics& statistics() const {
    return flat_ ? flat_->statistics_ : statistics_;
  }

  // Calls the function without waiting for its results. An asynchronous
  // function begins when `wait` is reached, and signals `signal`; its results
  // may be arguments of a call that waits for `signal`. If the size of a result
  // is known only after the call, this waits for `signal`. For other functions
  // this waits for `wait`, calls, and then signals `signal`. `wait` may be
  // null. If the call fails, `signal` fails with the same error. Elements of
  // arrays in `results` must not be read before `signal` is reached. The
  // request must leave the results to the device.
  absl::Status Start(const Request& request, hal::Fence* wait,
                     hal::Fence& signal, std::vector<HostValue>& results);
  // Reports whether Start may wait on the calling thread.
  bool start_may_wait() const {
    return !callable_.is_async() ||
           (callable_.raw() != nullptr && callable_.raw()->may_be_unknown());
  }
  // Waits for a fence within the limits of a call.
  absl::Status WaitFor(const hal::Fence& fence) const;

  // Returns the encoded arguments, for callers that call the function
  // themselves. The values own their references. Arrays of `outs` that can be
  // storage become arguments.
  absl::StatusOr<std::vector<vm::Value>> Encode(const Request& request);
  absl::StatusOr<std::vector<vm::Value>> Encode(
      std::span<const HostValue> positional,
      std::span<const HostValue::Entry> named);
  // Encodes for a call that begins later, when lent elements may have changed.
  // Also checks `outs`, and fails as Call does if an array is wrong.
  absl::StatusOr<std::vector<vm::Value>> EncodeLater(const Request& request);
  // Returns values that are in registers already as the arguments of a
  // function. Those that fit a parameter stay as they are; others are encoded
  // as the numbers, arrays and references that they hold. Fails as Encode does.
  static absl::StatusOr<std::vector<vm::Value>> EncodeRegisters(
      const Callable& callable, Ref<hal::Device> device,
      std::span<const vm::Value> values);
  // Converts the values that a call returned. INVALID_ARGUMENT: they do not
  // match the signature.
  absl::StatusOr<std::vector<HostValue>> Decode(std::vector<vm::Value> values);

 private:
  using Slots = ShortRow<vm::Slot, 16>;

  Invoker(Session* session, Callable callable, Signature signature,
          Ref<hal::Device> device, std::shared_ptr<MemoryMeter> memory);
  static Invoker Bind(Session& session, Callable callable, Signature signature);

  // As Encode, if lent elements may change before the call reads them.
  absl::StatusOr<std::vector<vm::Value>> EncodeEarly(const Request& request);
  absl::StatusOr<std::vector<vm::Value>> StartValues(const Request& request,
                                                     hal::Fence* wait,
                                                     hal::Fence& signal);
  // Starts an asynchronous function, or calls another one and then signals.
  absl::StatusOr<std::vector<vm::Value>> StartEncoded(
      std::span<const vm::Value> arguments, hal::Fence* wait,
      hal::Fence& signal);
  // Decodes the values that a call has returned. Fails `signal` if that fails,
  // or if the call did.
  absl::Status TakeStarted(absl::StatusOr<std::vector<vm::Value>> values,
                           hal::Fence& signal, std::vector<HostValue>& results);
  // Stores the addresses of results that a call can replace without a Decoder.
  // Returns false if it cannot, or if their number is another one.
  bool PointAt(std::vector<HostValue>& results, HostValue** targets) const;
  // As Call, if the results are left to the device.
  absl::Status CallPlain(const Request& request,
                         std::vector<HostValue>& results);
  // Calls the function with encoded arguments. An error names the argument that
  // it concerns.
  absl::Status Invoke(std::span<const vm::Slot> arguments,
                      std::span<vm::Slot> results);
  // If an import ended the call because of its operands, and exactly one of
  // them is an argument of the call, returns INVALID_ARGUMENT with the name of
  // the argument, else the error as it is.
  [[gnu::cold]] absl::Status OfArgument(
      absl::Status status, std::span<const vm::Slot> arguments) const;
  // Decodes with direct_results_ if that can.
  absl::Status TakeDirect(std::span<vm::Slot> returned,
                          std::span<HostValue* const> results,
                          std::vector<HostValue>& spare);
  // Calls with values that direct_arguments_ may not be able to move.
  absl::Status CallEncoded(const Request& request,
                           std::vector<HostValue>& results);
  absl::Status CallPrepared(PreparedCall& prepared,
                            std::vector<HostValue>& results);
  absl::Status EncodeAll(const Request& request, std::span<vm::Slot> slots);
  absl::Status EncodeOne(const HostValue& value, size_t index, Encoder& encoder,
                         vm::Slot& slot);
  // Stores each named argument at its parameter's place. Arguments without one
  // go into the dict of keyword arguments, if the function has that; `rest`
  // owns the dict.
  absl::Status Place(std::span<const HostValue* const> named,
                     std::span<const absl::string_view> names,
                     std::span<const HostValue*> places, HostValue& rest) const;
  // INVALID_ARGUMENT: an argument is too small to be storage for its result.
  absl::Status CheckStorage(size_t argument, RefObject* object) const;
  // Converts a column-major tensor of a raw signature from row-major;
  // OrderResults converts back.
  absl::Status OrderArgument(size_t index, vm::Slot& slot);
  absl::Status NothingToCall() const;
  absl::Status TooMany(size_t count) const;
  absl::Status Missing(size_t index) const;
  absl::Status Unexpected(absl::string_view name) const;
  // Allocates the storage argument that the caller left out.
  absl::Status CreateStorage(size_t index, Encoder& encoder, vm::Slot& slot);

  // Decodes the results of a call with a Decoder, and takes the references in
  // `returned`.
  absl::Status DecodeSlots(std::span<vm::Slot> returned,
                           std::vector<HostValue>& results);
  // Decodes them, and moves them to `results`.
  absl::Status DecodeSlots(std::span<vm::Slot> returned,
                           std::span<HostValue* const> results,
                           std::vector<HostValue>& spare);
  // Moves the values of `spare` to `results` if the call was successful.
  static absl::Status MoveResults(const absl::Status& status,
                                  std::span<HostValue* const> results,
                                  std::vector<HostValue>& spare);
  absl::Status OrderResults(std::span<vm::Value> values);
  absl::Status DecodeAll(std::span<vm::Value> values,
                         std::vector<HostValue>& results);

  // As Call, with results in the caller's memory.
  absl::Status CallOut(const Request& request, std::vector<HostValue>& results);
  // Allocates storage for results in the request's memory. `all` becomes its
  // `outs` with these arrays, which `storage` owns.
  absl::Status AddStorage(const Request& request,
                          std::vector<HostValue>& storage,
                          std::vector<const HostValue*>& all) const;
  void DropSlots(std::span<vm::Slot> slots) const;
  void PlanDirect();

  // Functions with structures (abi/signature/structures.h).
  void Flatten();
  // `rest` is as in Place.
  absl::StatusOr<std::vector<const HostValue*>> FlatArguments(
      std::span<const HostValue* const> values,
      std::span<const absl::string_view> names, HostValue& rest) const;
  // Converts raw results to those of the signature.
  absl::Status NestResults(std::vector<HostValue>& results) const;

  Session* session_;                     // null: WithoutFunction
  Ref<hal::Device> device_;              // null: the session has no devices
  std::shared_ptr<MemoryMeter> memory_;  // null: nothing counts
  Callable callable_;
  Signature signature_;
  // Refer to the signature's parameters.
  DirectPlan direct_arguments_;
  DirectPlan direct_results_;
  CallStatistics statistics_;
  std::vector<Ref<hal::BufferView>> spares_;  // from the last call's arguments
  bool elements_may_change_ = false;          // see EncodeEarly
  // Arguments that are in registers already, in the function's own order; they
  // are encoded instead of the request's values.
  std::span<const vm::Value> registers_;
  // Calls the function with raw values; null if the function has no structures.
  std::unique_ptr<Invoker> flat_;
};

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_CALL_INVOKER_H_
