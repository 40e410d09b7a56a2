// std::string::reserve with a result in place of an exception.
#ifndef EYRIE_BASE_RESERVE_STRING_H_
#define EYRIE_BASE_RESERVE_STRING_H_

#include <cstddef>
#include <string>

namespace eyrie::allocate_internal {

// False: there is no memory. The text stays as it was.
bool ReserveString(std::string& text, size_t size);

}  // namespace eyrie::allocate_internal

#endif  // EYRIE_BASE_RESERVE_STRING_H_
