// Counting allocation operators. Not inlined, because the compiler would warn
// about mismatched new and delete.
#include "tests/support/allocations.h"

#include <atomic>
#include <cstdlib>
#include <new>

#define NOT_INLINED __attribute__((noinline))

namespace {
std::atomic<size_t> allocations{0};
}  // namespace

namespace eyrie::tests {

size_t Allocations() { return allocations; }

}  // namespace eyrie::tests

NOT_INLINED void* operator new(size_t size) {
  void* memory = operator new(size, std::nothrow);
  if (memory == nullptr) std::abort();
  return memory;
}
NOT_INLINED void* operator new(size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(size > 0 ? size : 1);
}
NOT_INLINED void operator delete(void* memory) noexcept { std::free(memory); }
NOT_INLINED void operator delete(void* memory, size_t) noexcept {
  std::free(memory);
}
