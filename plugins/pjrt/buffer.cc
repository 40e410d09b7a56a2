// Implements the arrays of buffers.
#include "plugins/pjrt/buffer.h"

#include <algorithm>
#include <cstring>

#include "base/status_macros.h"
#include "plugins/pjrt/error.h"

namespace eyrie::pjrt {
namespace {

constexpr size_t kAlignment = 64;  // of arrays that calls use in place

eyrie_array_t ArrayOf(const Shape& shape, const void* data,
                      std::span<const int64_t> strides) {
  eyrie_array_t array = {};
  array.struct_size = sizeof(array);
  array.dtype = DtypeOf(shape.type);
  array.rank = shape.dims.size();
  array.shape = shape.dims.data();
  array.strides = strides.data();
  array.data = data;
  array.size = ByteSize(shape);
  return array;
}

}  // namespace

absl::Status Content::CheckDefined() const {
  RETURN_IF_ERROR(Await(defined_));
  if (array_ != nullptr) return absl::OkStatus();
  return absl::InternalError("A buffer became ready without its array.");
}

void Content::Define(ValueHandle array) {
  ValueHandle lent(eyrie_value_copy(array.get()));
  eyrie_value_add_access(lent.get(), EYRIE_ACCESS_LEND_CONST);
  const std::lock_guard<std::mutex> lock(mutex_);
  array_ = std::move(array);
  lent_ = std::move(lent);
}

absl::StatusOr<ValueHandle> Content::Share(bool may_write) {
  const std::lock_guard<std::mutex> lock(mutex_);
  RETURN_IF_ERROR(CheckDefined());
  const ValueHandle& shared = may_write ? array_ : lent_;
  return ValueHandle(eyrie_value_copy(shared.get()));
}

absl::StatusOr<ValueHandle> Content::Give() {
  const std::lock_guard<std::mutex> lock(mutex_);
  RETURN_IF_ERROR(CheckDefined());
  lent_.reset();
  if (eyrie_value_is_sole_owner(array_.get())) {
    eyrie_value_add_access(array_.get(), EYRIE_ACCESS_LEND);
  }
  return std::move(array_);
}

bool Content::is_given() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return array_ == nullptr;
}

absl::StatusOr<const std::byte*> Content::Data() {
  const std::lock_guard<std::mutex> lock(mutex_);
  RETURN_IF_ERROR(CheckDefined());
  eyrie_array_t array = {};
  array.struct_size = sizeof(array);
  RETURN_IF_ERROR(Taken(eyrie_value_get_array(array_.get(), &array)));
  return static_cast<const std::byte*>(array.data);
}

absl::StatusOr<ContentPtr> Buffer::content() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (content_ != nullptr) return content_;
  return absl::FailedPreconditionError(
      "The buffer has been deleted or donated.");
}

bool Buffer::is_deleted() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return content_ == nullptr;
}

void Buffer::Delete() {
  ContentPtr content;  // its memory is freed without the lock
  const std::lock_guard<std::mutex> lock(mutex_);
  content.swap(content_);
}

void Buffer::Restore(ContentPtr content) {
  const std::lock_guard<std::mutex> lock(mutex_);
  content_ = std::move(content);
}

absl::Status Buffer::AddReference() {
  ASSIGN_OR_RETURN(ContentPtr content, this->content());
  const std::lock_guard<std::mutex> lock(mutex_);
  ++references_;
  referenced_ = std::move(content);
  return absl::OkStatus();
}

absl::Status Buffer::DropReference() {
  ContentPtr content;  // its memory is freed without the lock
  const std::lock_guard<std::mutex> lock(mutex_);
  if (references_ == 0) {
    return absl::FailedPreconditionError(
        "The buffer has no external references.");
  }
  if (--references_ == 0) content.swap(referenced_);
  return absl::OkStatus();
}

absl::StatusOr<ValueHandle> CopyToDevice(const Device& device,
                                         const Shape& shape, const void* data,
                                         std::span<const int64_t> strides) {
  const eyrie_array_t array = ArrayOf(shape, data, strides);
  eyrie_value_t* borrowed = nullptr;
  RETURN_IF_ERROR(
      Taken(eyrie_value_new_borrowed(&array, nullptr, nullptr, &borrowed)));
  const ValueHandle owned(borrowed);
  eyrie_value_t* copy = nullptr;
  RETURN_IF_ERROR(
      Taken(eyrie_value_new_uploaded(borrowed, device.handle(), &copy)));
  return ValueHandle(copy);
}

absl::StatusOr<ValueHandle> BorrowHost(const Shape& shape, const void* data,
                                       void (*release)(void* user),
                                       void* user) {
  eyrie_array_t array = ArrayOf(shape, data, {});
  eyrie_value_t* borrowed = nullptr;
  RETURN_IF_ERROR(
      Taken(eyrie_value_new_borrowed(&array, release, user, &borrowed)));
  return ValueHandle(borrowed);
}

bool CanBorrow(const Device& device, const void* data) {
  return device.is_cpu() && reinterpret_cast<uintptr_t>(data) % kAlignment == 0;
}

void CopyElements(const Shape& shape, const std::byte* from, std::byte* to,
                  std::span<const int64_t> strides) {
  const size_t size = ByteSize(shape);
  if (size == 0) return;
  const std::vector<int64_t> dense = RowMajorStrides(shape);
  if (std::equal(strides.begin(), strides.end(), dense.begin())) {
    std::memcpy(to, from, size);
    return;
  }
  const size_t width = ByteWidth(shape.type);
  const size_t rank = shape.dims.size();
  std::vector<int64_t> index(rank, 0);
  for (size_t at = 0; at < size; at += width) {
    std::memcpy(to, from + at, width);
    for (size_t i = rank; i > 0; --i) {
      to += strides[i - 1];
      if (++index[i - 1] < shape.dims[i - 1]) break;
      to -= strides[i - 1] * shape.dims[i - 1];
      index[i - 1] = 0;
    }
  }
}

}  // namespace eyrie::pjrt
