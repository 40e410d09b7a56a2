// Compiled with exceptions, since std::string reports a lack of memory only by
// one. Every frame between the throw and this catch needs unwind tables. So the
// members of std::string are inlined into ReserveString: the linker might
// choose copies of them that were compiled without tables in another file.
#include "base/reserve_string.h"

#include <exception>

namespace eyrie::allocate_internal {

[[gnu::flatten]] bool ReserveString(std::string& text, size_t size) {
  if (size <= text.capacity()) return true;
  try {
    text.reserve(size);
  } catch (const std::exception&) {  // bad_alloc, length_error
    return false;
  }
  return true;
}

}  // namespace eyrie::allocate_internal
