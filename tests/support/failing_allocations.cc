// Allocation functions that fail on request. Compiled with exceptions, because
// the standard operator new reports failure with one.
#include "tests/support/failing_allocations.h"

#include <atomic>
#include <cstdlib>
#include <new>

#include "base/sanitized.h"

#define NOT_INLINED __attribute__((noinline))

namespace eyrie::tests {
namespace {

// Smallest size that is counted; at first none is.
std::atomic<size_t> least_bytes{SIZE_MAX};
std::atomic<uint64_t> first_to_fail{0};
std::atomic<uint64_t> last_to_fail{0};
std::atomic<uint64_t> counted{0};
std::atomic<uint64_t> failures{0};

bool Fails(size_t size) {
  if (size < least_bytes.load(std::memory_order_relaxed)) return false;
  const uint64_t number = ++counted;
  const bool fails = number >= first_to_fail && number <= last_to_fail;
  if (fails) ++failures;
  return fails;
}

void* New(size_t size, size_t alignment) {
  // With a sanitizer, malloc is not replaced, so this function counts.
  if (kIsSanitized && Fails(size)) return nullptr;
  if (alignment <= __STDCPP_DEFAULT_NEW_ALIGNMENT__) {
    return std::malloc(size > 0 ? size : 1);
  }
  return std::aligned_alloc(alignment, (size + alignment - 1) & -alignment);
}

void* NewOrThrow(size_t size, size_t alignment) {
  void* const memory = New(size, alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

FailingAllocations::FailingAllocations(size_t least, uint64_t nth,
                                       bool onwards) {
  counted = failures = 0;
  first_to_fail = nth;
  last_to_fail = onwards ? UINT64_MAX : nth;
  least_bytes = least;
}

FailingAllocations::~FailingAllocations() { least_bytes = SIZE_MAX; }

uint64_t FailingAllocations::failed() const { return failures; }

}  // namespace eyrie::tests

using eyrie::tests::New;
using eyrie::tests::NewOrThrow;

NOT_INLINED void* operator new(size_t size) { return NewOrThrow(size, 1); }
NOT_INLINED void* operator new[](size_t size) { return NewOrThrow(size, 1); }
NOT_INLINED void* operator new(size_t size, const std::nothrow_t&) noexcept {
  return New(size, 1);
}
NOT_INLINED void* operator new[](size_t size, const std::nothrow_t&) noexcept {
  return New(size, 1);
}
NOT_INLINED void* operator new(size_t size, std::align_val_t alignment) {
  return NewOrThrow(size, static_cast<size_t>(alignment));
}
NOT_INLINED void* operator new[](size_t size, std::align_val_t alignment) {
  return NewOrThrow(size, static_cast<size_t>(alignment));
}
NOT_INLINED void* operator new(size_t size, std::align_val_t alignment,
                               const std::nothrow_t&) noexcept {
  return New(size, static_cast<size_t>(alignment));
}
NOT_INLINED void operator delete(void* memory) noexcept { std::free(memory); }
NOT_INLINED void operator delete[](void* memory) noexcept { std::free(memory); }
NOT_INLINED void operator delete(void* memory, size_t) noexcept {
  std::free(memory);
}
NOT_INLINED void operator delete[](void* memory, size_t) noexcept {
  std::free(memory);
}
NOT_INLINED void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
NOT_INLINED void operator delete[](void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
NOT_INLINED void operator delete(void* memory, size_t,
                                 std::align_val_t) noexcept {
  std::free(memory);
}

#if !defined(__has_feature)
#define EYRIE_HAS_ALLOCATOR 0
#else
#define EYRIE_HAS_ALLOCATOR \
  (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#endif
#if !EYRIE_HAS_ALLOCATOR  // of a sanitizer

// glibc's own functions, under the names that it exports for wrappers.
extern "C" {
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* memory, size_t size);
void* __libc_memalign(size_t alignment, size_t size);

void* malloc(size_t size) {
  return eyrie::tests::Fails(size) ? nullptr : __libc_malloc(size);
}
void* calloc(size_t count, size_t size) {
  const bool fails = size != 0 && eyrie::tests::Fails(count * size);
  return fails ? nullptr : __libc_calloc(count, size);
}
void* realloc(void* memory, size_t size) {
  return eyrie::tests::Fails(size) ? nullptr : __libc_realloc(memory, size);
}
void* aligned_alloc(size_t alignment, size_t size) {
  return eyrie::tests::Fails(size) ? nullptr : __libc_memalign(alignment, size);
}
}

#endif
