#include "abi/v0/call/result_storage.h"

#include <utility>

#include "abi/signature/named_function.h"
#include "abi/signature/signature_reader.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/plain_text.h"
#include "base/short_row.h"
#include "base/status_macros.h"
#include "hal/buffer.h"

namespace eyrie::abi::v0 {
namespace {

using Kind = RawType::Kind;

bool IsDynamicBuffer(const RawType& type) {
  return type.kind == Kind::kBuffer && !type.is_static();
}

// Reports whether a buffer or view shares bytes with another buffer.
bool Overlap(RefObject* object, const hal::Buffer& other) {
  auto* view = RefCast<hal::BufferView>(object);
  const hal::Buffer* buffer =
      view ? view->buffer().get() : RefCast<hal::Buffer>(object);
  return buffer != nullptr && &buffer->allocation() == &other.allocation() &&
         buffer->byte_offset() < other.byte_offset() + other.byte_length() &&
         other.byte_offset() < buffer->byte_offset() + buffer->byte_length();
}

}  // namespace

bool RawMatches(const RawType& type, vm::ValueType carrier,
                const vm::Slot& slot) {
  const bool is_ref = carrier == vm::ValueType::kRef;
  switch (type.kind) {
    case Kind::kUnrecognized:
      return true;
    case Kind::kScalar:
      return !is_ref;
    case Kind::kRefObject:
      return is_ref;
    case Kind::kBuffer:
      break;
  }
  auto* view = is_ref ? RefCast<hal::BufferView>(slot.ref) : nullptr;
  return view != nullptr && type.Fits(view->element_type(), view->shape());
}

std::string RawDifference(const RawType& type, vm::ValueType carrier,
                          const vm::Slot& slot) {
  if (RawMatches(type, carrier, slot)) return "";
  const bool is_ref = carrier == vm::ValueType::kRef;
  RefObject* object = is_ref ? slot.ref : nullptr;
  auto* view = RefCast<hal::BufferView>(object);
  if (view && type.kind == Kind::kBuffer) {
    return absl::StrCat(
        "a buffer ", view->ShapeAndType(), " is given; ",
        type.Difference(view->element_type(), view->shape(), type.ToString()));
  }
  return absl::StrCat(!is_ref             ? "a number"
                      : object == nullptr ? "null"
                                          : object->type().name,
                      " is given; ", type.ToString(), " is expected.");
}

absl::StatusOr<std::shared_ptr<ResultStorage>> ResultStorage::Create(
    vm::Context& context, const vm::Function& function,
    std::shared_ptr<const RawCall> raw, Ref<hal::Device> device) {
  std::shared_ptr<ResultStorage> storage(new ResultStorage(
      context, function.name(), std::move(raw), std::move(device)));
  if (storage->raw_->storage.empty()) return storage;
  if (!storage->device_) {
    return absl::FailedPreconditionError(
        absl::StrCat("Results of function '", PlainName(function.name()),
                     "' need a device."));
  }
  storage->owner_ = {storage->device_->allocator().NewOwner(),
                     context.memory()};
  RETURN_IF_ERROR(storage->PlanResults());
  RETURN_IF_ERROR(storage->BindAllocator(function));
  return storage;
}

absl::Status ResultStorage::PlanResults() {
  for (const RawType& type : raw_->signature.results) {
    results_.emplace_back().type = &type;
    dynamic_results_ += IsDynamicBuffer(type);
  }
  for (const RawType& type : raw_->signature.inputs) {
    if (type.kind != Kind::kBuffer) continue;
    for (const int64_t dimension : type.shape) {
      dynamic_inputs_ += dimension == RawType::kDynamic;
    }
  }
  for (size_t slot = 0; slot < raw_->storage.size(); ++slot) {
    const Parameter& parameter = raw_->storage[slot];
    Result& result = results_[*parameter.storage_of];
    result.slot = slot;
    result.as_buffer = parameter.type.is(Type::Kind::kBuffer);
    if (!result.type->is_static()) continue;
    ASSIGN_OR_RETURN(BufferPlan plan,
                     BufferDescriptionOracle(*device_, *result.type, {}));
    result.made = std::move(plan.description);
  }
  return absl::OkStatus();
}

// The allocator is required if a dynamic result has storage.
absl::Status ResultStorage::BindAllocator(const vm::Function& function) {
  bool needed = false;
  for (const Result& result : results_) {
    needed |= result.slot.has_value() && IsDynamicBuffer(*result.type);
  }
  if (!needed || raw_->allocator.empty()) return absl::OkStatus();
  const auto found = context_.LookupBeside(function, raw_->allocator);
  if (!found.ok()) {
    return absl::NotFoundError(absl::StrCat(
        "The module does not export the function '", PlainName(raw_->allocator),
        "', which is the result allocator of '", PlainName(function_), "'."));
  }
  allocator_ = *found;
  allocator_takes_fences_ =
      TakesFences(allocator_.attributes(), allocator_.signature());
  const auto& arguments = allocator_.signature().argument_types();
  const auto& results = allocator_.signature().result_types();
  const size_t count = allocator_takes_fences_ ? 1 + kFences : 1;
  if (arguments.size() != count || results.size() != 1 ||
      arguments[0] != vm::ValueType::kRef || results[0] != arguments[0]) {
    return absl::InvalidArgumentError(absl::StrCat(
        NamedFunction(raw_->allocator), ", the result allocator of '",
        PlainName(function_), "', does not take one list and return one."));
  }
  has_allocator_ = true;
  return absl::OkStatus();
}

absl::Status ResultStorage::Wrong(absl::string_view what) const {
  return absl::InvalidArgumentError(
      absl::StrCat("Result allocator '", PlainName(raw_->allocator),
                   "' of function '", PlainName(function_), "' ", what));
}

absl::Status ResultStorage::Wrong(size_t result, absl::string_view why) const {
  return Wrong(absl::StrCat("is wrong about result ", result, ": ", why));
}

void ResultStorage::Put(const Result& result, Ref<hal::BufferView> view,
                        Slots& slots) {
  if (raw_->fills) slots.views[*result.slot] = view;
  Ref<RefObject>& place = slots.storage[*result.slot];
  if (result.as_buffer) {
    place = view->buffer();
  } else {
    place = std::move(view);
  }
}

absl::Status ResultStorage::Create(std::span<const vm::Slot> inputs,
                                   Slots& slots) {
  slots.storage.resize(raw_->storage.size());
  if (raw_->fills) slots.views.resize(raw_->storage.size());
  if (has_allocator_) RETURN_IF_ERROR(Allocate(inputs, slots));
  for (const Result& result : results_) {
    if (!result.slot || !result.made.shape) continue;
    ASSIGN_OR_RETURN(Ref<hal::BufferView> view,
                     CreateBuffer(*device_, result.made, owner_));
    Put(result, std::move(view), slots);
    ++slots.made;
  }
  if (!raw_->fills || !slots.has_unknown()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(NamedFunction(function_),
                   " returns nothing, and storage cannot be created for all "
                   "of its results; pass it as arguments."));
}

absl::StatusOr<Ref<hal::BufferView>> ResultStorage::Filled(
    const Result& result, RefObject* object) const {
  if (auto* view = RefCast<hal::BufferView>(object)) {
    return Ref<hal::BufferView>::Share(view);
  }
  auto* buffer = RefCast<hal::Buffer>(object);
  if (buffer == nullptr) return Ref<hal::BufferView>();
  BufferDescription shaped = result.made;
  if (!shaped.shape) {
    BufferDescription given;
    given.byte_length = buffer->byte_length();
    ASSIGN_OR_RETURN(BufferPlan plan,
                     BufferDescriptionOracle(*device_, *result.type, given));
    shaped = std::move(plan.description);
  }
  return hal::BufferView::Create(Ref<hal::Buffer>::Share(buffer), *shaped.shape,
                                 shaped.element);
}

absl::Status ResultStorage::TakeFilled(std::span<const vm::Slot> given,
                                       const Slots& slots,
                                       std::span<vm::Slot> results) const {
  ShortRow<Ref<hal::BufferView>, 4> views;
  RETURN_IF_ERROR(views.Resize(results.size(), "the results of a call"));
  for (size_t i = 0; i < results.size(); ++i) {
    const size_t slot = *results_[i].slot;
    if (!slots.views.empty()) {
      views[i] = slots.views[slot];
      continue;
    }
    ASSIGN_OR_RETURN(views[i], Filled(results_[i], given[slot].ref));
  }
  for (size_t i = 0; i < results.size(); ++i) {
    results[i].ref = views[i].release();
  }
  return absl::OkStatus();
}

absl::Status ResultStorage::Allocate(std::span<const vm::Slot> inputs,
                                     Slots& slots) {
  auto returned = CallAllocator(inputs, slots.usable);
  if (!returned.ok()) {
    return Annotate(
        returned.status(),
        absl::StrCat("(result allocator of '", PlainName(function_), "')"));
  }
  return Take(*returned, inputs, slots);
}

// Lists the dynamic dimensions of the inputs, in order.
absl::Status ResultStorage::SetDimensions(std::span<const vm::Slot> inputs) {
  if (!dimensions_ || !dimensions_->IsUnique()) {
    ASSIGN_OR_RETURN(dimensions_,
                     vm::List::Create({}, dynamic_inputs_, context_.memory()));
  }
  RETURN_IF_ERROR(dimensions_->Resize(dynamic_inputs_));
  size_t next = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const RawType& type = raw_->signature.inputs[i];
    if (!IsDynamicBuffer(type)) continue;
    if (!RawMatches(type, vm::ValueType::kRef, inputs[i])) {
      return absl::InvalidArgumentError(
          absl::StrCat("Argument ", i, ": ",
                       RawDifference(type, vm::ValueType::kRef, inputs[i])));
    }
    const auto* view = static_cast<const hal::BufferView*>(inputs[i].ref);
    for (size_t d = 0; d < type.shape.size(); ++d) {
      if (type.shape[d] != RawType::kDynamic) continue;
      RETURN_IF_ERROR(dimensions_->SetNumber(next++, view->shape()[d]));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<Ref<RefObject>> ResultStorage::CallAllocator(
    std::span<const vm::Slot> inputs, Ref<hal::Fence>& usable) {
  RETURN_IF_ERROR(SetDimensions(inputs));
  vm::Slot arguments[1 + kFences];
  arguments[0].ref = dimensions_.get();
  Ref<hal::Fence> done;
  if (allocator_takes_fences_) {
    ASSIGN_OR_RETURN(done, allocations_.Next(*device_));
    arguments[1].ref = nullptr;
    arguments[2].ref = done.get();
  }
  vm::Slot result;
  RETURN_IF_ERROR(context_.Invoke(
      allocator_,
      std::span(arguments, allocator_takes_fences_ ? 1 + kFences : 1),
      std::span(&result, 1)));
  Ref<RefObject> returned = Ref<RefObject>::Adopt(result.ref);
  if (!done) return returned;
  ASSIGN_OR_RETURN(const bool reached, done->Query());
  if (reached) {
    allocations_.Reached(std::move(done));
  } else {
    usable = std::move(done);
  }
  return returned;
}

absl::Status ResultStorage::Take(const Ref<RefObject>& returned,
                                 std::span<const vm::Slot> inputs,
                                 Slots& slots) {
  auto* list = RefCast<vm::List>(returned.get());
  if (list == nullptr) {
    return Wrong(absl::StrCat("returns ",
                              returned ? returned->type().name : "null",
                              "; a list is expected."));
  }
  if (list->size() != dynamic_results_) {
    return Wrong(absl::StrCat("returns a list of ", list->size(), "; ",
                              dynamic_results_,
                              dynamic_results_ == 1 ? " is" : " are",
                              " expected, one for each dynamic result."));
  }
  size_t next = 0;
  for (size_t i = 0; i < results_.size(); ++i) {
    if (!IsDynamicBuffer(*results_[i].type)) continue;
    ASSIGN_OR_RETURN(Ref<hal::BufferView> view, TakeView(*list, next++, i));
    if (!view) continue;
    for (size_t k = 0; k < inputs.size(); ++k) {
      if (raw_->signature.inputs[k].kind != Kind::kBuffer) continue;
      if (!Overlap(inputs[k].ref, *view->buffer())) continue;
      return Wrong(i, absl::StrCat("it uses the buffer of argument ", k, "."));
    }
    for (const Ref<RefObject>& other : slots.storage) {
      if (!Overlap(other.get(), *view->buffer())) continue;
      return Wrong(i, "it uses the buffer of another result.");
    }
    Put(results_[i], std::move(view), slots);
    ++slots.allocated;
  }
  return absl::OkStatus();
}

// Returns the buffer of a dynamic result, or null.
absl::StatusOr<Ref<hal::BufferView>> ResultStorage::TakeView(vm::List& list,
                                                             size_t index,
                                                             size_t result) {
  ASSIGN_OR_RETURN(const vm::Value value, list.Get(index));
  if (value.is_ref() && value.ref() == nullptr) return Ref<hal::BufferView>();
  const std::string difference =
      RawDifference(*results_[result].type, value.type(), value.slot());
  if (!difference.empty()) return Wrong(result, difference);
  Ref<hal::BufferView> view =
      Ref<hal::BufferView>::Share(static_cast<hal::BufferView*>(value.ref()));
  if (view->encoding() != hal::EncodingType::kDenseRowMajor) {
    return Wrong(result, "its buffer is not dense.");
  }
  if (!results_[result].slot) {
    return Wrong(result, "the function takes no storage for it.");
  }
  return view;
}

}  // namespace eyrie::abi::v0
