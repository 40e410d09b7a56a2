#include "abi/call/callable.h"

#include <algorithm>
#include <utility>

#include "abi/signature/named_function.h"
#include "abi/signature/signature.h"
#include "abi/signature/signature_reader.h"
#include "abi/signature/structures.h"
#include "abi/v0/attributes.h"
#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "base/allocate.h"
#include "base/deadline.h"
#include "base/plain_text.h"
#include "base/short_row.h"
#include "base/status_macros.h"
#include "base/trace.h"
#include "hal/fence.h"
#include "hal/semaphore.h"
#include "vm/object/buffer.h"
#include "vm/object/list.h"

namespace eyrie::abi {
namespace {

constexpr absl::string_view kNoStorage =
    "(without storage for all results: none was allocated)";

absl::Status SlotsOf(std::span<const vm::Value> values,
                     ShortRow<vm::Slot, 16>& slots) {
  RETURN_IF_ERROR(slots.Resize(values.size(), kArguments));
  for (size_t i = 0; i < values.size(); ++i) slots[i] = values[i].slot();
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Callable> Callable::Bind(vm::Context& context,
                                        Ref<hal::Device> device,
                                        const vm::Function& function) {
  Callable callable;
  callable.context_ = &context;
  callable.device_ = std::move(device);
  callable.function_ = function;
  callable.results_ = function.signature().result_types();
  TypeInference inference(function.module().verified());
  callable.declared_ =
      ReadDeclaredSignature(function.name(), function.ordinal(), inference);
  callable.adds_fences_ =
      TakesFences(function.attributes(), function.signature());
  if (callable.adds_fences_ && !callable.device_) {
    return absl::FailedPreconditionError(
        absl::StrCat(NamedFunction(function.name()),
                     " signals a fence; that needs a device."));
  }
  callable.raw_status_ = callable.BindRaw();
  return callable;
}

absl::Status WaitWithin(const vm::Context& context, const hal::Fence& fence) {
  const vm::Meter& meter = context.meter();
  absl::Status status =
      fence.Wait(Deadline::Never(), [&meter] { return meter.stopped(); });
  if (!status.ok() && meter.stopped()) {
    return Annotate(meter.StopReason(), "(while waiting for the device)");
  }
  return status;
}

absl::StatusOr<Signature> Callable::ReadSignature() const {
  ASSIGN_OR_RETURN(Signature signature,
                   abi::ReadSignature(function_.name(), function_.attributes(),
                                      function_.signature()));
  // Its code was read when the function was found.
  if (signature.source() == SignatureSource::kConvention) return declared_;
  return signature;
}

absl::Status Callable::BindRaw() {
  ASSIGN_OR_RETURN(const v0::Attributes attributes,
                   v0::Attributes::Read(function_.attributes()));
  if (!attributes.raw) return absl::OkStatus();
  ASSIGN_OR_RETURN(const Signature signature, ReadSignature());
  Signature flat =
      signature.structured() ? *signature.structured()->flat : signature;
  if (flat.raw() == nullptr) return absl::OkStatus();
  ASSIGN_OR_RETURN(raw_, v0::ResultStorage::Create(*context_, function_,
                                                   flat.shared_raw(), device_));
  results_.assign(flat.result_carriers().begin(), flat.result_carriers().end());
  inputs_ = std::make_shared<const Signature>(std::move(flat));
  return absl::OkStatus();
}

const std::shared_ptr<MemoryMeter>& Callable::memory() const {
  return context_->memory();
}

std::span<const vm::ValueType> Callable::argument_types() const {
  const std::span<const vm::ValueType> types =
      function_.signature().argument_types();
  return types.first(types.size() - (adds_fences_ ? kFences : 0));
}

const Type* Callable::declared_result(size_t index) const {
  const std::span<const Parameter> results = declared_.results();
  return index < results.size() ? &results[index].type : nullptr;
}

absl::Status Callable::WrongCount(size_t given) const {
  const size_t taken = argument_types().size();
  std::string text = absl::StrCat(
      NamedFunction(function_.name()), " takes ", taken,
      taken == 1 ? " argument " : " arguments ", declared_.ArgumentsText());
  if (raw_ && raw_->input_count() != taken) {
    absl::StrAppend(&text, ", or without storage ", raw_->input_count(), " ",
                    raw_->raw().signature.ToString());
  }
  absl::StrAppend(&text, "; ", given, given == 1 ? " is" : " are", " given.");
  if (!raw_status_.ok()) absl::StrAppend(&text, " ", raw_status_.message());
  return absl::InvalidArgumentError(text);
}

absl::Status Callable::CheckRegisters(
    std::span<const vm::Value> arguments) const {
  const std::span<const vm::ValueType> types = argument_types();
  if (!MakesStorage(arguments.size()) && arguments.size() != types.size()) {
    return WrongCount(arguments.size());
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].type() == types[i]) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(NamedFunction(function_.name()), ": argument ", i,
                     " is in a register ", vm::NameOf(arguments[i].type()),
                     ", expected ", vm::NameOf(types[i]), "."));
  }
  return absl::OkStatus();
}

absl::Status Callable::CheckResults(std::span<const vm::Slot> results) const {
  if (!raw_) return absl::OkStatus();
  for (size_t i = 0; i < results.size(); ++i) {
    const v0::RawType& type = raw_->raw().signature.results[i];
    if (v0::RawMatches(type, result_types()[i], results[i])) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "Result ", i, " of function '", PlainName(function_.name()),
        "': ", v0::RawDifference(type, result_types()[i], results[i])));
  }
  return absl::OkStatus();
}

absl::Status Callable::CheckResults(std::span<const vm::Value> results) const {
  ShortRow<vm::Slot, 16> slots;
  RETURN_IF_ERROR(SlotsOf(results, slots));
  return CheckResults(std::span<const vm::Slot>(slots));
}

absl::Status Callable::AddStorage(std::vector<vm::Value>& arguments,
                                  v0::ResultStorage::Slots& slots) const {
  if (!MakesStorage(arguments.size())) return absl::OkStatus();
  ShortRow<vm::Slot, 16> inputs;
  RETURN_IF_ERROR(SlotsOf(arguments, inputs));
  vm::HostCall call(*context_);
  RETURN_IF_ERROR(call.status());
  absl::Status status = raw_->Create(inputs, slots);
  if (status.ok() && !adds_fences_ && slots.usable) {
    status = WaitWithin(*context_, *slots.usable);
  }
  RETURN_IF_ERROR(call.End(std::move(status)));
  for (const Ref<RefObject>& object : slots.storage) {
    arguments.emplace_back(object);
  }
  return absl::OkStatus();
}

absl::Status Callable::AddFilled(const v0::ResultStorage::Slots& slots,
                                 std::vector<vm::Value>& values) const {
  if (slots.views.empty()) return absl::OkStatus();
  ShortRow<vm::Slot, 8> filled;
  RETURN_IF_ERROR(filled.Resize(result_types().size(), kResults));
  RETURN_IF_ERROR(Reserve(values, filled.size(), kResults));
  RETURN_IF_ERROR(raw_->TakeFilled({}, slots, filled));
  for (size_t i = 0; i < filled.size(); ++i) {
    values.push_back(vm::Value::Adopt(result_types()[i], filled[i]));
  }
  return absl::OkStatus();
}

absl::Status Callable::Begin(std::span<const vm::Slot> arguments,
                             hal::Fence* wait, hal::Fence* signal,
                             v0::ResultStorage::Slots& made,
                             std::span<vm::Slot> results) {
  if (MakesStorage(arguments.size())) {
    RETURN_IF_ERROR(raw_->Create(arguments, made));
  }
  ShortRow<vm::Slot, 16> slots;
  RETURN_IF_ERROR(slots.Resize(
      arguments.size() + made.storage.size() + (adds_fences_ ? kFences : 0),
      kArguments));
  vm::Slot* next = std::copy(arguments.begin(), arguments.end(), slots.begin());
  for (const Ref<RefObject>& object : made.storage) {
    (next++)->ref = object.get();
  }
  Ref<hal::Fence> joined;
  if (adds_fences_) {
    if (made.usable) {
      hal::Fence* const fences[] = {wait, made.usable.get()};
      joined = hal::Fence::Join(fences);
      wait = joined.get();
    }
    (next++)->ref = wait;
    (next++)->ref = signal;
  } else if (made.usable) {
    RETURN_IF_ERROR(WaitWithin(*context_, *made.usable));
  }
  const bool fills = raw_ && raw_->raw().fills;
  const absl::Status status = context_->Invoke(
      function_, slots, fills ? std::span<vm::Slot>() : results);
  if (!status.ok()) {
    return made.has_unknown() ? Annotate(status, kNoStorage) : status;
  }
  if (!fills) return status;
  return raw_->TakeFilled(
      arguments.subspan(made.storage.empty() ? raw_->input_count()
                                             : arguments.size()),
      made, results);
}

absl::Status Callable::Start(std::span<const vm::Value> arguments,
                             hal::Fence* wait, hal::Fence* signal,
                             v0::ResultStorage::Slots& made,
                             std::vector<vm::Value>& results) {
  RETURN_IF_ERROR(CheckRegisters(arguments));
  ShortRow<vm::Slot, 16> slots;
  ShortRow<vm::Slot, 8> returned;
  RETURN_IF_ERROR(SlotsOf(arguments, slots));
  RETURN_IF_ERROR(returned.Resize(result_types().size(), kResults));
  // `results` may own the arguments, so it is replaced only after the call.
  std::vector<vm::Value> values;
  RETURN_IF_ERROR(Reserve(values, returned.size(), kResults));
  RETURN_IF_ERROR(Begin(slots, wait, signal, made, returned));
  for (size_t i = 0; i < returned.size(); ++i) {
    values.push_back(vm::Value::Adopt(result_types()[i], returned[i]));
  }
  results = std::move(values);
  return absl::OkStatus();
}

absl::StatusOr<std::vector<vm::Value>> Callable::Call(
    std::span<const vm::Value> arguments) {
  RETURN_IF_ERROR(CheckRegisters(arguments));
  ShortRow<vm::Slot, 16> slots;
  ShortRow<vm::Slot, 8> results;
  std::vector<vm::Value> values;
  RETURN_IF_ERROR(SlotsOf(arguments, slots));
  RETURN_IF_ERROR(results.Resize(result_types().size(), kResults));
  RETURN_IF_ERROR(Reserve(values, results.size(), kResults));
  RETURN_IF_ERROR(Invoke(slots, results));
  for (size_t i = 0; i < results.size(); ++i) {
    values.push_back(vm::Value::Adopt(result_types()[i], results[i]));
  }
  return values;
}

absl::Status Callable::Invoke(std::span<const vm::Slot> arguments,
                              std::span<vm::Slot> results) {
  const trace::Span span(trace::Category::kCall, function_.name());
  vm::Context& context = *context_;
  const bool is_all = arguments.size() == argument_types().size();
  if (!is_all && !MakesStorage(arguments.size())) {
    return WrongCount(arguments.size());
  }
  if (!adds_fences_ && !raw_) {
    return context.Invoke(function_, arguments, results);
  }
  vm::HostCall call(context);  // includes the wait for results
  RETURN_IF_ERROR(call.status());
  Ref<hal::Fence> done;
  if (adds_fences_) {
    ASSIGN_OR_RETURN(done, fences_.Next(*device_));
  }
  v0::ResultStorage::Slots made;
  absl::Status status = Begin(arguments, nullptr, done.get(), made, results);
  const bool returned = status.ok();
  if (returned && done) status = WaitWithin(*context_, *done);
  if (status.ok()) status = CheckResults(results);
  status = call.End(std::move(status));
  if (status.ok()) {
    fences_.Reached(std::move(done));
    return status;
  }
  // `done` is not returned to the line, because its timeline may have failed
  // permanently.
  for (size_t i = 0; returned && i < results.size(); ++i) {
    vm::Value::Adopt(result_types()[i], std::exchange(results[i], vm::Slot()));
  }
  return status;
}

}  // namespace eyrie::abi
