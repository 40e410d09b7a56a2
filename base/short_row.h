// An array with a size that is set once. A short one is stored inline; a longer
// one is allocated, and a failure to do so is an error, not an exception.
//
//   ShortRow<Slot, 16> slots;
//   RETURN_IF_ERROR(slots.Resize(count, "the arguments of a call"));
// Tested by allocate_test.cc.
#ifndef EYRIE_BASE_SHORT_ROW_H_
#define EYRIE_BASE_SHORT_ROW_H_

#include <cstddef>
#include <memory>
#include <span>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "base/allocate.h"

namespace eyrie {

// Not copyable and not movable, so that elements keep their addresses.
template <typename T, size_t kFew>
class ShortRow {
 public:
  ShortRow() = default;
  ShortRow(const ShortRow&) = delete;
  ShortRow& operator=(const ShortRow&) = delete;
  ~ShortRow() { std::destroy_n(few(), few_count_); }

  // Creates `count` value-initialized elements. The row must be empty. `what`
  // is as in allocate.h. RESOURCE_EXHAUSTED: there is no memory; the row stays
  // empty.
  absl::Status Resize(size_t count, absl::string_view what) {
    if (count <= kFew) [[likely]] {
      std::uninitialized_value_construct_n(few(), count);
      few_count_ = count;
      row_ = {few(), count};
      return absl::OkStatus();
    }
    many_ = NewArray<T>(count);
    if (many_ == nullptr) return CannotAllocate(count, sizeof(T), what);
    row_ = {many_.get(), count};
    return absl::OkStatus();
  }

  size_t size() const { return row_.size(); }
  T* data() { return row_.data(); }
  T* begin() { return row_.data(); }
  T* end() { return row_.data() + row_.size(); }
  T& operator[](size_t index) { return row_[index]; }
  operator std::span<T>() { return row_; }              // NOLINT
  operator std::span<const T>() const { return row_; }  // NOLINT

 private:
  T* few() { return reinterpret_cast<T*>(few_); }

  alignas(T) std::byte few_[kFew * sizeof(T)];
  size_t few_count_ = 0;
  std::unique_ptr<T[]> many_;
  std::span<T> row_;
};

}  // namespace eyrie

#endif  // EYRIE_BASE_SHORT_ROW_H_
