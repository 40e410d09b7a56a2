// Compiled with exceptions: std::string reports a lack of memory in no other
// way. No frame without unwind tables may lie between the throw and this catch:
// the members of std::string become a part of ReserveString, since the linker
// may pick a copy of them that another file was compiled to.
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
