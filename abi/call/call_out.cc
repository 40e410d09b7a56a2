// Calls with results in the caller's memory.
//
// Tested by out_test.cc.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "abi/call/invoker.h"
#include "abi/call/prepared_call.h"
#include "abi/signature/named_function.h"
#include "abi/value/out_array.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/counted.h"
#include "base/status_macros.h"
#include "hal/allocator.h"
#include "hal/buffer_view.h"

namespace eyrie::abi {
namespace {

const HostArray* ArrayAt(std::span<const HostValue* const> outs, size_t index) {
  return index < outs.size() && outs[index] != nullptr ? outs[index]->array()
                                                       : nullptr;
}

// Reports whether a call may use memory of the array through this argument.
bool MayReach(const HostValue& value, const HostArray& out) {
  if (const HostArray* array = value.array()) {
    return array->may_be_used() && MayOverlap(*array, out);
  }
  if (value.ref() != nullptr) return true;  // may be any buffer
  if (const HostValue::Items* items = value.items()) {
    return std::any_of(
        items->begin(), items->end(),
        [&out](const HostValue& item) { return MayReach(item, out); });
  }
  if (const HostValue::Entries* entries = value.entries()) {
    return std::any_of(entries->begin(), entries->end(),
                       [&out](const HostValue::Entry& entry) {
                         return MayReach(entry.second, out);
                       });
  }
  return false;
}

}  // namespace

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
  RETURN_IF_ERROR(CheckOuts(whole.outs));
  RETURN_IF_ERROR(TakesStorageOf(whole.outs) ? CallEncoded(whole, results)
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
    const Type* const type = StaticStorageType(i);
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

absl::Status Invoker::PlaceResults(Outs outs, const ResultMemory* memory,
                                   std::vector<HostValue>& results) {
  RETURN_IF_ERROR(WriteOuts(outs, results));
  if (memory == nullptr) return absl::OkStatus();
  RETURN_IF_ERROR(memory->Move(results, outs));
  for (size_t i = 0; i < results.size(); ++i) {
    const HostArray* const array = results[i].array();
    if (array == nullptr || ArrayAt(outs, i) != nullptr) continue;
    CountCopy(array->byte_length());
  }
  return absl::OkStatus();
}

absl::Status Invoker::CheckOuts(Outs outs) const {
  const std::span<const Parameter> parameters = signature_.results();
  if (outs.size() > parameters.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        NamedFunction(signature_.function()), " has ",
        Counted(parameters.size(), "result"), "; arrays for ", outs.size(),
        outs.size() == 1 ? " is given." : " are given."));
  }
  for (size_t i = 0; i < outs.size(); ++i) {
    if (outs[i] == nullptr) continue;
    const absl::Status status = CheckOut(*outs[i], parameters[i].type);
    if (!status.ok()) return Located(status, signature_.ResultName(i));
    for (size_t other = 0; other < i; ++other) {
      if (outs[other] == nullptr ||
          !MayOverlap(*outs[i]->array(), *outs[other]->array())) {
        continue;
      }
      return Located(absl::InvalidArgumentError(absl::StrCat(
                         "the array that is given as its memory overlaps the "
                         "one of result ",
                         other, ".")),
                     signature_.ResultName(i));
    }
  }
  return absl::OkStatus();
}

const Type* Invoker::StaticStorageType(size_t argument) const {
  const Type* const type = StorageType(argument);
  const bool is_static =
      type != nullptr && type->is(Type::Kind::kArray) && type->ranked &&
      type->element != hal::ElementType::kNone && type->is_static();
  return is_static ? type : nullptr;
}

bool Invoker::TakesStorageOf(Outs outs) const {
  if (flat_) return false;
  const std::span<const Parameter> parameters = signature_.arguments();
  return std::any_of(
      parameters.begin(), parameters.end(),
      [&outs](const Parameter& parameter) {
        return parameter.storage_of &&
               ArrayAt(outs, static_cast<size_t>(*parameter.storage_of));
      });
}

absl::Status Invoker::UseAsStorage(size_t argument, Outs outs,
                                   std::span<const HostValue* const> given,
                                   vm::Slot& slot) {
  const Parameter& parameter = signature_.arguments()[argument];
  if (!parameter.storage_of || device_ == nullptr) return absl::OkStatus();
  const HostArray* out =
      ArrayAt(outs, static_cast<size_t>(*parameter.storage_of));
  const Type* type = StorageType(argument);
  if (out == nullptr || type == nullptr || !out->is_dense()) {
    return absl::OkStatus();
  }
  // The function may read a lent argument after it has written results.
  for (const HostValue* value : given) {
    if (MayReach(*value, *out)) return absl::OkStatus();
  }
  const hal::ElementType element =
      type->element == hal::ElementType::kNone ? out->type() : type->element;
  Ref<hal::BufferView> view = out->view();
  if (view) {
    if (!device_->allocator().CanUse(*view->buffer()) ||
        view->element_type() != element) {
      return absl::OkStatus();
    }
  } else {
    absl::StatusOr<Ref<hal::BufferView>> made = out->Import(*device_, element);
    if (absl::IsUnavailable(made.status())) return absl::OkStatus();
    ASSIGN_OR_RETURN(view, std::move(made));
  }
  ++statistics_.lent;
  if (parameter.type.is(Type::Kind::kBuffer)) {
    slot.ref = Ref<hal::Buffer>(view->buffer()).release();
  } else {
    slot.ref = view.release();
  }
  return absl::OkStatus();
}

absl::Status Invoker::CopyFromOuts(Outs outs, std::vector<HostValue>& results) {
  for (size_t i = 0; i < results.size(); ++i) {
    const HostArray* array = results[i].array();
    for (size_t other = 0; array != nullptr && other < outs.size(); ++other) {
      const HostArray* out = other != i ? ArrayAt(outs, other) : nullptr;
      if (out == nullptr || !MayOverlap(*array, *out)) continue;
      // WriteOuts counts the copies of results that have arrays.
      if (ArrayAt(outs, i) == nullptr) CountCopy(array->byte_length());
      ASSIGN_OR_RETURN(results[i], CopyApart(*array));
      break;
    }
  }
  return absl::OkStatus();
}

void Invoker::CountCopy(uint64_t bytes) {
  CallStatistics& counts = flat_ ? flat_->statistics_ : statistics_;
  // The result was read in place before; now it is a copy.
  if (counts.lent > 0) --counts.lent;
  ++counts.copied;
  counts.bytes_copied += bytes;
}

absl::Status Invoker::WriteOuts(Outs outs, std::vector<HostValue>& results) {
  RETURN_IF_ERROR(CopyFromOuts(outs, results));
  for (size_t i = 0; i < outs.size(); ++i) {
    const HostArray* out = ArrayAt(outs, i);
    if (out == nullptr) continue;
    HostValue& result = results[i];
    const HostArray* array = result.array();
    const bool is_there =
        array != nullptr && array->data() == out->data() && out->is_dense() &&
        array->byte_length() == out->byte_length() &&
        std::equal(array->shape().begin(), array->shape().end(),
                   out->shape().begin(), out->shape().end());
    if (!is_there) {
      const absl::Status status = CopyToOut(result, *out);
      if (!status.ok()) {
        results.clear();
        return Located(status, signature_.ResultName(i));
      }
      CountCopy(out->byte_length());
    }
    result = *outs[i];
  }
  return absl::OkStatus();
}

}  // namespace eyrie::abi
