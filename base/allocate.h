// Memory whose size comes from outside: from a module, a file or a caller.
//
// The libraries are compiled without exceptions, so std::bad_alloc ends the
// process. That is accepted for bookkeeping of less than kSmallBytes. Anything
// that a module, a file or a caller can make larger is allocated by these
// functions, which return RESOURCE_EXHAUSTED and leave the container as it was.
// `what` completes the sentence "Cannot allocate N bytes for ...".
// Tested by allocate_test.cc, vm/run/no_memory_test.cc.
#ifndef EYRIE_BASE_ALLOCATE_H_
#define EYRIE_BASE_ALLOCATE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "base/checked_math.h"

namespace eyrie {

// Failing to allocate a block of this size or more is an error; failing to
// allocate a smaller one may end the process.
inline constexpr size_t kSmallBytes = size_t{64} << 10;

// Returns RESOURCE_EXHAUSTED. `count * size` may exceed 64 bits.
absl::Status CannotAllocate(uint64_t count, uint64_t size,
                            absl::string_view what);

namespace allocate_internal {

// Returns null if there is no memory.
template <typename T>
T* NewBlock(size_t count) {
  const std::optional<size_t> bytes = CheckedMul(count, sizeof(T));
  if (!bytes || *bytes > PTRDIFF_MAX) return nullptr;
  if constexpr (alignof(T) > __STDCPP_DEFAULT_NEW_ALIGNMENT__) {
    return static_cast<T*>(
        ::operator new(*bytes, std::align_val_t(alignof(T)), std::nothrow));
  } else {
    return static_cast<T*>(::operator new(*bytes, std::nothrow));
  }
}

// Moves the elements to a block for `count` of them. A vector's own reserve()
// reports a failure only by an exception. So this writes the three pointers
// that a vector is in libstdc++ and libc++: the first element, the end of the
// elements, and the end of the block. allocate_test.cc checks that.
template <typename T>
bool Move(std::vector<T>& vector, size_t count) {
  static_assert(std::is_nothrow_move_constructible_v<T>);
  T* const block = NewBlock<T>(count);
  if (block == nullptr) return false;
  const size_t size = vector.size();
  std::uninitialized_move(vector.begin(), vector.end(), block);
  std::vector<T>().swap(vector);
  T* const pointers[] = {block, block + size, block + count};
  static_assert(sizeof(pointers) == sizeof(vector));
  std::memcpy(static_cast<void*>(&vector), pointers, sizeof(pointers));
  return true;
}

}  // namespace allocate_internal

// Makes room for `count` elements in all.
template <typename T>
absl::Status Reserve(std::vector<T>& vector, size_t count,
                     absl::string_view what) {
  static_assert(!std::is_same_v<T, bool>);
  if (count <= vector.capacity() || allocate_internal::Move(vector, count)) {
    return absl::OkStatus();
  }
  return CannotAllocate(count, sizeof(T), what);
}

// Makes room for `more` elements after the existing ones. Grows the vector
// as push_back does, so that many calls cost no more than one.
template <typename T>
absl::Status ReserveMore(std::vector<T>& vector, size_t more,
                         absl::string_view what) {
  if (more <= vector.capacity() - vector.size()) return absl::OkStatus();
  const size_t least = vector.size() + std::min(more, SIZE_MAX - vector.size());
  return Reserve(vector, std::max(least, vector.size() * 2), what);
}

template <typename T>
absl::Status Resize(std::vector<T>& vector, size_t count,
                    absl::string_view what) {
  absl::Status status = Reserve(vector, count, what);
  if (status.ok()) vector.resize(count);
  return status;
}

template <typename T, typename U>
absl::Status PushBack(std::vector<T>& vector, U&& element,
                      absl::string_view what) {
  absl::Status status = ReserveMore(vector, 1, what);
  if (status.ok()) vector.push_back(std::forward<U>(element));
  return status;
}

// Makes the vector a copy of a range.
template <typename T, typename Range>
absl::Status Assign(std::vector<T>& vector, const Range& range,
                    absl::string_view what) {
  absl::Status status = Reserve(vector, std::size(range), what);
  if (status.ok()) vector.assign(std::begin(range), std::end(range));
  return status;
}

// Reserve, Resize and Assign as above, but for strings.
absl::Status Reserve(std::string& text, size_t size, absl::string_view what);
absl::Status Resize(std::string& text, size_t size, absl::string_view what);
absl::Status Assign(std::string& text, absl::string_view source,
                    absl::string_view what);

// Returns an array of value-initialized elements, or null if there is no
// memory.
template <typename T>
std::unique_ptr<T[]> NewArray(size_t count) {
  if (count > PTRDIFF_MAX / sizeof(T)) return nullptr;
  return std::unique_ptr<T[]>(new (std::nothrow) T[count]());
}

}  // namespace eyrie

#endif  // EYRIE_BASE_ALLOCATE_H_
