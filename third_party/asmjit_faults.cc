// The functions that asmjit calls on internal errors, for shared libraries.
//
// In Debian's archive, the object that defines them refers to stderr in a way
// that cannot be linked into a shared library. These replace it.
// Tested by install/consumer_test.py.
#include <asmjit/core/globals.h>

#include <cstdio>
#include <cstdlib>

ASMJIT_BEGIN_NAMESPACE
namespace DebugUtils {

const char* errorAsString(Error) noexcept { return "an error of asmjit"; }

void assertionFailed(const char* file, int line, const char* text) noexcept {
  std::fprintf(stderr, "eyrie: asmjit fails at %s:%d: %s\n", file, line, text);
  std::abort();
}

}  // namespace DebugUtils
ASMJIT_END_NAMESPACE
