// Tells whether this is a build with one of the address, leak, memory or thread
// sanitizers, and tells AddressSanitizer which memory must not be used.
#ifndef EYRIE_BASE_SANITIZED_H_
#define EYRIE_BASE_SANITIZED_H_

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#define EYRIE_HAS_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define EYRIE_HAS_ADDRESS_SANITIZER 1
#endif
#endif
#ifdef EYRIE_HAS_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#endif

namespace eyrie {

// With AddressSanitizer, accesses to poisoned memory are reported. Do nothing
// in other builds.
inline void PoisonMemory([[maybe_unused]] const void* data,
                         [[maybe_unused]] size_t size) {
#ifdef EYRIE_HAS_ADDRESS_SANITIZER
  __asan_poison_memory_region(data, size);
#endif
}
inline void UnpoisonMemory([[maybe_unused]] const void* data,
                           [[maybe_unused]] size_t size) {
#ifdef EYRIE_HAS_ADDRESS_SANITIZER
  __asan_unpoison_memory_region(data, size);
#endif
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kIsSanitized = true;
#elif defined(__has_feature)
inline constexpr bool kIsSanitized =
    __has_feature(address_sanitizer) || __has_feature(leak_sanitizer) ||
    __has_feature(memory_sanitizer) || __has_feature(thread_sanitizer);
#else
inline constexpr bool kIsSanitized = false;
#endif

}  // namespace eyrie

#endif  // EYRIE_BASE_SANITIZED_H_
