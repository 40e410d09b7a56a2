// Compiled with exceptions: std::string reports a lack of memory in no other
// way. Only frames of libstdc++, which have unwind tables, lie between the
// throw and this catch.
#include "base/reserve_string.h"

#include <exception>

namespace eyrie::allocate_internal {

bool ReserveString(std::string& text, size_t size) {
  if (size <= text.capacity()) return true;
  try {
    text.reserve(size);
  } catch (const std::exception&) {  // bad_alloc, length_error
    return false;
  }
  return true;
}

}  // namespace eyrie::allocate_internal
