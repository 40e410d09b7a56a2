// Tells whether this is a build with one of the address, leak, memory or thread
// sanitizers.
#ifndef EYRIE_BASE_SANITIZED_H_
#define EYRIE_BASE_SANITIZED_H_

namespace eyrie {

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
