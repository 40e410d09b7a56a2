// Encodes scalars and references. list_encoder.cc has lists and bytes,
// array_encoder.cc has arrays.
#include "abi/value/encoder.h"

#include <utility>

#include "abi/tensor/element_range.h"
#include "abi/tensor/tensor.h"
#include "abi/value/convert.h"
#include "absl/strings/str_cat.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "hal/buffer.h"
#include "hal/buffer_view.h"
#include "hal/fence.h"
#include "vm/object/buffer.h"

namespace eyrie::abi {
namespace {

using Kind = Type::Kind;
using HostKind = HostValue::Kind;
using hal::ElementType;
using vm::ValueType;

// Returns the RefType that an argument of this type must have; null for any.
const RefType* RefTypeOf(const Type& type) {
  switch (type.kind) {
    case Kind::kArray:
      return &hal::BufferView::kType;
    case Kind::kBuffer:
      return &hal::Buffer::kType;
    case Kind::kBytes:
      return &vm::Buffer::kType;
    case Kind::kFence:
      return &hal::Fence::kType;
    default:
      return type.is_list() ? &vm::List::kType : nullptr;
  }
}

}  // namespace

bool FitsRegister(const vm::Value& content, const Parameter& parameter) {
  if (content.type() != parameter.carrier) return false;
  if (!content.is_ref()) return true;
  const Type& type = parameter.type;
  const bool is_tensor = type.is(Kind::kArray) &&
                         (type.ranked || type.element != ElementType::kNone);
  if (content.ref() == nullptr) return !is_tensor;
  const RefType* const want = RefTypeOf(type);
  if (want != nullptr && &content.ref()->type() != want) return false;
  if (!is_tensor || parameter.storage_of) return true;
  const auto& view = static_cast<const hal::BufferView&>(*content.ref());
  if (!type.Fits(view.element_type(), view.shape())) return false;
  if (!MayChangeValue(view.element_type(), type.element)) return true;
  const auto bytes = BytesOf(view);
  return bytes.ok() &&
         !FindMisfit(*bytes, view.element_type(), type.element, view.shape());
}

HostValue FromRegister(const vm::Value& content, const Type& type) {
  const vm::Slot slot = content.slot();
  switch (content.type()) {
    case ValueType::kI32:
      if (type.is(Kind::kScalar) && IsFloat(type.element)) {
        return HostValue(UnpackFloat(type.element, slot.i32));
      }
      return HostValue(slot.i32);
    case ValueType::kI64:
      return HostValue(slot.i64);
    case ValueType::kF32:
      return HostValue(slot.f32);
    case ValueType::kF64:
      return HostValue(slot.f64);
    case ValueType::kRef:
      break;
  }
  auto* view = RefCast<hal::BufferView>(slot.ref);
  if (view != nullptr) {
    auto array = HostArray::OfTensor(Ref<hal::BufferView>::Share(view),
                                     HostArray::Use::kLend);
    if (array.ok()) return HostValue(*std::move(array));
  }
  return HostValue(Ref<RefObject>::Share(slot.ref));
}

absl::Status NotExpected(const HostValue& value, const Type& type) {
  return absl::InvalidArgumentError(absl::StrCat(
      value.Describe(), " is given; ", type.ToString(), " is expected."));
}

absl::Status Encoder::AddToPath(absl::string_view key, absl::Status status) {
  if (!status.ok()) path_ = absl::StrCat("['", EscapedName(key), "']", path_);
  return status;
}

absl::Status Encoder::AddToPath(size_t index, absl::Status status) {
  if (!status.ok()) path_ = absl::StrCat("[", index, "]", path_);
  return status;
}

absl::Status Encoder::EnterNested() {
  if (++depth_ <= kMaxValueDepth) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("values are nested ", depth_,
                                                 " deep; the limit is ",
                                                 kMaxValueDepth, "."));
}

absl::Status Encoder::Encode(const HostValue& value, const Parameter& parameter,
                             vm::Slot& slot) {
  const Type& type = parameter.type;
  if (type.is(Kind::kScalar)) {
    return Scalar(value, type.element, parameter.carrier, slot);
  }
  Ref<RefObject> object;
  is_storage_ = parameter.storage_of.has_value();
  RETURN_IF_ERROR(Reference(value, type, object));
  slot.ref = object.release();
  return absl::OkStatus();
}

absl::Status Encoder::Scalar(const HostValue& value, ElementType type,
                             ValueType carrier, vm::Slot& slot) {
  if (IsInteger(type)) {
    int64_t number = 0;
    RETURN_IF_ERROR(ToInteger(value, type, number));
    if (carrier == ValueType::kI64) {
      slot.i64 = number;
    } else {
      slot.i32 = static_cast<int32_t>(number);
    }
    return absl::OkStatus();
  }
  if (IsFloat(type)) {
    // A compiler may pass a double in a narrower register.
    const bool narrow =
        type == ElementType::kFloat64 && carrier == ValueType::kF32;
    double number = 0;
    RETURN_IF_ERROR(
        ToFloat(value, narrow ? ElementType::kFloat32 : type, number));
    switch (carrier) {
      case ValueType::kF64:
        slot.f64 = number;
        break;
      case ValueType::kF32:
        slot.f32 = static_cast<float>(number);
        break;
      default:
        slot.i32 = PackFloat(type, number);
        break;
    }
    return absl::OkStatus();
  }
  if (type != ElementType::kBool8) {
    return absl::UnimplementedError(absl::StrCat(
        "A scalar of type ", ElementText(type), " cannot be passed."));
  }
  bool boolean = false;
  RETURN_IF_ERROR(ToBoolean(value, boolean));
  slot.i64 = boolean ? 1 : 0;
  return absl::OkStatus();
}

absl::Status Encoder::Reference(const HostValue& value, const Type& type,
                                Ref<RefObject>& object) {
  if (type.is_list() && value.is(HostKind::kRef)) {
    return TakeRef(value, type, vm::List::kType, object);
  }
  switch (type.kind) {
    case Kind::kUnknown:
      return Unknown(value, object);
    case Kind::kNull:
      return value.is(HostKind::kNull) ? absl::OkStatus()
                                       : NotExpected(value, type);
    case Kind::kScalar:
      break;
    case Kind::kArray:
      return Array(value, type, object);
    case Kind::kRefArray:
      return RefArray(value, type, object);
    case Kind::kBytes:
    case Kind::kByteList:
      return Bytes(value, type, object);
    case Kind::kBuffer:
      return ToBuffer(value, object);
    case Kind::kList:
    case Kind::kTuple:
    case Kind::kDict:
      return Structure(value, type, object);
    case Kind::kHomogeneous:
      return Homogeneous(value, type, object);
    case Kind::kAnyList:
      return AnyList(value, object);
    case Kind::kFence:
      return TakeRef(value, type, hal::Fence::kType, object);
  }
  return NotExpected(value, type);
}

absl::Status Encoder::TakeRef(const HostValue& value, const Type& type,
                              const RefType& wanted, Ref<RefObject>& object) {
  if (value.is(HostKind::kNull)) return absl::OkStatus();
  const Ref<RefObject>* ref = value.ref();
  if (ref == nullptr || &(*ref)->type() != &wanted) {
    return NotExpected(value, type);
  }
  object = *ref;
  return absl::OkStatus();
}

absl::Status Encoder::Unknown(const HostValue& value, Ref<RefObject>& object) {
  switch (value.kind()) {
    case HostKind::kNull:
      return absl::OkStatus();
    case HostKind::kRef:
      object = *value.ref();
      return absl::OkStatus();
    case HostKind::kArray:
      return Array(value, Type::Any(), object);
    case HostKind::kBool:
    case HostKind::kInt:
    case HostKind::kFloat: {
      Type reference;
      reference.text = "a reference";
      return NotExpected(value, reference);
    }
    default:
      return AnyList(value, object);
  }
}

}  // namespace eyrie::abi
