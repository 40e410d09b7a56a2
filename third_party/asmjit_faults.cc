// What asmjit calls when it finds a fault of its own, for shared libraries.
//
// In Debian's archive of asmjit one object addresses stderr as only programs
// do. These are its functions that the rest of the archive calls.
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
