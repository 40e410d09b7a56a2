// Converts the results of calls to host values.
//
// Tested by direct_test.cc, invoker_test.cc, tests/conformance/abi/abi_test.cc.
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "abi/call/invoker.h"
#include "abi/signature/named_function.h"
#include "abi/value/buffer_description.h"
#include "abi/value/decoder.h"
#include "absl/strings/str_cat.h"
#include "base/allocate.h"
#include "base/counted.h"
#include "base/memory_meter.h"
#include "base/short_row.h"
#include "base/status_macros.h"
#include "hal/buffer_view.h"

namespace eyrie::abi {

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

}  // namespace eyrie::abi
