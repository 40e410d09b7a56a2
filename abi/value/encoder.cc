// Encodes scalars and references. list_encoder.cc has lists and bytes,
// array_encoder.cc has arrays.
#include "abi/value/encoder.h"

#include <utility>

#include "abi/value/convert.h"
#include "absl/strings/str_cat.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "hal/fence.h"

namespace eyrie::abi {
namespace {

using Kind = Type::Kind;
using HostKind = HostValue::Kind;
using hal::ElementType;
using vm::ValueType;

}  // namespace

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
