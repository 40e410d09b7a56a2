// Used by the sources of module_builder.
#ifndef EYRIE_TESTS_SUPPORT_APPEND_H_
#define EYRIE_TESTS_SUPPORT_APPEND_H_

#include <cstdint>
#include <vector>

namespace eyrie::tests {

// Appends the bytes of a number.
template <typename T>
void Append(std::vector<uint8_t>& bytes, T value) {
  const auto* begin = reinterpret_cast<const uint8_t*>(&value);
  bytes.insert(bytes.end(), begin, begin + sizeof(T));
}

}  // namespace eyrie::tests

#endif  // EYRIE_TESTS_SUPPORT_APPEND_H_
