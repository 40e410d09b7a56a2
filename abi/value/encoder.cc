#include "abi/value/encoder.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "abi/tensor/element_range.h"
#include "abi/tensor/tensor.h"
#include "abi/value/convert.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/allocate.h"
#include "base/checked_math.h"
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

// Returns the register type of a scalar in a list, which no calling convention
// describes.
ValueType CarrierOf(ElementType type) {
  if (IsFloat(type)) {
    return type == ElementType::kFloat64   ? ValueType::kF64
           : type == ElementType::kFloat32 ? ValueType::kF32
                                           : ValueType::kI32;
  }
  return hal::BitCount(type) > 32 ? ValueType::kI64 : ValueType::kI32;
}

// Returns the element type of a list for elements of this type.
vm::ElementType ListTypeOf(const Type& element) {
  using ListKind = vm::ElementType::Kind;
  if (!element.is(Kind::kScalar)) return {ListKind::kVariant, nullptr};
  if (IsInteger(element.element)) {
    switch (hal::BitCount(element.element)) {
      case 8:
        return {ListKind::kI8, nullptr};
      case 16:
        return {ListKind::kI16, nullptr};
      default:
        break;
    }
  }
  switch (CarrierOf(element.element)) {
    case ValueType::kI64:
      return {ListKind::kI64, nullptr};
    case ValueType::kF32:
      return {ListKind::kF32, nullptr};
    case ValueType::kF64:
      return {ListKind::kF64, nullptr};
    default:
      return {ListKind::kI32, nullptr};
  }
}

// Escapes the key, which may be any bytes.
std::string Quoted(absl::string_view key) {
  return absl::StrCat("'", EscapedName(key), "'");
}

std::string KeysText(const std::vector<Member>& members) {
  std::string text;
  for (const Member& member : members) {
    absl::StrAppend(&text, text.empty() ? "" : ", ", Quoted(member.key));
  }
  return text.empty() ? "none are"
                      : text + (members.size() > 1 ? " are" : " is");
}

using SortedEntries = std::vector<const HostValue::Entry*>;

absl::Status Sort(const HostValue::Entries& entries, SortedEntries& sorted) {
  RETURN_IF_ERROR(Reserve(sorted, entries.size(), "the keys of a dict"));
  for (const HostValue::Entry& entry : entries) sorted.push_back(&entry);
  std::sort(sorted.begin(), sorted.end(),
            [](const auto* a, const auto* b) { return a->first < b->first; });
  return absl::OkStatus();
}

// Returns a key that two entries have; null if there is none.
const std::string* FindDouble(const SortedEntries& sorted) {
  const auto found = std::adjacent_find(
      sorted.begin(), sorted.end(),
      [](const auto* a, const auto* b) { return a->first == b->first; });
  return found != sorted.end() ? &(*found)->first : nullptr;
}

// Returns the value of a key; null if there is none.
const HostValue* Find(const SortedEntries& sorted, absl::string_view key) {
  const auto found =
      std::lower_bound(sorted.begin(), sorted.end(), key,
                       [](const auto* entry, absl::string_view wanted) {
                         return entry->first < wanted;
                       });
  const bool is_it = found != sorted.end() && (*found)->first == key;
  return is_it ? &(*found)->second : nullptr;
}

// Returns an error for the first key that is duplicate, unexpected or missing.
absl::Status WrongKeys(const HostValue::Entries& entries, const Type& type) {
  for (size_t i = 0; i < entries.size(); ++i) {
    const std::string& key = entries[i].first;
    const auto is_key = [&key](const auto& entry) {
      return entry.first == key;
    };
    if (std::count_if(entries.begin(), entries.end(), is_key) > 1) {
      return absl::InvalidArgumentError(
          absl::StrCat("the key ", Quoted(key), " is given twice."));
    }
    const auto has_key = [&key](const Member& m) { return m.key == key; };
    if (std::none_of(type.members.begin(), type.members.end(), has_key)) {
      return absl::InvalidArgumentError(
          absl::StrCat("the key ", Quoted(key), " is not expected; ",
                       KeysText(type.members), "."));
    }
  }
  for (const Member& member : type.members) {
    const auto is_key = [&member](const auto& entry) {
      return entry.first == member.key;
    };
    if (std::none_of(entries.begin(), entries.end(), is_key)) {
      return absl::InvalidArgumentError(
          absl::StrCat("the key ", Quoted(member.key), " is missing."));
    }
  }
  return absl::InternalError("the keys of a dict are wrong.");
}

}  // namespace

bool IsPair(const Type& type) {
  if (!type.is(Kind::kRefArray) || type.ranked) return false;
  const Type& element = type.members[0].type;
  switch (element.kind) {
    case Kind::kArray:
      return !element.ranked || !element.shape.empty();
    case Kind::kNull:
    case Kind::kScalar:
    case Kind::kBytes:
    case Kind::kBuffer:
    case Kind::kFence:
      return false;
    default:
      return true;
  }
}

absl::Status Located(const absl::Status& status, std::string name,
                     const std::string& path) {
  name[0] = absl::ascii_toupper(name[0]);
  return absl::Status(status.code(),
                      absl::StrCat(name, path, ": ", status.message()));
}

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
  arrays_.set_is_storage(parameter.storage_of.has_value());
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
      return arrays_.Encode(value, type, object);
    case Kind::kRefArray:
      return RefArray(value, type, object);
    case Kind::kBytes:
    case Kind::kByteList:
      return Bytes(value, type, object);
    case Kind::kBuffer:
      return arrays_.EncodeBuffer(value, object);
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
      return arrays_.Encode(value, Type::Any(), object);
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

absl::Status Encoder::SetElement(vm::List& list, uint64_t index,
                                 const HostValue& value, const Type& type) {
  if (type.is(Kind::kScalar)) {
    vm::Slot slot;
    const ValueType carrier = CarrierOf(type.element);
    RETURN_IF_ERROR(Scalar(value, type.element, carrier, slot));
    return list.Set(index, vm::Value::Adopt(carrier, slot));
  }
  if (type.is(Kind::kUnknown)) return SetAny(list, index, value);
  Ref<RefObject> object;
  RETURN_IF_ERROR(Reference(value, type, object));
  return list.SetRef(index, std::move(object));
}

absl::Status Encoder::SetAny(vm::List& list, uint64_t index,
                             const HostValue& value) {
  if (const bool* boolean = value.boolean()) {
    return list.SetNumber(index, int32_t{*boolean});
  }
  if (const HostValue::Int* number = value.integer()) {
    if (number->is_unsigned) {
      return absl::InvalidArgumentError(
          absl::StrCat(value.Describe(), " is out of range for i64."));
    }
    const bool narrow = number->bits <= 32 &&
                        number->value == static_cast<int32_t>(number->value);
    if (!narrow) return list.SetNumber(index, number->value);
    return list.SetNumber(index, static_cast<int32_t>(number->value));
  }
  if (const HostValue::Float* number = value.number()) {
    if (number->bits != 0 && number->bits <= 32) {
      return list.SetNumber(index, static_cast<float>(number->value));
    }
    return list.SetNumber(index, number->value);
  }
  Ref<RefObject> object;
  RETURN_IF_ERROR(Unknown(value, object));
  return list.SetRef(index, std::move(object));
}

absl::StatusOr<Ref<vm::List>> Encoder::NewList(vm::ElementType type,
                                               uint64_t size) {
  ASSIGN_OR_RETURN(Ref<vm::List> list, vm::List::Create(type, size, memory_));
  RETURN_IF_ERROR(list->Resize(size));
  return list;
}

absl::Status Encoder::Structure(const HostValue& value, const Type& type,
                                Ref<RefObject>& object) {
  RETURN_IF_ERROR(EnterNested());
  const bool is_dict = type.is(Kind::kDict);
  const HostValue::Items* items = value.items();
  if (is_dict ? value.entries() == nullptr : items == nullptr) {
    return NotExpected(value, type);
  }
  if (is_dict) {
    RETURN_IF_ERROR(Dict(*value.entries(), type, object));
    --depth_;
    return absl::OkStatus();
  }
  const size_t count = type.members.size();
  if (items->size() != count) {
    return absl::InvalidArgumentError(
        absl::StrCat(value.Describe(), " is given; ", count,
                     count == 1 ? " item is" : " items are", " expected, ",
                     type.ToString(), "."));
  }
  ASSIGN_OR_RETURN(Ref<vm::List> list, NewList({}, count));
  for (size_t i = 0; i < count; ++i) {
    RETURN_IF_ERROR(
        path_.Add(i, SetElement(*list, i, (*items)[i], type.members[i].type)));
  }
  object = std::move(list);
  --depth_;
  return absl::OkStatus();
}

absl::Status Encoder::Dict(const HostValue::Entries& entries, const Type& type,
                           Ref<RefObject>& object) {
  const size_t count = type.members.size();
  if (entries.size() != count) return WrongKeys(entries, type);
  ASSIGN_OR_RETURN(Ref<vm::List> list, NewList({}, count));
  // Sorted only if the keys are not in the signature's order.
  SortedEntries by_key;
  for (size_t i = 0; i < count; ++i) {
    const std::string& key = type.members[i].key;
    const HostValue* value = &entries[i].second;
    if (entries[i].first != key || !by_key.empty()) {
      if (by_key.empty()) {
        RETURN_IF_ERROR(Sort(entries, by_key));
        if (FindDouble(by_key)) return WrongKeys(entries, type);
      }
      value = Find(by_key, key);
      if (value == nullptr) return WrongKeys(entries, type);
    }
    RETURN_IF_ERROR(
        path_.Add(key, SetElement(*list, i, *value, type.members[i].type)));
  }
  object = std::move(list);
  return absl::OkStatus();
}

absl::Status Encoder::Homogeneous(const HostValue& value, const Type& type,
                                  Ref<RefObject>& object) {
  RETURN_IF_ERROR(EnterNested());
  const Type& element = type.members[0].type;
  const vm::ElementType list_type = ListTypeOf(element);
  if (value.bytes() != nullptr &&
      list_type.kind == vm::ElementType::Kind::kI8) {
    RETURN_IF_ERROR(Bytes(value, type, object));
    --depth_;
    return absl::OkStatus();
  }
  const HostValue::Items* items = value.items();
  if (items == nullptr) return NotExpected(value, type);
  ASSIGN_OR_RETURN(Ref<vm::List> list, NewList(list_type, items->size()));
  for (size_t i = 0; i < items->size(); ++i) {
    RETURN_IF_ERROR(path_.Add(i, SetElement(*list, i, (*items)[i], element)));
  }
  object = std::move(list);
  --depth_;
  return absl::OkStatus();
}

absl::Status Encoder::AnyList(const HostValue& value, Ref<RefObject>& object) {
  static const Type* const kList = [] {
    auto* type = new Type();
    type->kind = Kind::kAnyList;
    return type;
  }();
  if (value.is(HostKind::kNull)) return absl::OkStatus();
  if (value.is(HostKind::kRef)) {
    return TakeRef(value, *kList, vm::List::kType, object);
  }
  if (value.is(HostKind::kBytes)) return Bytes(value, *kList, object);
  RETURN_IF_ERROR(EnterNested());
  const HostValue::Items* items = value.items();
  const HostValue::Entries* entries = value.entries();
  if (items == nullptr && entries == nullptr) return NotExpected(value, *kList);
  ASSIGN_OR_RETURN(Ref<vm::List> list,
                   NewList({}, items ? items->size() : entries->size()));
  if (items != nullptr) {
    for (size_t i = 0; i < items->size(); ++i) {
      RETURN_IF_ERROR(path_.Add(i, SetAny(*list, i, (*items)[i])));
    }
  } else {
    // Without a signature, entries are in the order of their keys.
    SortedEntries sorted;
    RETURN_IF_ERROR(Sort(*entries, sorted));
    if (const std::string* key = FindDouble(sorted)) {
      return absl::InvalidArgumentError(
          absl::StrCat("the key ", Quoted(*key), " is given twice."));
    }
    for (size_t i = 0; i < sorted.size(); ++i) {
      const std::string& key = sorted[i]->first;
      RETURN_IF_ERROR(path_.Add(key, SetAny(*list, i, sorted[i]->second)));
    }
  }
  object = std::move(list);
  --depth_;
  return absl::OkStatus();
}

absl::Status Encoder::Bytes(const HostValue& value, const Type& type,
                            Ref<RefObject>& object) {
  if (value.is(HostKind::kNull)) return absl::OkStatus();
  const bool in_buffer = type.is(Kind::kBytes);
  if (value.is(HostKind::kRef)) {
    return TakeRef(value, type, in_buffer ? vm::Buffer::kType : vm::List::kType,
                   object);
  }
  const std::string* bytes = value.bytes();
  if (in_buffer) {
    if (bytes == nullptr) return NotExpected(value, type);
    ASSIGN_OR_RETURN(object, vm::Buffer::CopyText(*bytes, memory_));
    return absl::OkStatus();
  }
  if (bytes == nullptr) {
    // A list of numbers from -128 to 255 is accepted, too.
    Type list;
    list.kind = Kind::kHomogeneous;
    list.members.push_back({"", Type()});
    list.members[0].type.kind = Kind::kScalar;
    list.members[0].type.element = ElementType::kInt8;
    if (value.items() == nullptr) return NotExpected(value, type);
    return Homogeneous(value, list, object);
  }
  ASSIGN_OR_RETURN(
      Ref<vm::List> list,
      NewList({vm::ElementType::Kind::kI8, nullptr}, bytes->size()));
  for (size_t i = 0; i < bytes->size(); ++i) {
    RETURN_IF_ERROR(list->SetNumber<int32_t>(i, (*bytes)[i]));
  }
  object = std::move(list);
  return absl::OkStatus();
}

absl::StatusOr<Ref<vm::List>> Encoder::ListOfDims(
    std::span<const int64_t> shape) {
  ASSIGN_OR_RETURN(
      Ref<vm::List> dims,
      NewList({vm::ElementType::Kind::kI64, nullptr}, shape.size()));
  for (size_t i = 0; i < shape.size(); ++i) {
    RETURN_IF_ERROR(dims->SetNumber(i, shape[i]));
  }
  return dims;
}

// Encodes an array of references as two lists: its values in row-major order,
// and its dimensions.
absl::Status Encoder::RefArray(const HostValue& value, const Type& type,
                               Ref<RefObject>& object) {
  const Type& element = type.members[0].type;
  std::vector<int64_t> shape;
  Ref<vm::List> values;
  if (IsPair(type)) {
    RETURN_IF_ERROR(PairShape(value, type, shape));
    ASSIGN_OR_RETURN(values, NewList(ListTypeOf(element), 0));
    const HostValue& list = (*value.items())[0];
    const auto count = static_cast<int64_t>(list.items()->size());
    RETURN_IF_ERROR(path_.Add(
        size_t{0}, AddToRefArray(list, element, {&count, 1}, *values)));
  } else {
    shape = NestedShape(value, type);
    const std::string difference = type.ShapeDifference(shape);
    if (!difference.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat(value.Describe(), " is given; ", difference));
    }
    ASSIGN_OR_RETURN(values, NewList(ListTypeOf(element), 0));
    RETURN_IF_ERROR(AddToRefArray(value, element, shape, *values));
  }
  ASSIGN_OR_RETURN(Ref<vm::List> dims, ListOfDims(shape));
  ASSIGN_OR_RETURN(Ref<vm::List> pair, NewList({}, 2));
  RETURN_IF_ERROR(pair->SetRef(0, std::move(values)));
  RETURN_IF_ERROR(pair->SetRef(1, std::move(dims)));
  object = std::move(pair);
  return absl::OkStatus();
}

// Reads the dimensions from a pair of lists, values and dimensions.
absl::Status Encoder::PairShape(const HostValue& value, const Type& type,
                                std::vector<int64_t>& shape) {
  const HostValue::Items* pair = value.items();
  const bool is_pair = pair != nullptr && pair->size() == 2 &&
                       (*pair)[0].items() != nullptr &&
                       (*pair)[1].items() != nullptr;
  if (!is_pair) {
    return absl::InvalidArgumentError(absl::StrCat(
        value.Describe(), " is given; ", type.ToString(),
        " is expected, as a list of its values and a list of its dimensions: "
        "its rank is not known, and its elements may be lists themselves."));
  }
  const HostValue::Items& dims = *(*pair)[1].items();
  if (dims.size() > Signature::kMaxRank) {
    return absl::InvalidArgumentError(
        absl::StrCat("an array of rank ", dims.size(),
                     " is given; the limit is ", Signature::kMaxRank, "."));
  }
  std::optional<uint64_t> count = 1;
  for (size_t i = 0; i < dims.size(); ++i) {
    int64_t dimension = 0;
    absl::Status status = ToInteger(dims[i], ElementType::kInt64, dimension);
    if (status.ok() && dimension < 0) {
      status = absl::InvalidArgumentError(
          absl::StrCat("a dimension is ", dimension, "."));
    }
    if (!status.ok()) return path_.Add(1, path_.Add(i, std::move(status)));
    if (count) count = CheckedMul(*count, static_cast<uint64_t>(dimension));
    shape.push_back(dimension);
  }
  if (count == (*pair)[0].items()->size()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("an array of ", (*pair)[0].items()->size(),
                   " values is given; its dimensions ask for ",
                   count ? absl::StrCat(*count) : "more than 64 bits", "."));
}

absl::Status Encoder::AddToRefArray(const HostValue& value, const Type& type,
                                    std::span<const int64_t> shape,
                                    vm::List& values) {
  if (shape.empty()) {
    const uint64_t index = values.size();
    RETURN_IF_ERROR(values.Resize(index + 1));
    return SetElement(values, index, value, type);
  }
  const HostValue::Items* items = nullptr;
  RETURN_IF_ERROR(TakeRow(value, shape[0], items));
  for (size_t i = 0; i < items->size(); ++i) {
    RETURN_IF_ERROR(path_.Add(
        i, AddToRefArray((*items)[i], type, shape.subspan(1), values)));
  }
  return absl::OkStatus();
}

}  // namespace eyrie::abi
