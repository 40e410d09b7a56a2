// For functions that call code which this program did not compile.
#ifndef EYRIE_BASE_FOREIGN_FUNCTION_H_
#define EYRIE_BASE_FOREIGN_FUNCTION_H_

// Clang's function sanitizer reads a function's type from the bytes before it.
// Compiled kernels have none, and C libraries declare other names of types. A
// function with this attribute calls without the check.
#if defined(__clang__)
#define EYRIE_CALLS_FOREIGN_CODE __attribute__((no_sanitize("function")))
#else
#define EYRIE_CALLS_FOREIGN_CODE
#endif

#endif  // EYRIE_BASE_FOREIGN_FUNCTION_H_
