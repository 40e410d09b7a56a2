// Binds arguments to parameters, encodes them and calls. decode_results.cc
// decodes the results.
#include "abi/call/invoker.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "abi/signature/named_function.h"
#include "abi/signature/signature_reader.h"
#include "abi/value/buffer_description.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/allocate.h"
#include "base/counted.h"
#include "base/plain_text.h"
#include "base/short_row.h"
#include "base/status_macros.h"
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
  const vm::Function& function = callable.function();
  ASSIGN_OR_RETURN(Signature signature,
                   ReadSignature(function.name(), function.attributes(),
                                 function.signature()));
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

absl::Status Invoker::Located(const absl::Status& status, std::string name,
                              const std::string& path) {
  name[0] = absl::ascii_toupper(name[0]);
  return absl::Status(status.code(),
                      absl::StrCat(name, path, ": ", status.message()));
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
  const absl::Status status =
      encoder.Encode(value, signature_.arguments()[index], slot);
  if (status.ok()) [[likely]]
    return status;
  return Located(status, signature_.ArgumentName(index), encoder.path());
}

const Type* Invoker::StorageType(size_t argument) const {
  const std::optional<int>& of = signature_.arguments()[argument].storage_of;
  if (!of) return nullptr;
  const std::span<const Parameter> results = signature_.results();
  const auto index = static_cast<size_t>(*of);
  if (!signature_.results_are_slots()) return &results[index].type;
  const Type& only = results[0].type;
  return only.is_structure() ? &only.members[index].type
                             : &only.members[0].type;
}

absl::Status Invoker::CreateStorage(size_t index, Encoder& encoder,
                                    vm::Slot& slot) {
  const Type* type = StorageType(index);
  if (type == nullptr) return Missing(index);
  if (StaticStorageType(index) == nullptr) {
    return Annotate(Missing(index),
                    absl::StrCat("(which is storage for a result ",
                                 type->ToString(), ": its size is not known)"));
  }
  const absl::Status status =
      encoder.CreateStorage(*type, signature_.arguments()[index].type, slot);
  if (status.ok()) return status;
  return Located(status, signature_.ArgumentName(index), "");
}

absl::Status Invoker::EncodeAll(std::span<const HostValue* const> values,
                                std::span<const absl::string_view> names,
                                std::span<vm::Slot> slots, Outs outs) {
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
    return OrderArguments(slots);
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
      RETURN_IF_ERROR(UseAsStorage(i, outs, values, slots[i]));
      if (slots[i].ref != nullptr) continue;
      RETURN_IF_ERROR(CreateStorage(i, encoder, slots[i]));
    }
  }
  return OrderArguments(slots);
}

absl::Status Invoker::OrderArguments(std::span<vm::Slot> slots) {
  if (signature_.raw() == nullptr) [[likely]]
    return absl::OkStatus();
  const std::vector<v0::RawType>& types = signature_.raw()->signature.inputs;
  for (size_t i = 0; i < types.size(); ++i) {
    if (types[i].layout != v0::Layout::kColumnMajor) continue;
    auto* view = RefCast<hal::BufferView>(slots[i].ref);
    if (view == nullptr) continue;
    slots[i].ref = nullptr;
    ASSIGN_OR_RETURN(
        Ref<hal::BufferView> ordered,
        v0::FromRows(*device_, types[i], Ref<hal::BufferView>::Adopt(view)));
    ++statistics_.packed;
    statistics_.bytes_copied += ordered->byte_length();
    slots[i].ref = ordered.release();
  }
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
  return Call(given.values, given.names, results);
}

absl::Status Invoker::Call(std::span<const HostValue* const> given,
                           std::span<const absl::string_view> names,
                           std::vector<HostValue>& results) {
  HostValue* targets[DirectPlan::kMaxValues];
  if (!PointAt(results, targets)) {
    return CallEncoded(given, names, {}, results);
  }
  std::vector<HostValue> spare;
  return Call(given, names, {targets, results.size()}, spare);
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

absl::Status Invoker::Call(std::span<const HostValue* const> given,
                           std::span<const absl::string_view> names,
                           std::span<HostValue* const> results,
                           std::vector<HostValue>& spare) {
  DirectSlots argument_slots;
  DirectSlots result_slots;
  vm::Slot* const arguments = argument_slots.slots;
  vm::Slot* const returned = result_slots.slots;
  uint32_t lent = 0;
  if (!direct_arguments_.applies() || !direct_results_.applies() ||
      given.size() != direct_arguments_.size() || !names.empty() ||
      !direct_arguments_.Encode(given.data(), device_.get(), arguments, lent))
      [[unlikely]] {
    return MoveResults(CallEncoded(given, names, {}, spare), results, spare);
  }
  const size_t count = direct_results_.size();
  statistics_ = CallStatistics();
  RETURN_IF_ERROR(
      callable_.Invoke({arguments, given.size()}, {returned, count}));
  statistics_.lent = lent;
  if (!direct_results_.CanDecode(returned)) [[unlikely]] {
    return DecodeSlots({returned, count}, results, spare);
  }
  direct_results_.Decode(returned, results.data(), statistics_.lent);
  return absl::OkStatus();
}

absl::Status Invoker::CallEncoded(std::span<const HostValue* const> given,
                                  std::span<const absl::string_view> names,
                                  Outs outs, std::vector<HostValue>& results) {
  if (session_ == nullptr) return NothingToCall();
  if (flat_) {
    HostValue rest;
    ASSIGN_OR_RETURN(const std::vector<const HostValue*> raw,
                     FlatArguments(given, names, rest));
    RETURN_IF_ERROR(flat_->Call(raw, {}, results));
    return NestResults(results);
  }
  Slots arguments;
  Slots returned;
  RETURN_IF_ERROR(arguments.Resize(signature_.arguments().size(), kArguments));
  RETURN_IF_ERROR(
      returned.Resize(signature_.result_carriers().size(), kResults));
  absl::Status status = EncodeAll(given, names, arguments, outs);
  if (status.ok()) status = callable_.Invoke(arguments, returned);
  DropSlots(arguments);
  RETURN_IF_ERROR(status);
  return DecodeSlots(returned, results);
}

absl::StatusOr<PreparedCall> Invoker::Prepare(
    std::span<const HostValue* const> given,
    std::span<const absl::string_view> names, Outs outs) {
  if (session_ == nullptr) return NothingToCall();
  ASSIGN_OR_RETURN(std::vector<vm::Value> arguments,
                   EncodeLater(given, names, outs));
  return PreparedCall::Create(callable_, std::move(arguments));
}

absl::Status Invoker::Call(PreparedCall& prepared,
                           std::vector<HostValue>& results) {
  if (flat_) {
    RETURN_IF_ERROR(flat_->Call(prepared, results));
    return NestResults(results);
  }
  HostValue* targets[DirectPlan::kMaxValues];
  if (PointAt(results, targets)) {
    std::vector<HostValue> spare;
    return Call(prepared, {targets, results.size()}, spare);
  }
  statistics_ = CallStatistics();
  ASSIGN_OR_RETURN(const std::span<vm::Slot> returned, prepared.InvokeRaw());
  return DecodeSlots(returned, results);
}

absl::Status Invoker::Call(PreparedCall& prepared,
                           std::span<HostValue* const> results,
                           std::vector<HostValue>& spare) {
  if (!direct_results_.applies()) [[unlikely]] {
    return MoveResults(Call(prepared, spare), results, spare);
  }
  statistics_ = CallStatistics();
  ASSIGN_OR_RETURN(const std::span<vm::Slot> returned, prepared.InvokeRaw());
  if (!direct_results_.CanDecode(returned.data())) [[unlikely]] {
    return DecodeSlots(returned, results, spare);
  }
  direct_results_.Decode(returned.data(), results.data(), statistics_.lent);
  return absl::OkStatus();
}

absl::Status Invoker::WaitFor(const hal::Fence& fence) const {
  vm::HostCall call(session_->context());  // applies the timeout to the wait
  RETURN_IF_ERROR(call.status());
  return call.End(session_->WaitFor(fence));
}

absl::StatusOr<std::vector<vm::Value>> Invoker::StartValues(
    std::span<const HostValue* const> given,
    std::span<const absl::string_view> names, hal::Fence* wait,
    hal::Fence& signal) {
  if (session_ == nullptr) return NothingToCall();
  // The results of a raw function are known only after the call, because it
  // fills storage.
  const bool waits_itself = starts_at_once() && wait != nullptr;
  if (wait != nullptr && !waits_itself) {
    RETURN_IF_ERROR(WaitFor(*wait));
    wait = nullptr;
  }
  // If the function waits itself, lent elements may still change before it
  // reads them.
  ASSIGN_OR_RETURN(
      const std::vector<vm::Value> arguments,
      waits_itself ? EncodeEarly(given, names) : Encode(given, names));
  return StartEncoded(arguments, wait, signal);
}

absl::StatusOr<std::vector<vm::Value>> Invoker::StartEncoded(
    std::span<const vm::Value> arguments, hal::Fence* wait,
    hal::Fence& signal) {
  if (!starts_at_once()) {
    ASSIGN_OR_RETURN(std::vector<vm::Value> values, callable_.Call(arguments));
    RETURN_IF_ERROR(signal.Signal());
    return values;
  }
  v0::ResultStorage::Slots made;  // none
  std::vector<vm::Value> values;
  RETURN_IF_ERROR(callable_.Start(arguments, wait, &signal, made, values));
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

absl::Status Invoker::Start(std::span<const HostValue* const> given,
                            std::span<const absl::string_view> names,
                            hal::Fence* wait, hal::Fence& signal,
                            std::vector<HostValue>& results) {
  return TakeStarted(StartValues(given, names, wait, signal), signal, results);
}

absl::StatusOr<std::vector<vm::Value>> Invoker::StartValues(
    PreparedCall& prepared, hal::Fence* wait, hal::Fence& signal) {
  if (wait != nullptr && !starts_at_once()) {
    RETURN_IF_ERROR(WaitFor(*wait));
    wait = nullptr;
  }
  (flat_ ? flat_->statistics_ : statistics_) = CallStatistics();
  return StartEncoded(prepared.arguments(), wait, signal);
}

absl::Status Invoker::Start(PreparedCall& prepared, hal::Fence* wait,
                            hal::Fence& signal,
                            std::vector<HostValue>& results) {
  return TakeStarted(StartValues(prepared, wait, signal), signal, results);
}

absl::StatusOr<std::vector<vm::Value>> Invoker::EncodeLater(
    std::span<const HostValue* const> given,
    std::span<const absl::string_view> names, Outs outs) {
  RETURN_IF_ERROR(CheckOuts(outs));
  return EncodeEarly(given, names, TakesStorageOf(outs) ? outs : Outs());
}

absl::StatusOr<std::vector<vm::Value>> Invoker::Encode(
    std::span<const HostValue> positional,
    std::span<const HostValue::Entry> named) {
  Pointers given;
  RETURN_IF_ERROR(given.Set(positional, named));
  return Encode(given.values, given.names);
}

absl::StatusOr<std::vector<vm::Value>> Invoker::EncodeEarly(
    std::span<const HostValue* const> given,
    std::span<const absl::string_view> names, Outs outs) {
  elements_may_change_ = true;
  auto values = Encode(given, names, outs);
  elements_may_change_ = false;
  return values;
}

absl::StatusOr<std::vector<vm::Value>> Invoker::Encode(
    std::span<const HostValue* const> given,
    std::span<const absl::string_view> names, Outs outs) {
  if (flat_) {
    HostValue rest;
    ASSIGN_OR_RETURN(const std::vector<const HostValue*> raw,
                     FlatArguments(given, names, rest));
    return elements_may_change_ ? flat_->EncodeEarly(raw, {})
                                : flat_->Encode(raw, {});
  }
  Slots slots;
  std::vector<vm::Value> values;
  const size_t count = signature_.arguments().size();
  RETURN_IF_ERROR(slots.Resize(count, kArguments));
  RETURN_IF_ERROR(Reserve(values, count, kArguments));
  const absl::Status status = EncodeAll(given, names, slots, outs);
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

}  // namespace eyrie::abi
