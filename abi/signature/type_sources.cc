#include "abi/signature/type_sources.h"

#include <algorithm>
#include <utility>

#include "hal/element_type.h"

namespace eyrie::abi {
namespace {

using Kind = Type::Kind;
using hal::ElementType;
using vm::ValueType;

bool IsFloat(ElementType element) {
  return hal::NumericalKind(element) >> 4 == 2;
}

// A double may be passed in a narrower register; a 16-bit float as bits in an
// i32.
bool ScalarsAgree(ElementType declared, ElementType said) {
  constexpr uint32_t kBits = 16;
  if (declared == said) return true;
  if (hal::IsIntegerOrBool(declared) && hal::IsIntegerOrBool(said)) {
    return hal::BitCount(said) <= hal::BitCount(declared);
  }
  return IsFloat(declared) && IsFloat(said) &&
         hal::BitCount(declared) > kBits && hal::BitCount(said) > kBits;
}

bool ArraysAgree(const Type& declared, const Type& said) {
  const ElementType element = declared.element;
  if (element != ElementType::kNone && said.element != ElementType::kNone &&
      !hal::EqualUpToSign(element, said.element)) {
    return false;
  }
  if (!declared.ranked || !said.ranked) return true;
  return std::equal(
      declared.shape.begin(), declared.shape.end(), said.shape.begin(),
      said.shape.end(), [](int64_t a, int64_t b) {
        return a == b || a == Type::kDynamic || b == Type::kDynamic;
      });
}

// Reports whether a declared list of one element type can be the type `said`.
bool ListAgrees(const Type& element, const Type& said) {
  if (said.is(Kind::kRefArray)) {
    return element.is(Kind::kUnknown) || element.is_list();
  }
  if (!said.is_structure() && !said.is(Kind::kHomogeneous)) {
    return said.is_list();
  }
  return std::all_of(
      said.members.begin(), said.members.end(),
      [&](const Member& member) { return Agrees(element, member.type); });
}

// Reports whether a type is a list of bytes, under any of its names.
bool IsText(const Type& type) {
  if (type.is(Kind::kByteList)) return true;
  if (!type.is(Kind::kHomogeneous)) return false;
  const Type& element = type.members[0].type;
  return element.is(Kind::kScalar) && hal::IsIntegerOrBool(element.element) &&
         hal::BitCount(element.element) == 8;
}

}  // namespace

Type FromCarrier(ValueType carrier) {
  Type type;
  if (carrier == ValueType::kRef) return type;
  type.kind = Kind::kScalar;
  switch (carrier) {
    case ValueType::kI32:
      type.element = ElementType::kInt32;
      break;
    case ValueType::kI64:
      type.element = ElementType::kInt64;
      break;
    case ValueType::kF32:
      type.element = ElementType::kFloat32;
      break;
    default:
      type.element = ElementType::kFloat64;
      break;
  }
  return type;
}

Type FromRaw(const v0::RawType& raw, const Type& known) {
  Type type;
  switch (raw.kind) {
    case v0::RawType::Kind::kBuffer:
      if (known.is(Kind::kBuffer)) return known;
      type.kind = Kind::kArray;
      static_cast<hal::TensorType&>(type) = raw;
      return type;
    case v0::RawType::Kind::kScalar:
      type.kind = Kind::kScalar;
      type.element = raw.element;
      return type;
    case v0::RawType::Kind::kRefObject:
    case v0::RawType::Kind::kUnrecognized:
      break;
  }
  return known;
}

bool Agrees(const Type& declared, const Type& said) {
  if (declared.is(Kind::kUnknown) || said.is(Kind::kUnknown)) return true;
  if (said.is(Kind::kNull)) return !declared.is(Kind::kScalar);
  switch (declared.kind) {
    case Kind::kScalar:
      return said.is(Kind::kScalar) &&
             ScalarsAgree(declared.element, said.element);
    case Kind::kArray:
      return said.is(Kind::kArray) && ArraysAgree(declared, said);
    case Kind::kBuffer:
      return said.is(Kind::kBuffer) || said.is(Kind::kArray);
    case Kind::kBytes:
      return said.is(Kind::kBytes) || IsText(said);
    case Kind::kByteList: {
      Type byte = FromCarrier(ValueType::kI32);
      byte.element = ElementType::kInt8;
      return ListAgrees(byte, said);
    }
    case Kind::kHomogeneous:
      return ListAgrees(declared.members[0].type, said);
    case Kind::kAnyList:
      return said.is_list();
    default:
      return declared.kind == said.kind;
  }
}

Type Merged(const Type& declared, Type said) {
  const bool is_known = declared.is(Kind::kBuffer) || declared.is(Kind::kBytes);
  return is_known && !said.is(Kind::kNull) ? declared : said;
}

bool Carries(ValueType carrier, const Type& type) {
  if (type.is(Kind::kUnknown)) return true;
  if (!type.is(Kind::kScalar)) return carrier == ValueType::kRef;
  const uint32_t bits = hal::BitCount(type.element);
  switch (carrier) {
    case ValueType::kI32:
      return IsFloat(type.element) ? bits <= 16 : bits <= 32;
    case ValueType::kI64:
      return !IsFloat(type.element);
    case ValueType::kF32:
    case ValueType::kF64:
      return IsFloat(type.element);
    case ValueType::kRef:
      return false;
  }
  return false;
}

}  // namespace eyrie::abi
