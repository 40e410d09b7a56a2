#include "abi/call/argument_difference.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>

#include "abi/tensor/element_range.h"
#include "abi/tensor/tensor.h"
#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "hal/buffer.h"
#include "hal/buffer_view.h"
#include "hal/element_type.h"
#include "hal/fence.h"
#include "vm/object/buffer.h"
#include "vm/object/list.h"

namespace eyrie::abi {

using hal::ElementType;

std::string ElementDifference(const RefObject* object, ElementType declared) {
  if (object == nullptr || &object->type() != &hal::BufferView::kType) {
    return "";
  }
  const auto& view = static_cast<const hal::BufferView&>(*object);
  if (!MayChangeValue(view.element_type(), declared)) return "";
  const auto bytes = BytesOf(view);
  if (!bytes.ok()) return std::string(bytes.status().message());
  const std::optional<Misfit> misfit =
      FindMisfit(*bytes, view.element_type(), declared, view.shape());
  if (!misfit) return "";
  return absl::StrCat(misfit->number, " is out of range for ",
                      hal::ElementTypeName(declared), RangeText(declared),
                      misfit->index.empty() ? "" : ", at ", misfit->Place(),
                      ".");
}

namespace {

using Kind = Type::Kind;

// Untyped bytes are accepted for elements of the same size. The module's own
// checks accept them for elements of any size.
bool Accepts(ElementType declared, ElementType given) {
  return hal::NumericalKind(given) == 0
             ? hal::StrideBits(given) == hal::StrideBits(declared)
             : hal::EqualUpToSign(declared, given);
}

constexpr absl::string_view kDemotedHint =
    " A program written in f64 is compiled for f32 unless the compiler is "
    "given --iree-input-demote-f64-to-f32=false.";

// Returns how a tensor differs from its declaration, as the end of a sentence.
std::string TensorDifference(const hal::BufferView& view, const Type& type) {
  if (type.element != ElementType::kNone &&
      !Accepts(type.element, view.element_type())) {
    return absl::StrCat("the element type is ",
                        hal::ElementTypeName(view.element_type()),
                        ", expected ", hal::ElementTypeName(type.element), " (",
                        type.ToString(), ").",
                        type.element == ElementType::kFloat32 &&
                                view.element_type() == ElementType::kFloat64
                            ? kDemotedHint
                            : "");
  }
  if (!type.ranked) return ElementDifference(&view, type.element);
  if (view.shape().size() != type.shape.size()) {
    return absl::StrCat("the rank is ", view.shape().size(), ", expected ",
                        type.shape.size(), " (", type.ToString(), ").");
  }
  for (size_t i = 0; i < type.shape.size(); ++i) {
    if (type.shape[i] == Type::kDynamic || type.shape[i] == view.shape()[i]) {
      continue;
    }
    return absl::StrCat("dimension ", i, " is ", view.shape()[i], ", expected ",
                        type.shape[i], " (", type.ToString(), ").");
  }
  return ElementDifference(&view, type.element);
}

// Returns the RefType that an argument of this kind must have; null for any.
const RefType* RefTypeOf(const Parameter& declared) {
  switch (declared.type.kind) {
    case Kind::kArray:
      return &hal::BufferView::kType;
    case Kind::kBuffer:
      return &hal::Buffer::kType;
    case Kind::kBytes:
      return &vm::Buffer::kType;
    case Kind::kFence:
      return &hal::Fence::kType;
    default:
      return declared.type.is_list() ? &vm::List::kType : nullptr;
  }
}

// A !hal.buffer_view, which may be null, has neither rank nor element type.
bool IsTensor(const Type& type) {
  return type.is(Kind::kArray) &&
         (type.ranked || type.element != ElementType::kNone);
}

// Returns the size in bytes of a tensor of a declared type; 0 if the type does
// not say.
uint64_t BytesNeeded(const Type& type) {
  const bool sized = type.is(Kind::kArray) &&
                     type.element != ElementType::kNone && type.ranked &&
                     !absl::c_linear_search(type.shape, Type::kDynamic);
  if (!sized) return 0;
  TensorSpec spec;
  spec.type = type.element;
  spec.shape.assign(type.shape.begin(), type.shape.end());
  return spec.ByteLength().value_or(0);
}

}  // namespace

std::string WithArticle(absl::string_view name) {
  return absl::StrCat(name[0] == 'i' || name[0] == 'f' ? "an " : "a ", name);
}

std::string ExpectedText(const Parameter& declared) {
  const Type& type = declared.type;
  const RefType* object = IsTensor(type) ? nullptr : RefTypeOf(declared);
  if (object != nullptr) return WithArticle(object->name);
  if (type.is(Kind::kUnknown) && type.text.empty()) return "a reference";
  return type.ToString();
}

bool RefFits(const RefObject* object, const Parameter& declared) {
  const Type& type = declared.type;
  if (object == nullptr || !type.is(Kind::kArray) || declared.storage_of ||
      &object->type() != &hal::BufferView::kType) {
    return false;
  }
  const auto& view = static_cast<const hal::BufferView&>(*object);
  if (type.element != view.element_type() || !type.ranked) return false;
  const std::span<const int64_t> shape = view.shape();
  return std::equal(shape.begin(), shape.end(), type.shape.begin(),
                    type.shape.end(), [](int64_t given, int64_t declared) {
                      return given == declared || declared == Type::kDynamic;
                    });
}

std::string RefDifference(RefObject* object, const Parameter& declared) {
  const RefType* want = RefTypeOf(declared);
  if (object == nullptr) {
    // A tensor cannot be null, but other references may be.
    return IsTensor(declared.type)
               ? absl::StrCat("is null; ", declared.type.ToString(),
                              " is expected.")
               : "";
  }
  if (want != nullptr && &object->type() != want) {
    std::string expected = ExpectedText(declared);
    if (declared.storage_of && IsTensor(declared.type)) {
      expected =
          absl::StrCat("storage for ", expected, ", a ", want->name, ",");
    }
    return absl::StrCat("is ", WithArticle(object->type().name), "; ", expected,
                        " is expected.");
  }
  if (IsTensor(declared.type) && !declared.storage_of) {
    const auto* view = static_cast<const hal::BufferView*>(object);
    const std::string difference = TensorDifference(*view, declared.type);
    if (!difference.empty()) {
      return absl::StrCat("is ", view->ShapeAndType(), "; ", difference);
    }
  }
  return "";
}

std::string StorageDifference(RefObject* object, int index,
                              const Type& result) {
  const auto* view = RefCast<hal::BufferView>(object);
  const hal::Buffer* buffer =
      view ? view->buffer().get() : RefCast<hal::Buffer>(object);
  const uint64_t needed = BytesNeeded(result);
  if (buffer == nullptr || buffer->byte_length() >= needed) return "";
  return absl::StrCat("is storage of ", buffer->byte_length(),
                      " bytes; result ", index, ", ", result.ToString(),
                      ", needs ", needed, ".");
}

}  // namespace eyrie::abi
