// The standard error stream as code sees it that is not made for shared
// libraries: Debian's archive of asmjit, which says there that it fails.
//
// Whoever links that archive into one does so with --wrap=stderr.
// Tested by install/consumer_test.py.
#include <cstdio>

// The object that glibc's stderr points to.
extern "C" std::FILE standard_error_object __asm__("_IO_2_1_stderr_");
extern "C" std::FILE* const standard_error __asm__("__wrap_stderr") =
    &standard_error_object;
