// Calls with host values: positional and by name, as a Python call has them.
//
//   ASSIGN_OR_RETURN(Invoker add, Invoker::Create(*session, callable));
//   RETURN_IF_ERROR(add.Call(positional, named, results));
// Everything that the signature says is read once, by Create. A call with
// scalars allocates nothing.
// Tested by invoker_test.cc, tests/conformance/abi/abi_test.cc.
#ifndef EYRIE_ABI_INVOKER_H_
#define EYRIE_ABI_INVOKER_H_

#include <memory>
#include <span>
#include <vector>

#include "abi/host_value.h"
#include "abi/marshal.h"
#include "abi/prepared_call.h"
#include "abi/session.h"
#include "abi/signature.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/short_row.h"
#include "hal/fence.h"

namespace eyrie::abi {

// Valid while the session is. One thread at a time.
class Invoker {
 public:
  // Fails as Signature::Read does.
  static absl::StatusOr<Invoker> Create(Session& session, Callable callable);
  // By Signature::ReadDeclared: for a function whose records are malformed.
  static Invoker CreateDeclared(Session& session, Callable callable);

  // One that encodes and decodes and has nothing to call, whose arrays are on
  // a device. `memory`, if there is one, counts what it makes.
  static Invoker WithoutFunction(Ref<hal::Device> device, Signature signature,
                                 std::shared_ptr<MemoryMeter> memory = nullptr);

  const Signature& signature() const { return signature_; }
  const Callable& callable() const { return callable_; }

  // Calls and waits. `results` is replaced by one value per result of the
  // signature; it may hold the arguments. INVALID_ARGUMENT: an argument that is
  // missing, not expected, given twice, or not what the signature says; a
  // result that is not. Else as Callable::Call.
  absl::Status Call(std::span<const HostValue> positional,
                    std::span<const HostValue::Entry> named,
                    std::vector<HostValue>& results);

  // The same for values in any places; the last ones, as many as there are
  // names, are given by these.
  absl::Status Call(std::span<const HostValue* const> values,
                    std::span<const absl::string_view> names,
                    std::vector<HostValue>& results);

  // Encodes the arguments of calls that are to be made again and again. What
  // is not lent is copied now, and storage for results is made now. Fails as
  // Call does, of what is wrong with the arguments.
  absl::StatusOr<PreparedCall> Prepare(
      std::span<const HostValue* const> given,
      std::span<const absl::string_view> names);
  // Makes such a call, of this function's.
  absl::Status Call(PreparedCall& prepared, std::vector<HostValue>& results);

  // What became of the arrays of the last call.
  const CallStatistics& statistics() const {
    return flat_ ? flat_->statistics_ : statistics_;
  }

  // Calls without waiting for results. An asynchronous function begins when
  // `wait` is reached, which may be null, and signals `signal`; another is
  // called when it is reached, here, and `signal` then signalled. `signal`
  // fails with whatever the call does. Elements of arrays among the results
  // may be read when it is reached.
  absl::Status Start(std::span<const HostValue* const> given,
                     std::span<const absl::string_view> names, hal::Fence* wait,
                     hal::Fence& signal, std::vector<HostValue>& results);

  // The arguments as slots, for whoever calls by himself; refs are owned.
  absl::StatusOr<std::vector<vm::Value>> Encode(
      std::span<const HostValue> positional,
      std::span<const HostValue::Entry> named);
  // The same with the last of them by name.
  absl::StatusOr<std::vector<vm::Value>> Encode(
      std::span<const HostValue* const> given,
      std::span<const absl::string_view> names);
  // What a call returned, as host values. INVALID_ARGUMENT: not what the
  // function returns.
  absl::StatusOr<std::vector<HostValue>> Decode(std::vector<vm::Value> values);

 private:
  using Slots = ShortRow<vm::Slot, 16>;

  Invoker(Session* session, Callable callable, Signature signature,
          Ref<hal::Device> device, std::shared_ptr<MemoryMeter> memory);
  static Invoker Bind(Session& session, Callable callable, Signature signature);

  // As Encode, where lent elements may change before the call reads them.
  absl::StatusOr<std::vector<vm::Value>> EncodeEarly(
      std::span<const HostValue* const> given,
      std::span<const absl::string_view> names);
  absl::StatusOr<std::vector<vm::Value>> StartValues(
      std::span<const HostValue* const> given,
      std::span<const absl::string_view> names, hal::Fence* wait,
      hal::Fence& signal);
  absl::Status EncodeAll(std::span<const HostValue* const> values,
                         std::span<const absl::string_view> names,
                         std::span<vm::Slot> slots);
  absl::Status EncodeOne(const HostValue& value, size_t index, Encoder& encoder,
                         vm::Slot& slot);
  // Puts named arguments in their places, and the others in the dict that
  // takes them, which `rest` keeps.
  absl::Status Place(std::span<const HostValue* const> named,
                     std::span<const absl::string_view> names,
                     std::span<const HostValue*> places, HostValue& rest) const;
  // Of a raw signature's columns: elements from rows, and back.
  absl::Status OrderArguments(std::span<vm::Slot> slots);
  absl::Status OrderResults(std::span<vm::Value> values);
  absl::Status NothingToCall() const;
  absl::Status TooMany(size_t count) const;
  absl::Status Missing(size_t index) const;
  absl::Status Unexpected(absl::string_view name) const;
  // The type of the result that an argument is storage for; null: of none.
  const Type* StorageType(size_t argument) const;
  // Storage for a result whose argument is left out.
  absl::Status CreateStorage(size_t index, Encoder& encoder, vm::Slot& slot);
  absl::Status DecodeAll(std::span<vm::Value> values,
                         std::vector<HostValue>& results);
  void DropSlots(std::span<vm::Slot> slots) const;

  // structured_invoker.cc: of a function of structures (abi/structures.h).
  void Flatten();
  // `rest` is as Place has it.
  absl::StatusOr<std::vector<const HostValue*>> FlatArguments(
      std::span<const HostValue* const> values,
      std::span<const absl::string_view> names, HostValue& rest) const;
  // Raw results become those of the signature.
  absl::Status NestResults(std::vector<HostValue>& results) const;

  Session* session_;                     // null: nothing to call
  Ref<hal::Device> device_;              // null: none that could hold arrays
  std::shared_ptr<MemoryMeter> memory_;  // null: nobody counts
  Callable callable_;
  Signature signature_;
  CallStatistics statistics_;
  std::vector<Ref<hal::BufferView>> spares_;  // of the last call's arguments
  bool elements_may_change_ = false;          // see EncodeEarly
  // Calls what structures are made of; null: there are none.
  std::unique_ptr<Invoker> flat_;
};

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_INVOKER_H_
