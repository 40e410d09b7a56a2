// Binds arguments to parameters, encodes them, calls, and decodes the results.
#include "abi/call/invoker.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "abi/signature/named_function.h"
#include "abi/signature/signature_reader.h"
#include "abi/signature/structures.h"
#include "abi/v0/call/buffer_description.h"
#include "abi/v0/call/sip_values.h"
#include "abi/value/decoder.h"
#include "abi/value/out_arrays.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/allocate.h"
#include "base/counted.h"
#include "base/memory_meter.h"
#include "base/plain_text.h"
#include "base/short_row.h"
#include "base/status_macros.h"
#include "hal/buffer_view.h"
#include "vm/run/context.h"

namespace eyrie::abi {
namespace {

// Slots that are not initialized, because that would cost as much as moving a
// few values. Encoding, and a successful call, write them.
union DirectSlots {
  DirectSlots() {}  // NOLINT: leaves the slots as they are

  vm::Slot slots[DirectPlan::kMaxValues];
};

// Pointers to the arguments of a call.
struct Pointers {
  absl::Status Set(std::span<const HostValue> positional,
                   std::span<const HostValue::Entry> named) {
    RETURN_IF_ERROR(
        values.Resize(positional.size() + named.size(), kArguments));
    RETURN_IF_ERROR(names.Resize(named.size(), kArguments));
    size_t next = 0;
    for (const HostValue& value : positional) values[next++] = &value;
    for (size_t i = 0; i < named.size(); ++i) {
      values[next++] = &named[i].second;
      names[i] = named[i].first;
    }
    return absl::OkStatus();
  }

  ShortRow<const HostValue*, 16> values;
  ShortRow<absl::string_view, 4> names;
};

// Returns a signature for a message, cut as names are.
std::string ShortText(const Signature& signature) {
  return PlainText(signature.ToString(), /*most=*/4096);
}

}  // namespace

Invoker::Invoker(Session* session, Callable callable, Signature signature,
                 Ref<hal::Device> device, std::shared_ptr<MemoryMeter> memory)
    : session_(session),
      device_(std::move(device)),
      memory_(std::move(memory)),
      callable_(std::move(callable)),
      signature_(std::move(signature)) {}

Invoker Invoker::Bind(Session& session, Callable callable,
                      Signature signature) {
  Ref<hal::Device> device;
  if (!session.devices().empty()) device = session.devices()[0];
  Invoker invoker(&session, std::move(callable), std::move(signature),
                  std::move(device), session.context().memory());
  invoker.Flatten();
  invoker.PlanDirect();
  return invoker;
}

// The other functions convert more than single values.
void Invoker::PlanDirect() {
  if (flat_ || signature_.raw() != nullptr) return;
  direct_arguments_ = DirectPlan(signature_.arguments());
  if (signature_.results_are_slots()) return;
  direct_results_ = DirectPlan(signature_.results());
}

absl::StatusOr<Invoker> Invoker::Create(Session& session, Callable callable) {
  ASSIGN_OR_RETURN(Signature signature, callable.ReadSignature());
  return Bind(session, std::move(callable), std::move(signature));
}

Invoker Invoker::CreateDeclared(Session& session, Callable callable) {
  Signature signature = callable.declared();
  return Bind(session, std::move(callable), std::move(signature));
}

Invoker Invoker::WithoutFunction(Ref<hal::Device> device, Signature signature,
                                 std::shared_ptr<MemoryMeter> memory) {
  Invoker invoker(nullptr, Callable(), std::move(signature), std::move(device),
                  std::move(memory));
  invoker.Flatten();
  return invoker;
}

absl::StatusOr<std::vector<vm::Value>> Invoker::EncodeRegisters(
    const Callable& callable, Ref<hal::Device> device,
    std::span<const vm::Value> values) {
  Invoker invoker =
      WithoutFunction(std::move(device), callable.OfRegisters(values.size()),
                      callable.memory());
  invoker.registers_ = values;
  std::vector<HostValue> given;  // EncodeOne reads registers_ instead
  RETURN_IF_ERROR(Resize(given, values.size(), kArguments));
  auto encoded = invoker.Encode(given, {});
  const absl::Status& raw = callable.raw_status();
  const size_t count = invoker.signature_.arguments().size();
  if (!encoded.ok() && !raw.ok() && values.size() < count) {
    return Annotate(encoded.status(), raw.message());  // why none was made
  }
  return encoded;
}

absl::Status Invoker::NothingToCall() const {
  return absl::FailedPreconditionError(
      absl::StrCat(NamedFunction(signature_.function()),
                   " has only a signature and cannot be called."));
}

absl::Status Invoker::TooMany(size_t count) const {
  return absl::InvalidArgumentError(absl::StrCat(
      NamedFunction(signature_.function()), " takes ",
      Counted(signature_.arguments().size(), "argument"), "; ", count,
      count == 1 ? " is" : " are", " given: ", ShortText(signature_), "."));
}

absl::Status Invoker::Missing(size_t index) const {
  const std::string& name = signature_.arguments()[index].name;
  return absl::InvalidArgumentError(
      absl::StrCat(NamedFunction(signature_.function()), ": missing argument ",
                   name.empty() ? absl::StrCat(index)
                                : absl::StrCat("'", EscapedName(name), "'"),
                   ": ", ShortText(signature_), "."));
}

absl::Status Invoker::Unexpected(absl::string_view name) const {
  const std::span<const Parameter> parameters = signature_.arguments();
  const bool by_position = std::any_of(
      parameters.begin(), parameters.end(),
      [&](const Parameter& parameter) { return parameter.name == name; });
  return absl::InvalidArgumentError(
      absl::StrCat(NamedFunction(signature_.function()),
                   by_position ? " got a positional-only argument by name, '"
                               : " got an unexpected keyword argument '",
                   EscapedName(name), "': ", ShortText(signature_), "."));
}

absl::Status Invoker::Place(std::span<const HostValue* const> named,
                            std::span<const absl::string_view> names,
                            std::span<const HostValue*> places,
                            HostValue& rest) const {
  const std::span<const Parameter> parameters = signature_.arguments();
  const bool takes_rest =
      !parameters.empty() && parameters.back().type.takes_keywords;
  HostValue::Entries others;
  for (size_t i = 0; i < named.size(); ++i) {
    const absl::string_view name = names[i];
    const auto parameter = std::find_if(
        parameters.begin(), parameters.end(), [&](const Parameter& parameter) {
          return parameter.keyword && parameter.name == name;
        });
    if (parameter == parameters.end()) {
      if (!takes_rest) return Unexpected(name);
      RETURN_IF_ERROR(PushBack(others, HostValue::Entry(), kArguments));
      RETURN_IF_ERROR(Assign(others.back().first, name, "a keyword"));
      ASSIGN_OR_RETURN(others.back().second, named[i]->Copy());
      continue;
    }
    const HostValue*& place = places[parameter - parameters.begin()];
    if (place != nullptr) {
      return absl::InvalidArgumentError(
          absl::StrCat(NamedFunction(signature_.function()),
                       " got multiple values for '", EscapedName(name), "'."));
    }
    place = named[i];
  }
  if (!takes_rest) return absl::OkStatus();
  if (places.back() == nullptr) {
    rest = HostValue::Dict(std::move(others));
    places.back() = &rest;
  } else if (!others.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(NamedFunction(signature_.function()), " got '",
                     EscapedName(others[0].first),
                     "' by name, and all its keyword arguments as a dict."));
  }
  return absl::OkStatus();
}

absl::Status Invoker::EncodeOne(const HostValue& value, size_t index,
                                Encoder& encoder, vm::Slot& slot) {
  const Parameter& parameter = signature_.arguments()[index];
  absl::Status status;
  if (index >= registers_.size()) {
    status = encoder.Encode(value, parameter, slot);
  } else if (FitsRegister(registers_[index], parameter)) {
    slot = vm::Value(registers_[index]).Release();
  } else {
    status = encoder.Encode(FromRegister(registers_[index], parameter.type),
                            parameter, slot);
  }
  if (status.ok() && parameter.storage_of) {
    status = CheckStorage(index, slot.ref);
  }
  if (status.ok()) [[likely]]
    return OrderArgument(index, slot);
  return Located(status, signature_.ArgumentName(index), encoder.path());
}

absl::Status Invoker::CheckStorage(size_t argument, RefObject* object) const {
  const Type* const type = StaticStorageType(signature_, argument);
  const auto* view = RefCast<hal::BufferView>(object);
  const hal::Buffer* buffer =
      view ? view->buffer().get() : RefCast<hal::Buffer>(object);
  if (type == nullptr || buffer == nullptr) return absl::OkStatus();
  ASSIGN_OR_RETURN(const uint64_t needed, type->ByteLength());
  if (buffer->byte_length() >= needed) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "storage of ", Counted(buffer->byte_length(), "byte"), " is given; ",
      signature_.ResultName(
          static_cast<size_t>(*signature_.arguments()[argument].storage_of)),
      ", ", type->ToString(), ", needs ", needed, "."));
}

absl::Status Invoker::CreateStorage(size_t index, Encoder& encoder,
                                    vm::Slot& slot) {
  const Type* type = StorageType(signature_, index);
  if (type == nullptr) return Missing(index);
  if (StaticStorageType(signature_, index) == nullptr) {
    return Annotate(Missing(index),
                    absl::StrCat("(which is storage for a result ",
                                 type->ToString(), ": its size is not known)"));
  }
  const absl::Status status =
      encoder.CreateStorage(*type, signature_.arguments()[index].type, slot);
  if (status.ok()) return status;
  return Located(status, signature_.ArgumentName(index), "");
}

absl::Status Invoker::EncodeAll(const Request& request,
                                std::span<vm::Slot> slots) {
  const std::span<const HostValue* const> values = request.values;
  const std::span<const absl::string_view> names = request.names;
  const size_t count = slots.size();
  const auto positional = values.first(values.size() - names.size());
  if (positional.size() > count) return TooMany(positional.size());
  statistics_ = CallStatistics();
  Encoder encoder(device_.get(), &statistics_, memory_, &spares_);
  encoder.set_elements_may_change(elements_may_change_);
  if (positional.size() == count && names.empty()) {
    for (size_t i = 0; i < count; ++i) {
      RETURN_IF_ERROR(EncodeOne(*positional[i], i, encoder, slots[i]));
    }
    return absl::OkStatus();
  }
  ShortRow<const HostValue*, 16> places;
  RETURN_IF_ERROR(places.Resize(count, kArguments));
  std::copy(positional.begin(), positional.end(), places.begin());
  HostValue rest;
  RETURN_IF_ERROR(
      Place(values.subspan(positional.size()), names, places, rest));
  for (size_t i = 0; i < count; ++i) {
    if (places[i] != nullptr) {
      RETURN_IF_ERROR(EncodeOne(*places[i], i, encoder, slots[i]));
    } else {
      RETURN_IF_ERROR(
          OutArrays(signature_, request.outs)
              .UseAsStorage(i, values, device_.get(), statistics_, slots[i]));
      if (slots[i].ref != nullptr) continue;
      RETURN_IF_ERROR(CreateStorage(i, encoder, slots[i]));
    }
  }
  return absl::OkStatus();
}

absl::Status Invoker::OrderArgument(size_t index, vm::Slot& slot) {
  if (signature_.raw() == nullptr) [[likely]]
    return absl::OkStatus();
  const std::vector<v0::RawType>& inputs = signature_.raw()->signature.inputs;
  if (index >= inputs.size()) return absl::OkStatus();
  const v0::RawType& type = inputs[index];
  auto* view = type.layout == v0::Layout::kColumnMajor && registers_.empty()
                   ? RefCast<hal::BufferView>(slot.ref)
                   : nullptr;
  if (view == nullptr) return absl::OkStatus();
  slot.ref = nullptr;
  ASSIGN_OR_RETURN(
      Ref<hal::BufferView> ordered,
      v0::FromRows(*device_, type, Ref<hal::BufferView>::Adopt(view)));
  ++statistics_.packed;
  statistics_.bytes_copied += ordered->byte_length();
  slot.ref = ordered.release();
  return absl::OkStatus();
}

void Invoker::DropSlots(std::span<vm::Slot> slots) const {
  for (size_t i = 0; i < slots.size(); ++i) {
    const bool is_ref =
        signature_.arguments()[i].carrier == vm::ValueType::kRef;
    if (is_ref && slots[i].ref != nullptr) slots[i].ref->DropRef();
  }
}

absl::Status Invoker::Call(std::span<const HostValue> positional,
                           std::span<const HostValue::Entry> named,
                           std::vector<HostValue>& results) {
  Pointers given;
  RETURN_IF_ERROR(given.Set(positional, named));
  return Call({.values = given.values, .names = given.names}, results);
}

absl::Status Invoker::Call(const Request& request,
                           std::vector<HostValue>& results) {
  if (request.outs.empty() && request.memory == nullptr) [[likely]]
    return CallPlain(request, results);
  return CallOut(request, results);
}

absl::Status Invoker::CallOut(const Request& request,
                              std::vector<HostValue>& results) {
  if (request.prepared != nullptr) {
    RETURN_IF_ERROR(CallPlain(request, results));
    return PlaceResults(request.outs, request.memory, results);
  }
  Request whole = request;
  std::vector<HostValue> storage;
  std::vector<const HostValue*> all;
  if (request.memory != nullptr) {
    RETURN_IF_ERROR(AddStorage(request, storage, all));
    whole.outs = all;
  }
  const OutArrays outs(signature_, whole.outs);
  RETURN_IF_ERROR(outs.Check());
  RETURN_IF_ERROR(!flat_ && outs.MayBeStorage() ? CallEncoded(whole, results)
                                                : CallPlain(whole, results));
  return PlaceResults(whole.outs, whole.memory, results);
}

absl::Status Invoker::AddStorage(const Request& request,
                                 std::vector<HostValue>& storage,
                                 std::vector<const HostValue*>& all) const {
  storage.resize(signature_.results().size());
  all.assign(request.outs.begin(), request.outs.end());
  all.resize(std::max(all.size(), storage.size()));
  // Slots are parts of the only result, for which there is no single array.
  const bool makes_storage = !flat_ && !signature_.results_are_slots();
  for (size_t i = 0; makes_storage && i < signature_.arguments().size(); ++i) {
    const Type* const type = StaticStorageType(signature_, i);
    if (type == nullptr) continue;
    const auto index =
        static_cast<size_t>(*signature_.arguments()[i].storage_of);
    if (index >= storage.size() || all[index] != nullptr) continue;
    ASSIGN_OR_RETURN(storage[index],
                     request.memory->NewArray(type->element, type->shape));
    all[index] = &storage[index];
  }
  return absl::OkStatus();
}

absl::Status Invoker::PlaceResults(std::span<const HostValue* const> outs,
                                   const ResultMemory* memory,
                                   std::vector<HostValue>& results) {
  CallStatistics& counts = flat_ ? flat_->statistics_ : statistics_;
  const OutArrays arrays(signature_, outs);
  RETURN_IF_ERROR(arrays.Write(results, counts));
  if (memory == nullptr) return absl::OkStatus();
  RETURN_IF_ERROR(memory->Move(results, outs));
  for (size_t i = 0; i < results.size(); ++i) {
    const HostArray* const array = results[i].array();
    if (array == nullptr || arrays.At(i) != nullptr) continue;
    counts.CountCopy(array->byte_length());
  }
  return absl::OkStatus();
}

absl::Status Invoker::CallPlain(const Request& request,
                                std::vector<HostValue>& results) {
  HostValue* targets[DirectPlan::kMaxValues];
  if (PointAt(results, targets)) {
    std::vector<HostValue> spare;
    return Call({.values = request.values,
                 .names = request.names,
                 .prepared = request.prepared},
                {targets, results.size()}, spare);
  }
  return request.prepared != nullptr ? CallPrepared(*request.prepared, results)
                                     : CallEncoded(request, results);
}

bool Invoker::PointAt(std::vector<HostValue>& results,
                      HostValue** targets) const {
  const size_t count = results.size();
  if (!direct_results_.applies() || count != direct_results_.size()) {
    return false;
  }
  for (size_t i = 0; i < count; ++i) targets[i] = &results[i];
  return true;
}

absl::Status Invoker::Call(const Request& request,
                           std::span<HostValue* const> results,
                           std::vector<HostValue>& spare) {
  const bool is_plain = request.outs.empty() && request.memory == nullptr;
  if (!is_plain || !direct_results_.applies()) [[unlikely]]
    return MoveResults(Call(request, spare), results, spare);
  if (request.prepared != nullptr) {
    statistics_ = CallStatistics();
    ASSIGN_OR_RETURN(const std::span<vm::Slot> slots,
                     request.prepared->InvokeRaw());
    return TakeDirect(slots, results, spare);
  }
  DirectSlots argument_slots;
  DirectSlots result_slots;
  vm::Slot* const arguments = argument_slots.slots;
  const std::span<const HostValue* const> given = request.values;
  uint32_t lent = 0;
  if (!direct_arguments_.applies() ||
      given.size() != direct_arguments_.size() || !request.names.empty() ||
      !direct_arguments_.Encode(given.data(), device_.get(), arguments, lent))
      [[unlikely]] {
    return MoveResults(CallEncoded(request, spare), results, spare);
  }
  const std::span<vm::Slot> returned(result_slots.slots,
                                     direct_results_.size());
  statistics_ = CallStatistics();
  RETURN_IF_ERROR(Invoke({arguments, given.size()}, returned));
  statistics_.lent = lent;
  return TakeDirect(returned, results, spare);
}

inline absl::Status Invoker::Invoke(std::span<const vm::Slot> arguments,
                                    std::span<vm::Slot> results) {
  absl::Status status = callable_.Invoke(arguments, results);
  return status.ok() ? status : OfArgument(std::move(status), arguments);
}

absl::Status Invoker::OfArgument(absl::Status status,
                                 std::span<const vm::Slot> arguments) const {
  if (!absl::IsInvalidArgument(status) && !absl::IsOutOfRange(status)) {
    return status;
  }
  const vm::FailedOperands& failed = session_->context().meter().failed;
  std::optional<size_t> found;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (signature_.arguments()[i].carrier != vm::ValueType::kRef) continue;
    const auto* const end = failed.refs + failed.count;
    if (std::find(failed.refs, end, arguments[i].ref) == end) continue;
    if (found) return status;  // it may concern either
    found = i;
  }
  if (!found) return status;
  std::string name = signature_.ArgumentName(*found);
  absl::string_view message = status.message();
  // The import's own number of the operand would be read as the caller's.
  if (absl::ConsumePrefix(&message, "Argument ")) {
    name[0] = absl::ascii_toupper(name[0]);
    message.remove_prefix(std::min(message.find(' '), message.size()));
    return absl::InvalidArgumentError(absl::StrCat(name, message));
  }
  return Located(absl::InvalidArgumentError(message), std::move(name), "");
}

inline absl::Status Invoker::TakeDirect(std::span<vm::Slot> returned,
                                        std::span<HostValue* const> results,
                                        std::vector<HostValue>& spare) {
  if (!direct_results_.CanDecode(returned.data())) [[unlikely]]
    return DecodeSlots(returned, results, spare);
  direct_results_.Decode(returned.data(), results.data(), statistics_.lent);
  return absl::OkStatus();
}

absl::Status Invoker::CallEncoded(const Request& request,
                                  std::vector<HostValue>& results) {
  if (session_ == nullptr) return NothingToCall();
  if (flat_) {
    HostValue rest;
    ASSIGN_OR_RETURN(const std::vector<const HostValue*> raw,
                     FlatArguments(request.values, request.names, rest));
    RETURN_IF_ERROR(flat_->Call({.values = raw}, results));
    return NestResults(results);
  }
  Slots arguments;
  Slots returned;
  RETURN_IF_ERROR(arguments.Resize(signature_.arguments().size(), kArguments));
  RETURN_IF_ERROR(
      returned.Resize(signature_.result_carriers().size(), kResults));
  absl::Status status = EncodeAll(request, arguments);
  if (status.ok()) status = Invoke(arguments, returned);
  DropSlots(arguments);
  RETURN_IF_ERROR(status);
  return DecodeSlots(returned, results);
}

absl::Status Invoker::CallPrepared(PreparedCall& prepared,
                                   std::vector<HostValue>& results) {
  if (flat_) {
    RETURN_IF_ERROR(flat_->CallPrepared(prepared, results));
    return NestResults(results);
  }
  statistics_ = CallStatistics();
  ASSIGN_OR_RETURN(const std::span<vm::Slot> returned, prepared.InvokeRaw());
  return DecodeSlots(returned, results);
}

absl::StatusOr<PreparedCall> Invoker::Prepare(const Request& request) {
  if (session_ == nullptr) return NothingToCall();
  ASSIGN_OR_RETURN(std::vector<vm::Value> arguments, EncodeLater(request));
  return PreparedCall::Create(callable_, std::move(arguments));
}

absl::Status Invoker::WaitFor(const hal::Fence& fence) const {
  vm::HostCall call(session_->context());  // applies the timeout to the wait
  RETURN_IF_ERROR(call.status());
  return call.End(WaitWithin(session_->context(), fence));
}

absl::StatusOr<std::vector<vm::Value>> Invoker::StartValues(
    const Request& request, hal::Fence* wait, hal::Fence& signal) {
  if (session_ == nullptr) return NothingToCall();
  const bool waits_itself = callable_.is_async() && wait != nullptr;
  if (wait != nullptr && !waits_itself) {
    RETURN_IF_ERROR(WaitFor(*wait));
    wait = nullptr;
  }
  if (request.prepared != nullptr) {
    (flat_ ? flat_->statistics_ : statistics_) = CallStatistics();
    return StartEncoded(request.prepared->arguments(), wait, signal);
  }
  // If the function waits itself, lent elements may still change before it
  // reads them.
  ASSIGN_OR_RETURN(const std::vector<vm::Value> arguments,
                   waits_itself ? EncodeEarly(request) : Encode(request));
  return StartEncoded(arguments, wait, signal);
}

absl::StatusOr<std::vector<vm::Value>> Invoker::StartEncoded(
    std::span<const vm::Value> arguments, hal::Fence* wait,
    hal::Fence& signal) {
  if (!callable_.is_async()) {
    ASSIGN_OR_RETURN(std::vector<vm::Value> values, callable_.Call(arguments));
    RETURN_IF_ERROR(signal.Signal());
    return values;
  }
  vm::HostCall call(session_->context());  // storage may be made by a call, too
  RETURN_IF_ERROR(call.status());
  v0::ResultStorage::Slots made;
  std::vector<vm::Value> values;
  absl::Status status = callable_.Start(arguments, wait, &signal, made, values);
  if (status.ok() && made.has_unknown()) {
    status = WaitWithin(session_->context(), signal);
  }
  if (status.ok()) status = callable_.CheckResults(values);
  RETURN_IF_ERROR(call.End(std::move(status)));
  return values;
}

absl::Status Invoker::TakeStarted(absl::StatusOr<std::vector<vm::Value>> values,
                                  hal::Fence& signal,
                                  std::vector<HostValue>& results) {
  absl::Status status = values.status();
  if (status.ok()) {
    absl::StatusOr<std::vector<HostValue>> decoded = Decode(*std::move(values));
    if (decoded.ok()) {
      results = *std::move(decoded);
      return status;
    }
    status = decoded.status();
  }
  signal.Fail(status);
  return status;
}

absl::Status Invoker::Start(const Request& request, hal::Fence* wait,
                            hal::Fence& signal,
                            std::vector<HostValue>& results) {
  return TakeStarted(StartValues(request, wait, signal), signal, results);
}

absl::StatusOr<std::vector<vm::Value>> Invoker::EncodeLater(
    const Request& request) {
  const OutArrays outs(signature_, request.outs);
  RETURN_IF_ERROR(outs.Check());
  Request later = request;
  if (flat_ || !outs.MayBeStorage()) later.outs = {};
  return EncodeEarly(later);
}

absl::StatusOr<std::vector<vm::Value>> Invoker::Encode(
    std::span<const HostValue> positional,
    std::span<const HostValue::Entry> named) {
  Pointers given;
  RETURN_IF_ERROR(given.Set(positional, named));
  return Encode({.values = given.values, .names = given.names});
}

absl::StatusOr<std::vector<vm::Value>> Invoker::EncodeEarly(
    const Request& request) {
  elements_may_change_ = true;
  auto values = Encode(request);
  elements_may_change_ = false;
  return values;
}

absl::StatusOr<std::vector<vm::Value>> Invoker::Encode(const Request& request) {
  if (flat_) {
    HostValue rest;
    ASSIGN_OR_RETURN(const std::vector<const HostValue*> raw,
                     FlatArguments(request.values, request.names, rest));
    return elements_may_change_ ? flat_->EncodeEarly({.values = raw})
                                : flat_->Encode({.values = raw});
  }
  Slots slots;
  std::vector<vm::Value> values;
  const size_t count = signature_.arguments().size();
  RETURN_IF_ERROR(slots.Resize(count, kArguments));
  RETURN_IF_ERROR(Reserve(values, count, kArguments));
  const absl::Status status = EncodeAll(request, slots);
  if (!status.ok()) {
    DropSlots(slots);
    return status;
  }
  for (size_t i = 0; i < slots.size(); ++i) {
    values.push_back(
        vm::Value::Adopt(signature_.arguments()[i].carrier, slots[i]));
  }
  return values;
}

// Converts the results of calls to host values.

absl::Status Invoker::DecodeSlots(std::span<vm::Slot> returned,
                                  std::vector<HostValue>& results) {
  const std::span<const vm::ValueType> carriers = signature_.result_carriers();
  ShortRow<vm::Value, 8> values;
  const absl::Status status = values.Resize(carriers.size(), kResults);
  for (size_t i = 0; i < returned.size(); ++i) {
    vm::Value value = vm::Value::Adopt(carriers[i], returned[i]);
    if (status.ok()) values[i] = std::move(value);
  }
  RETURN_IF_ERROR(status);
  return DecodeAll(values, results);
}

absl::Status Invoker::DecodeSlots(std::span<vm::Slot> returned,
                                  std::span<HostValue* const> results,
                                  std::vector<HostValue>& spare) {
  return MoveResults(DecodeSlots(returned, spare), results, spare);
}

absl::Status Invoker::MoveResults(const absl::Status& status,
                                  std::span<HostValue* const> results,
                                  std::vector<HostValue>& spare) {
  RETURN_IF_ERROR(status);
  for (size_t i = 0; i < results.size(); ++i) {
    *results[i] = std::move(spare[i]);
  }
  return absl::OkStatus();
}

absl::Status Invoker::OrderResults(std::span<vm::Value> values) {
  if (signature_.raw() == nullptr) [[likely]]
    return absl::OkStatus();
  const std::vector<v0::RawType>& types = signature_.raw()->signature.results;
  for (size_t i = 0; i < types.size(); ++i) {
    if (types[i].layout != v0::Layout::kColumnMajor) continue;
    auto* view = RefCast<hal::BufferView>(values[i].ref());
    if (view == nullptr) continue;
    ASSIGN_OR_RETURN(
        Ref<hal::BufferView> ordered,
        v0::ToRows(*device_, types[i], Ref<hal::BufferView>::Share(view)));
    values[i] = vm::Value(Ref<RefObject>(std::move(ordered)));
  }
  return absl::OkStatus();
}

absl::Status Invoker::DecodeAll(std::span<vm::Value> values,
                                std::vector<HostValue>& results) {
  RETURN_IF_ERROR(OrderResults(values));
  const std::span<const Parameter> parameters = signature_.results();
  RETURN_IF_ERROR(Resize(results, parameters.size(), kResults));
  ASSIGN_OR_RETURN(MemoryCharge charge,
                   MemoryCharge::Take(memory_, 0, kResults));
  for (size_t i = 0; i < parameters.size(); ++i) {
    const bool slots = signature_.results_are_slots();
    if (!slots && Decoder::DecodeNumber(values[i], parameters[i].type,
                                        results[i])) [[likely]] {
      continue;
    }
    Decoder decoder(&statistics_, &charge);
    absl::StatusOr<HostValue> value =
        slots ? decoder.DecodeSlots(values, parameters[0].type)
              : decoder.Decode(values[i], parameters[i].type);
    if (!value.ok()) {
      results.clear();
      return Located(value.status(), signature_.ResultName(i), decoder.path());
    }
    results[i] = *std::move(value);
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<HostValue>> Invoker::Decode(
    std::vector<vm::Value> values) {
  std::vector<HostValue> results;
  if (flat_) {
    ASSIGN_OR_RETURN(results, flat_->Decode(std::move(values)));
    RETURN_IF_ERROR(NestResults(results));
    return results;
  }
  const size_t count = signature_.result_carriers().size();
  if (values.size() != count) {
    return absl::InvalidArgumentError(
        absl::StrCat(NamedFunction(signature_.function()), " has ",
                     Counted(count, "result"), "; ", values.size(),
                     values.size() == 1 ? " is given." : " are given."));
  }
  RETURN_IF_ERROR(DecodeAll(values, results));
  return results;
}

// Calls functions whose arguments and results are parts of structures.
//
// The Invoker of such a function contains a flat one, which calls the function
// with raw values. Arguments are taken out of their structures for it, and its
// results are put back into structures.

void Invoker::Flatten() {
  if (signature_.structured() == nullptr) return;
  flat_ = std::unique_ptr<Invoker>(new Invoker(
      session_, callable_, *signature_.structured()->flat, device_, memory_));
}

absl::StatusOr<std::vector<const HostValue*>> Invoker::FlatArguments(
    std::span<const HostValue* const> values,
    std::span<const absl::string_view> names, HostValue& rest) const {
  const StructuredCall& call = *signature_.structured();
  const std::vector<const v0::SipNode*>& nodes = call.structures->arguments;
  const size_t count = nodes.size();
  const auto positional = values.first(values.size() - names.size());
  if (positional.size() > count) return TooMany(positional.size());
  std::vector<const HostValue*> places;
  RETURN_IF_ERROR(Resize(places, count, kArguments));
  std::copy(positional.begin(), positional.end(), places.begin());
  RETURN_IF_ERROR(
      Place(values.subspan(positional.size()), names, places, rest));
  static const v0::SipNode* const kNothing = new v0::SipNode();
  v0::SipFlattener flattener(call.structures->signature.inputs,
                             call.flat->arguments().size());
  for (size_t i = 0; i < count; ++i) {
    const v0::SipNode* node = nodes[i] ? nodes[i] : kNothing;
    if (places[i] == nullptr && node == kNothing) continue;
    if (places[i] == nullptr) return Missing(i);
    const absl::Status status = flattener.Add(*node, *places[i]);
    if (status.ok()) continue;
    std::string name = signature_.ArgumentName(i);
    name[0] = absl::ascii_toupper(name[0]);
    return absl::Status(status.code(), absl::StrCat(name, flattener.path(),
                                                    ": ", status.message()));
  }
  // The signature has a place for every raw argument.
  std::vector<const HostValue*> raw;
  RETURN_IF_ERROR(Assign(raw, flattener.raw(), kArguments));
  return raw;
}

absl::Status Invoker::NestResults(std::vector<HostValue>& results) const {
  if (signature_.results().empty()) {
    results.clear();
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(
      HostValue nested,
      v0::SipNest(signature_.structured()->structures->signature.results,
                  std::move(results)));
  results.clear();
  results.push_back(std::move(nested));
  return absl::OkStatus();
}

}  // namespace eyrie::abi
