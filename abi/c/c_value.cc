// Values of the C API.
//
// Tested by c_value_test.cc, c_api_test.c.
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "abi/c/c_handles.h"
#include "abi/c/c_options.h"
#include "abi/call/session.h"
#include "abi/value/host_value.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/allocate.h"
#include "base/status_macros.h"
#include "eyrie/c.h"
#include "hal/buffer.h"
#include "hal/buffer_view.h"
#include "hal/element_type.h"

namespace eyrie::abi {

absl::StatusOr<hal::ElementType> TypeOf(eyrie_dtype_t dtype) {
  const auto type = static_cast<hal::ElementType>(dtype);
  if (absl::StartsWith(hal::ElementTypeName(type), "*")) {
    return absl::InvalidArgumentError(
        absl::StrCat("There is no element type 0x",
                     absl::Hex(static_cast<uint32_t>(dtype)), "."));
  }
  return type;
}

namespace {

using ArrayPtr = std::shared_ptr<const HostArray>;

absl::StatusOr<const HostArray*> ArrayOf(const eyrie_value_t* value) {
  if (value == NoMemoryHandle()) {
    return absl::ResourceExhaustedError("There was no memory for the value.");
  }
  const HostArray* array = FromHandle(value).array();
  if (array != nullptr) return array;
  return absl::InvalidArgumentError(absl::StrCat(
      "The value is ", FromHandle(value).Describe(), ", not an array."));
}

absl::Status CopyArray(eyrie_dtype_t dtype, std::span<const int64_t> shape,
                       std::span<const uint8_t> bytes,
                       eyrie_value_t** out_value) {
  ASSIGN_OR_RETURN(const hal::ElementType type, TypeOf(dtype));
  ASSIGN_OR_RETURN(ArrayPtr array, HostArray::Copy(type, shape, bytes));
  return NewHandle(HostValue(std::move(array)), out_value);
}

constexpr size_t kArraySizes[] = {sizeof(eyrie_array_t)};
constexpr absl::string_view kArray = "the array";

absl::Status BorrowArray(const eyrie_array_t& any, void (*release)(void* user),
                         void* user, eyrie_value_t** out_value) {
  auto loan = std::make_shared<Loan>(release, user);
  ASSIGN_OR_RETURN(const eyrie_array_t given,
                   FullStruct(&any, kArraySizes, kArray));
  RETURN_IF_ERROR(CheckNewer(&any, kArray));
  ASSIGN_OR_RETURN(const hal::ElementType type, TypeOf(given.dtype));
  const std::span<const int64_t> shape(given.shape, given.rank);
  const auto* data = static_cast<const uint8_t*>(given.data);
  ArrayPtr array;
  if (given.strides == nullptr) {
    ASSIGN_OR_RETURN(
        array, HostArray::Borrow(type, shape, {}, {data, given.size}, 0, loan));
  } else {
    ASSIGN_OR_RETURN(
        array, HostArray::BorrowAt(type, shape, {given.strides, given.rank},
                                   data, loan));
  }
  return NewHandle(HostValue(std::move(array)), out_value);
}

absl::Status SetArray(const eyrie_array_t& any, eyrie_value_t* value) {
  ASSIGN_OR_RETURN(const eyrie_array_t given,
                   FullStruct(&any, kArraySizes, kArray));
  RETURN_IF_ERROR(CheckNewer(&any, kArray));
  ASSIGN_OR_RETURN(const hal::ElementType type, TypeOf(given.dtype));
  const auto* data = static_cast<const uint8_t*>(given.data);
  const std::span<const int64_t> shape(given.shape, given.rank);
  if (value == NoMemoryHandle()) return absl::OkStatus();
  HostValue& target = *FromHandle(value);
  if (given.strides == nullptr) {
    return target.SetBorrowed(type, shape, {data, given.size});
  }
  return target.SetBorrowed(type, shape, {given.strides, given.rank}, data);
}

absl::Status GetArray(const eyrie_value_t* value, eyrie_array_t& out_array) {
  ASSIGN_OR_RETURN(const HostArray* array, ArrayOf(value));
  RETURN_IF_ERROR(FullStruct(&out_array, kArraySizes, kArray));
  out_array.dtype = static_cast<eyrie_dtype_t>(array->type());
  out_array.rank = array->shape().size();
  out_array.shape = array->shape().data();
  out_array.strides = array->strides().data();
  out_array.data = array->data();
  out_array.size = array->byte_length();
  return absl::OkStatus();
}

absl::Status UploadArray(const eyrie_value_t* value, hal::Device& device,
                         eyrie_value_t** out_value) {
  ASSIGN_OR_RETURN(const HostArray* array, ArrayOf(value));
  hal::TensorType spec;
  spec.element = array->type();
  spec.shape.assign(array->shape().begin(), array->shape().end());
  ASSIGN_OR_RETURN(Ref<hal::BufferView> view, NewTensor(device, spec));
  const uint64_t size = array->byte_length();
  ASSIGN_OR_RETURN(
      const std::span<uint8_t> target,
      view->buffer()->Map(hal::memory_access::kDiscardWrite, 0, size));
  array->Pack(target.data());
  RETURN_IF_ERROR(view->buffer()->Unmap(0, size));
  ASSIGN_OR_RETURN(ArrayPtr uploaded, HostArray::OfTensor(std::move(view)));
  return NewHandle(HostValue(std::move(uploaded)), out_value);
}

size_t CountOf(const HostValue& value) {
  if (value.items() != nullptr) return value.items()->size();
  return value.entries() != nullptr ? value.entries()->size() : 0;
}

// Returns null if the item does not exist.
const HostValue* ItemOf(const HostValue& value, size_t index) {
  if (index >= CountOf(value)) return nullptr;
  return value.items() != nullptr ? &(*value.items())[index]
                                  : &(*value.entries())[index].second;
}

// Safe because no value of a handle is const.
HostValue* Mutable(const HostValue* value) {
  return const_cast<HostValue*>(value);
}

void ChangeArrays(HostValue& value, ArrayPtr (HostArray::*change)() const) {
  if (const HostArray* array = value.array()) {
    value = HostValue((array->*change)());
  }
  for (size_t i = 0; i < CountOf(value); ++i) {
    ChangeArrays(*Mutable(ItemOf(value, i)), change);
  }
}

// Moves the items to `taken` and frees their handles, even if it fails. Returns
// false if there is no memory, or if an item is of EYRIE_KIND_NO_MEMORY.
bool TakeItems(std::span<eyrie_value_t* const> items, HostValue::Items& taken) {
  bool taking = Reserve(taken, items.size(), "items").ok();
  for (eyrie_value_t* item : items) {
    taking &= item != NoMemoryHandle();
    if (taking) {
      taken.push_back(item ? std::move(*FromHandle(item)) : HostValue());
    }
    eyrie_value_free(item);
  }
  return taking;
}

eyrie_value_t* NewSequence(std::span<eyrie_value_t* const> items,
                           HostValue (*make)(HostValue::Items)) {
  HostValue::Items taken;
  if (!TakeItems(items, taken)) return NoMemoryHandle();
  return NewHandle(make(std::move(taken)));
}

// If `sizes` is null, each key ends with a NUL.
eyrie_value_t* NewDict(const char* const* keys, const size_t* sizes,
                       std::span<eyrie_value_t* const> items) {
  HostValue::Items taken;
  HostValue::Entries entries;
  if (!TakeItems(items, taken) ||
      !Reserve(entries, items.size(), "entries").ok()) {
    return NoMemoryHandle();
  }
  for (size_t i = 0; i < items.size(); ++i) {
    const size_t size = sizes ? sizes[i] : std::strlen(keys[i]);
    HostValue::Entry& entry = entries.emplace_back();
    if (!Assign(entry.first, {keys[i], size}, "a key").ok()) {
      return NoMemoryHandle();
    }
    entry.second = std::move(taken[i]);
  }
  return NewHandle(HostValue::Dict(std::move(entries)));
}

void Set(eyrie_value_t* value, HostValue number) {
  if (value != NoMemoryHandle()) *FromHandle(value) = std::move(number);
}

// Integers above the maximum of int64_t keep their bits and are marked as
// unsigned.
HostValue OfUnsigned(uint64_t value) {
  const auto bits = static_cast<int64_t>(value);
  return HostValue(HostValue::Int{bits, 64, bits < 0});
}

}  // namespace
}  // namespace eyrie::abi

namespace abi = eyrie::abi;

using abi::HostValue;

eyrie_kind_t eyrie_value_kind(const eyrie_value_t* value) {
  if (value == abi::NoMemoryHandle()) return EYRIE_KIND_NO_MEMORY;
  switch (abi::FromHandle(value).kind()) {
    case HostValue::Kind::kNull:
      return EYRIE_KIND_NULL;
    case HostValue::Kind::kBool:
      return EYRIE_KIND_BOOL;
    case HostValue::Kind::kInt:
      return EYRIE_KIND_INT;
    case HostValue::Kind::kFloat:
      return EYRIE_KIND_FLOAT;
    case HostValue::Kind::kBytes:
      return EYRIE_KIND_BYTES;
    case HostValue::Kind::kArray:
      return EYRIE_KIND_ARRAY;
    case HostValue::Kind::kList:
      return EYRIE_KIND_LIST;
    case HostValue::Kind::kTuple:
      return EYRIE_KIND_TUPLE;
    case HostValue::Kind::kDict:
      return EYRIE_KIND_DICT;
    case HostValue::Kind::kRef:
      return EYRIE_KIND_REF;
  }
  return EYRIE_KIND_NULL;
}

eyrie_value_t* eyrie_value_copy(const eyrie_value_t* value) {
  if (value == abi::NoMemoryHandle()) return abi::NoMemoryHandle();
  absl::StatusOr<HostValue> copy = abi::FromHandle(value).Copy();
  return copy.ok() ? abi::NewHandle(*std::move(copy)) : abi::NoMemoryHandle();
}

void eyrie_value_free(eyrie_value_t* value) {
  if (value != abi::NoMemoryHandle()) delete abi::FromHandle(value);
}

eyrie_value_t* eyrie_value_new_null(void) {
  return abi::NewHandle(HostValue());
}
eyrie_value_t* eyrie_value_new_bool(int value) {
  return abi::NewHandle(HostValue(value != 0));
}
eyrie_value_t* eyrie_value_new_i32(int32_t value) {
  return abi::NewHandle(HostValue(value));
}
eyrie_value_t* eyrie_value_new_i64(int64_t value) {
  return abi::NewHandle(HostValue(value));
}
eyrie_value_t* eyrie_value_new_u64(uint64_t value) {
  return abi::NewHandle(abi::OfUnsigned(value));
}
eyrie_value_t* eyrie_value_new_f32(float value) {
  return abi::NewHandle(HostValue(value));
}
eyrie_value_t* eyrie_value_new_f64(double value) {
  return abi::NewHandle(HostValue(value));
}
eyrie_value_t* eyrie_value_new_bytes(const void* data, size_t size) {
  std::string bytes;
  if (!eyrie::Assign(bytes, {static_cast<const char*>(data), size}, "bytes")
           .ok()) {
    return abi::NoMemoryHandle();
  }
  return abi::NewHandle(HostValue::Bytes(std::move(bytes)));
}

void eyrie_value_set_bool(eyrie_value_t* value, int boolean) {
  abi::Set(value, HostValue(boolean != 0));
}
void eyrie_value_set_i32(eyrie_value_t* value, int32_t number) {
  abi::Set(value, HostValue(number));
}
void eyrie_value_set_i64(eyrie_value_t* value, int64_t number) {
  abi::Set(value, HostValue(number));
}
void eyrie_value_set_u64(eyrie_value_t* value, uint64_t number) {
  abi::Set(value, abi::OfUnsigned(number));
}
void eyrie_value_set_f32(eyrie_value_t* value, float number) {
  abi::Set(value, HostValue(number));
}
void eyrie_value_set_f64(eyrie_value_t* value, double number) {
  abi::Set(value, HostValue(number));
}

int eyrie_value_get_bool(const eyrie_value_t* value, int* out) {
  const bool* boolean = abi::FromHandle(value).boolean();
  if (boolean != nullptr) *out = *boolean ? 1 : 0;
  return boolean != nullptr;
}

int eyrie_value_get_i64(const eyrie_value_t* value, int64_t* out) {
  const HostValue::Int* integer = abi::FromHandle(value).integer();
  const bool fits = integer != nullptr && !integer->is_unsigned;
  if (fits) *out = integer->value;
  return fits;
}

int eyrie_value_get_u64(const eyrie_value_t* value, uint64_t* out) {
  const HostValue::Int* integer = abi::FromHandle(value).integer();
  const bool fits =
      integer != nullptr && (integer->is_unsigned || integer->value >= 0);
  if (fits) *out = static_cast<uint64_t>(integer->value);
  return fits;
}

int eyrie_value_get_f64(const eyrie_value_t* value, double* out) {
  const HostValue::Float* number = abi::FromHandle(value).number();
  if (number != nullptr) *out = number->value;
  return number != nullptr;
}

int eyrie_value_get_bytes(const eyrie_value_t* value, const void** out_data,
                          size_t* out_size) {
  const std::string* bytes = abi::FromHandle(value).bytes();
  if (bytes == nullptr) return 0;
  *out_data = bytes->data();
  *out_size = bytes->size();
  return 1;
}

eyrie_value_t* eyrie_value_new_list(eyrie_value_t* const* items, size_t count) {
  return abi::NewSequence({items, count}, HostValue::List);
}

eyrie_value_t* eyrie_value_new_tuple(eyrie_value_t* const* items,
                                     size_t count) {
  return abi::NewSequence({items, count}, HostValue::Tuple);
}

eyrie_value_t* eyrie_value_new_dict(const char* const* keys,
                                    const size_t* sizes,
                                    eyrie_value_t* const* items, size_t count) {
  return abi::NewDict(keys, sizes, {items, count});
}

size_t eyrie_value_count(const eyrie_value_t* value) {
  return abi::CountOf(abi::FromHandle(value));
}

eyrie_value_t* eyrie_value_item(const eyrie_value_t* value, size_t index) {
  return abi::ToHandle(
      abi::Mutable(abi::ItemOf(abi::FromHandle(value), index)));
}

const char* eyrie_value_key(const eyrie_value_t* value, size_t index,
                            size_t* out_size) {
  const HostValue::Entries* entries = abi::FromHandle(value).entries();
  const bool exists = entries != nullptr && index < entries->size();
  if (out_size != nullptr) {
    *out_size = exists ? (*entries)[index].first.size() : 0;
  }
  return exists ? (*entries)[index].first.c_str() : nullptr;
}

eyrie_value_t* eyrie_value_find(const eyrie_value_t* value, const char* key,
                                size_t size) {
  const HostValue::Entries* entries = abi::FromHandle(value).entries();
  if (entries == nullptr) return nullptr;
  const absl::string_view wanted(key, size);
  for (const HostValue::Entry& entry : *entries) {
    if (entry.first == wanted)
      return abi::ToHandle(abi::Mutable(&entry.second));
  }
  return nullptr;
}

eyrie_error_t* eyrie_value_new_array(eyrie_dtype_t dtype, size_t rank,
                                     const int64_t* shape, const void* data,
                                     size_t size, eyrie_value_t** out_value) {
  return abi::CreateError(
      abi::CopyArray(dtype, {shape, rank},
                     {static_cast<const uint8_t*>(data), size}, out_value));
}

eyrie_error_t* eyrie_value_new_borrowed(const eyrie_array_t* array,
                                        void (*release)(void* user), void* user,
                                        eyrie_value_t** out_value) {
  return abi::CreateError(abi::BorrowArray(*array, release, user, out_value));
}

eyrie_error_t* eyrie_value_set_array(eyrie_value_t* value,
                                     const eyrie_array_t* array) {
  const absl::Status status = abi::SetArray(*array, value);
  if (!status.ok()) abi::Set(value, HostValue());
  return abi::CreateError(status);
}

eyrie_error_t* eyrie_value_new_uploaded(const eyrie_value_t* array,
                                        eyrie_device_t* device,
                                        eyrie_value_t** out_value) {
  return abi::CreateError(abi::UploadArray(array, *device->device, out_value));
}

void eyrie_value_add_access(eyrie_value_t* value, eyrie_access_t access) {
  using Change = abi::ArrayPtr (abi::HostArray::*)() const;
  constexpr std::pair<eyrie_access_t, Change> kChanges[] = {
      {EYRIE_ACCESS_LEND, &abi::HostArray::Lent},
      {EYRIE_ACCESS_LEND_CONST, &abi::HostArray::LentConst},
      {EYRIE_ACCESS_READ_ONLY, &abi::HostArray::ReadOnly},
      {EYRIE_ACCESS_ALLOW_LOSS, &abi::HostArray::Casting},
  };
  if (value == nullptr) return;
  for (const auto& [bit, change] : kChanges) {
    if ((access & bit) == 0) continue;
    abi::ChangeArrays(*abi::FromHandle(value), change);
  }
}

int eyrie_value_is_sole_owner(const eyrie_value_t* value) {
  return value != nullptr && abi::FromHandle(value).IsSoleOwner() ? 1 : 0;
}

eyrie_error_t* eyrie_value_get_array(const eyrie_value_t* value,
                                     eyrie_array_t* out_array) {
  return abi::CreateError(abi::GetArray(value, *out_array));
}

const char* eyrie_value_ref_type(const eyrie_value_t* value) {
  const eyrie::Ref<eyrie::RefObject>* ref = abi::FromHandle(value).ref();
  return ref != nullptr && *ref ? (*ref)->type().name : nullptr;
}
