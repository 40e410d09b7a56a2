// Tested by signature_test.cc.
#include "abi/type_sources.h"

#include <algorithm>
#include <utility>

#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "hal/element_type.h"

namespace eyrie::abi {
namespace {

using Kind = Type::Kind;
using hal::ElementType;
using vm::ValueType;

Type FromDeclaredAt(const DeclaredType& declared, size_t depth);

// "!util.list<i32>": what is between the brackets.
Type FromDeclaredList(absl::string_view text, size_t depth) {
  Type type;
  text.remove_prefix(std::min(text.find('<') + 1, text.size()));
  absl::ConsumeSuffix(&text, ">");
  type.kind = Kind::kAnyList;
  if (text == "?" || depth > Signature::kMaxDepth) return type;
  Type element = FromDeclaredAt(ParseDeclaredType(text), depth + 1);
  if (element.is(Kind::kUnknown)) return type;
  if (element.is(Kind::kScalar) && element.element == ElementType::kInt8) {
    type.kind = Kind::kByteList;
    return type;
  }
  type.kind = Kind::kHomogeneous;
  type.members.push_back({"", std::move(element)});
  return type;
}

Type FromDeclaredAt(const DeclaredType& declared, size_t depth) {
  Type type;
  switch (declared.kind) {
    case DeclaredType::Kind::kUnknown:
      break;
    case DeclaredType::Kind::kScalar:
      type.kind = Kind::kScalar;
      type.element = declared.element;
      break;
    case DeclaredType::Kind::kTensor:
      type.kind = Kind::kArray;
      type.element = declared.element;
      type.ranked = declared.ranked;
      type.shape.assign(declared.shape.begin(), declared.shape.end());
      break;
    case DeclaredType::Kind::kBufferView:
      type.kind = Kind::kArray;
      break;
    case DeclaredType::Kind::kBuffer:
      type.kind = Kind::kBuffer;
      break;
    case DeclaredType::Kind::kBytes:
      type.kind = Kind::kBytes;
      break;
    case DeclaredType::Kind::kList:
      return FromDeclaredList(declared.text, depth);
    case DeclaredType::Kind::kFence:
      type.kind = Kind::kFence;
      break;
  }
  if (type.is(Kind::kUnknown)) type.text = declared.text;
  return type;
}

bool IsFloat(ElementType element) {
  return hal::NumericalKind(element) >> 4 == 2;
}

}  // namespace

Type FromDeclared(const DeclaredType& declared) {
  return FromDeclaredAt(declared, 0);
}

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
      type.element = raw.element;
      type.ranked = true;
      type.shape = raw.dims;
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
