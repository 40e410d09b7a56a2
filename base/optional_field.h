// Optional fields of FlatBuffers: a field that is absent is empty.
#ifndef EYRIE_BASE_OPTIONAL_FIELD_H_
#define EYRIE_BASE_OPTIONAL_FIELD_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "flatbuffers/flatbuffers.h"

namespace eyrie {

// Returns the field's text, which is valid as long as the FlatBuffer.
inline absl::string_view View(const flatbuffers::String* text) {
  return text == nullptr ? absl::string_view()
                         : absl::string_view(text->c_str(), text->size());
}

// Returns the number of elements of a vector.
template <typename T>
uint32_t Size(const T* vector) {
  return vector == nullptr ? 0 : vector->size();
}

}  // namespace eyrie

#endif  // EYRIE_BASE_OPTIONAL_FIELD_H_
