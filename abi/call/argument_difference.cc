#include "abi/call/argument_difference.h"

#include <cstdint>
#include <optional>

#include "abi/tensor/element_range.h"
#include "abi/tensor/tensor.h"
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

// Returns how a tensor differs from its declaration, as the end of a sentence.
std::string TensorDifference(const hal::BufferView& view, const Type& type) {
  std::string difference = type.Difference(view.element_type(), view.shape());
  return difference.empty() ? ElementDifference(&view, type.element)
                            : difference;
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
                     type.element != ElementType::kNone && type.is_static();
  return sized ? type.ByteLength().value_or(0) : 0;
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
  return type.element == view.element_type() && type.ranked &&
         type.FitsShape(view.shape());
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
