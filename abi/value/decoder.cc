// A program builds its lists itself. They may contain themselves, and each
// other many times, so depth and number are limited.
#include "abi/value/decoder.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "abi/tensor/element_range.h"
#include "abi/value/convert.h"
#include "absl/strings/str_cat.h"
#include "base/allocate.h"
#include "base/checked_math.h"
#include "base/status_macros.h"
#include "hal/buffer.h"
#include "vm/object/buffer.h"

namespace eyrie::abi {
namespace {

using Kind = Type::Kind;
using hal::ElementType;
using vm::ValueType;
using ListKind = vm::ElementType::Kind;

constexpr absl::string_view kItems = "the items of a result";
constexpr absl::string_view kText = "a result's text";

absl::Status NotReturned(const RefObject* object, const Type& type) {
  return absl::InvalidArgumentError(
      absl::StrCat(object ? absl::StrCat("a ", object->type().name) : "null",
                   " is returned; ", type.ToString(), " is expected."));
}

HostValue DecodeScalar(const vm::Value& value, ElementType type) {
  const auto bits = static_cast<uint8_t>(
      value.type() == ValueType::kI64 || value.type() == ValueType::kF64 ? 64
                                                                         : 32);
  switch (value.type()) {
    case ValueType::kF32:
      return HostValue(value.f32());
    case ValueType::kF64:
      return HostValue(value.f64());
    default:
      break;
  }
  const int64_t raw =
      value.type() == ValueType::kI64 ? value.i64() : value.i32();
  if (type == ElementType::kBool8) return HostValue((raw & 1) != 0);
  if (IsFloat(type)) {
    return HostValue(
        HostValue::Float{UnpackFloat(type, static_cast<uint16_t>(raw)), bits});
  }
  // The bits above the declared width are undefined.
  const uint32_t unused = 64 - hal::BitCount(type);
  const auto shifted = static_cast<uint64_t>(raw) << unused;
  if (IsUnsigned(type)) {
    const auto natural = static_cast<int64_t>(shifted >> unused);
    return HostValue(HostValue::Int{natural, bits, natural < 0});
  }
  return HostValue(
      HostValue::Int{static_cast<int64_t>(shifted) >> unused, bits});
}

// Reports whether a scalar type tells how to read this register.
bool Reads(const vm::Value& value, ElementType type) {
  switch (value.type()) {
    case ValueType::kF32:
    case ValueType::kF64:
      return IsFloat(type);
    case ValueType::kRef:
      return false;
    case ValueType::kI32:
      return type == ElementType::kBool8 || IsInteger(type) ||
             (IsFloat(type) && hal::BitCount(type) <= 16);
    case ValueType::kI64:
      break;
  }
  if (!IsInteger(type)) return false;
  // The value in a wide register must fit the narrow type.
  const uint32_t unused = 64 - hal::BitCount(type);
  const auto shifted = static_cast<uint64_t>(value.i64()) << unused;
  const int64_t held = IsUnsigned(type)
                           ? static_cast<int64_t>(shifted >> unused)
                           : static_cast<int64_t>(shifted) >> unused;
  return held == value.i64();
}

}  // namespace

absl::Status Decoder::Count(size_t values) {
  if (depth_ > kMaxValueDepth) {
    return absl::InvalidArgumentError(absl::StrCat("values are nested ", depth_,
                                                   " deep; the limit is ",
                                                   kMaxValueDepth, "."));
  }
  values_ += values;
  if (values_ <= kMaxValues) return Charge(values * sizeof(HostValue), kItems);
  return absl::ResourceExhaustedError(absl::StrCat(
      "more than ", kMaxValues, " values are returned, which is the limit."));
}

absl::Status Decoder::Charge(uint64_t bytes, absl::string_view what) {
  return charge_ == nullptr ? absl::OkStatus() : charge_->Add(bytes, what);
}

bool Decoder::DecodeNumber(const vm::Value& value, const Type& type,
                           HostValue& number) {
  if (!type.is(Kind::kScalar) || !Reads(value, type.element)) return false;
  number = DecodeScalar(value, type.element);
  return true;
}

absl::StatusOr<HostValue> Decoder::Decode(const vm::Value& value,
                                          const Type& type) {
  if (type.is(Kind::kScalar)) {
    if (!Reads(value, type.element)) {
      ASSIGN_OR_RETURN(const HostValue given, Unknown(value));
      return absl::InvalidArgumentError(
          absl::StrCat(given.Describe(), " is returned; ", type.ToString(),
                       " is expected."));
    }
    return DecodeScalar(value, type.element);
  }
  if (!value.is_ref()) {
    if (type.is(Kind::kUnknown)) return Unknown(value);
    ASSIGN_OR_RETURN(const HostValue given, Unknown(value));
    return absl::InvalidArgumentError(absl::StrCat(
        given.Describe(), " is returned; ", type.ToString(), " is expected."));
  }
  return Reference(Ref<RefObject>::Share(value.ref()), type);
}

absl::StatusOr<HostValue> Decoder::Reference(Ref<RefObject> object,
                                             const Type& type) {
  if (!object && !type.is(Kind::kArray) && !type.is(Kind::kRefArray) &&
      !type.is_structure()) {
    return HostValue();
  }
  switch (type.kind) {
    case Kind::kUnknown:
      return Unknown(vm::Value(std::move(object)));
    case Kind::kArray:
      return Array(std::move(object), type);
    case Kind::kRefArray:
      return RefArray(object, type);
    case Kind::kBytes:
    case Kind::kByteList:
      return Bytes(object, type);
    case Kind::kList:
    case Kind::kTuple:
    case Kind::kDict:
    case Kind::kHomogeneous:
    case Kind::kAnyList:
      return List(object, type);
    case Kind::kBuffer:
    case Kind::kFence:
      return HostValue(std::move(object));
    case Kind::kNull:
    case Kind::kScalar:
      break;
  }
  return NotReturned(object.get(), type);
}

absl::StatusOr<HostValue> Decoder::Array(Ref<RefObject> object,
                                         const Type& type) {
  auto* view = RefCast<hal::BufferView>(object.get());
  if (view == nullptr) return NotReturned(object.get(), type);
  std::string difference = type.ShapeDifference(view->shape());
  if (type.element != ElementType::kNone &&
      !SameBits(view->element_type(), type.element)) {
    difference = absl::StrCat(
        "the element type is ", hal::ElementTypeName(view->element_type()),
        ", expected ", ElementText(type.element), " (", type.ToString(), ").");
  }
  if (!difference.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "an array ", view->ShapeAndType(), " is returned; ", difference));
  }
  const ElementType given = view->element_type();
  Ref<hal::BufferView> shared = Ref<hal::BufferView>::Share(view);
  if (type.element != ElementType::kNone &&
      view->element_type() != type.element) {
    ASSIGN_OR_RETURN(shared,
                     hal::BufferView::Create(view->buffer(), view->shape(),
                                             type.element, view->encoding()));
  }
  absl::StatusOr<std::shared_ptr<const HostArray>> array =
      HostArray::OfTensor(std::move(shared));
  // If the host cannot read the buffer, return an opaque reference.
  if (!array.ok()) return HostValue(std::move(object));
  const ElementType taken = (*array)->type();
  if (given != taken) [[unlikely]] {
    const std::optional<Misfit> misfit =
        FindMisfit((*array)->bytes(), given, taken, (*array)->shape());
    if (misfit) {
      path_.Set(misfit->Place());
      return OutOfRange(misfit->number, taken);
    }
  }
  ++statistics_->lent;
  return HostValue(*std::move(array));
}

absl::StatusOr<HostValue> Decoder::Bytes(const Ref<RefObject>& object,
                                         const Type& type) {
  if (auto* buffer = RefCast<vm::Buffer>(object.get());
      buffer != nullptr && !type.is(Kind::kByteList)) {
    const absl::string_view text = buffer->text();
    std::string bytes;
    RETURN_IF_ERROR(Charge(text.size(), kText));
    RETURN_IF_ERROR(Assign(bytes, text, kText));
    return HostValue::Bytes(std::move(bytes));
  }
  auto* list = RefCast<vm::List>(object.get());
  if (list == nullptr || type.is(Kind::kBytes)) {
    return NotReturned(object.get(), type);
  }
  std::string bytes;
  RETURN_IF_ERROR(Charge(list->size(), kText));
  RETURN_IF_ERROR(Resize(bytes, list->size(), kText));
  for (size_t i = 0; i < bytes.size(); ++i) {
    int32_t byte = 0;
    RETURN_IF_ERROR(path_.Add(i, list->GetNumber(i, byte)));
    bytes[i] = static_cast<char>(byte);
  }
  return HostValue::Bytes(std::move(bytes));
}

absl::StatusOr<HostValue> Decoder::List(const Ref<RefObject>& object,
                                        const Type& type) {
  auto* list = RefCast<vm::List>(object.get());
  if (list == nullptr) return NotReturned(object.get(), type);
  if (type.is(Kind::kAnyList) && list->element_type().kind == ListKind::kI8) {
    return Bytes(object, type);
  }
  ++depth_;
  RETURN_IF_ERROR(Count(list->size()));
  std::vector<vm::Value> values;
  RETURN_IF_ERROR(Reserve(values, list->size(), kItems));
  for (size_t i = 0; i < list->size(); ++i) {
    ASSIGN_OR_RETURN(vm::Value value, list->Get(i));
    values.push_back(std::move(value));
  }
  ASSIGN_OR_RETURN(HostValue result, ListOf(values, type));
  --depth_;
  return result;
}

absl::StatusOr<HostValue> Decoder::DecodeSlots(std::span<vm::Value> values,
                                               const Type& type) {
  RETURN_IF_ERROR(Count(values.size()));
  return ListOf(values, type);
}

absl::StatusOr<HostValue> Decoder::ListOf(std::span<vm::Value> values,
                                          const Type& type) {
  if (type.is_structure() && values.size() != type.members.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "a list of ", values.size(), " is returned; ", type.members.size(),
        type.members.size() == 1 ? " item is" : " items are", " expected, ",
        type.ToString(), "."));
  }
  if (type.is(Kind::kDict)) {
    HostValue::Entries entries;
    RETURN_IF_ERROR(Reserve(entries, values.size(), kItems));
    for (size_t i = 0; i < values.size(); ++i) {
      const Member& member = type.members[i];
      absl::StatusOr<HostValue> item = Decode(values[i], member.type);
      if (!item.ok()) return path_.Add(member.key, item.status());
      HostValue::Entry& entry = entries.emplace_back();
      RETURN_IF_ERROR(Assign(entry.first, member.key, "a key"));
      entry.second = *std::move(item);
    }
    return HostValue::Dict(std::move(entries));
  }
  HostValue::Items items;
  RETURN_IF_ERROR(Reserve(items, values.size(), kItems));
  for (size_t i = 0; i < values.size(); ++i) {
    const Type& item_type = type.is_structure()           ? type.members[i].type
                            : type.is(Kind::kHomogeneous) ? type.members[0].type
                                                          : Type::Any();
    absl::StatusOr<HostValue> item = Decode(values[i], item_type);
    if (!item.ok()) return path_.Add(i, item.status());
    items.push_back(*std::move(item));
  }
  return type.is(Kind::kTuple) ? HostValue::Tuple(std::move(items))
                               : HostValue::List(std::move(items));
}

absl::StatusOr<HostValue> Decoder::RefArray(const Ref<RefObject>& object,
                                            const Type& type) {
  auto* pair = RefCast<vm::List>(object.get());
  if (pair == nullptr || pair->size() != 2) {
    return NotReturned(object.get(), type);
  }
  RefObject* first = nullptr;
  RefObject* second = nullptr;
  RETURN_IF_ERROR(path_.Add(size_t{0}, pair->GetRef(0, first)));
  RETURN_IF_ERROR(path_.Add(1, pair->GetRef(1, second)));
  auto* values = RefCast<vm::List>(first);
  auto* dims = RefCast<vm::List>(second);
  if (values == nullptr || dims == nullptr ||
      dims->size() > Signature::kMaxRank) {
    return NotReturned(object.get(), type);
  }
  std::vector<int64_t> shape(dims->size());
  std::optional<uint64_t> count = 1;
  for (size_t i = 0; i < shape.size(); ++i) {
    RETURN_IF_ERROR(path_.Add(1, dims->GetNumber(i, shape[i])));
    if (shape[i] < 0) {
      return absl::InvalidArgumentError(absl::StrCat(
          "dimension ", i, " of the array returned is ", shape[i], "."));
    }
    if (count) count = CheckedMul(*count, static_cast<uint64_t>(shape[i]));
  }
  const std::string difference = type.ShapeDifference(shape);
  if (!difference.empty() || count != values->size()) {
    return absl::InvalidArgumentError(
        difference.empty()
            ? absl::StrCat("an array of ", values->size(),
                           " values is returned; its dimensions ask for ",
                           count ? absl::StrCat(*count) : "more than 64 bits",
                           ".")
            : absl::StrCat("an array is returned; ", difference));
  }
  ++depth_;
  RETURN_IF_ERROR(Count(values->size()));
  const bool is_pair = IsPair(type);
  const auto flat = static_cast<int64_t>(values->size());
  size_t next = 0;
  ASSIGN_OR_RETURN(
      HostValue result,
      NestRefArray(*values, next, is_pair ? std::span(&flat, 1) : shape,
                   type.members[0].type));
  --depth_;
  if (!is_pair) return result;
  HostValue::Items both;
  both.push_back(std::move(result));
  both.push_back(HostValue::List(HostValue::Items(shape.begin(), shape.end())));
  return HostValue::List(std::move(both));
}

absl::StatusOr<HostValue> Decoder::NestRefArray(const vm::List& values,
                                                size_t& next,
                                                std::span<const int64_t> shape,
                                                const Type& type) {
  if (shape.empty()) {
    const size_t index = next++;
    ASSIGN_OR_RETURN(vm::Value value, values.Get(index));
    absl::StatusOr<HostValue> item = Decode(value, type);
    if (!item.ok()) return path_.Add(index, item.status());
    return item;
  }
  // An array without values still has as many rows as its dimensions say.
  RETURN_IF_ERROR(Count(static_cast<size_t>(
      values.size() == 0 ? std::min<int64_t>(shape[0], kMaxValues + 1) : 0)));
  HostValue::Items items;
  RETURN_IF_ERROR(Reserve(items, static_cast<size_t>(shape[0]), kItems));
  for (int64_t i = 0; i < shape[0]; ++i) {
    ASSIGN_OR_RETURN(HostValue item,
                     NestRefArray(values, next, shape.subspan(1), type));
    items.push_back(std::move(item));
  }
  return HostValue::List(std::move(items));
}

absl::StatusOr<HostValue> Decoder::Unknown(const vm::Value& value) {
  switch (value.type()) {
    case ValueType::kI32:
      return HostValue(value.i32());
    case ValueType::kI64:
      return HostValue(value.i64());
    case ValueType::kF32:
      return HostValue(value.f32());
    case ValueType::kF64:
      return HostValue(value.f64());
    case ValueType::kRef:
      break;
  }
  Ref<RefObject> object = Ref<RefObject>::Share(value.ref());
  if (!object) return HostValue();
  if (RefCast<hal::BufferView>(object.get()) != nullptr) {
    return Array(std::move(object), Type::Any());
  }
  if (RefCast<vm::Buffer>(object.get()) != nullptr) {
    return Bytes(object, Type::Any());
  }
  if (RefCast<vm::List>(object.get()) != nullptr) {
    static const Type* const kAnyList = [] {
      auto* type = new Type();
      type->kind = Kind::kAnyList;
      return type;
    }();
    return List(object, *kAnyList);
  }
  return HostValue(std::move(object));
}

}  // namespace eyrie::abi
