// std::string::reserve that returns a result and does not throw.
#ifndef EYRIE_BASE_RESERVE_STRING_H_
#define EYRIE_BASE_RESERVE_STRING_H_

#include <cstddef>
#include <string>

namespace eyrie::allocate_internal {

// Returns false if there is not enough memory; the text is then unchanged.
bool ReserveString(std::string& text, size_t size);

}  // namespace eyrie::allocate_internal

#endif  // EYRIE_BASE_RESERVE_STRING_H_
