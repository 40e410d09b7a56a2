// Texts of attributes, as the compiler prints them.
// Included by the program of the compiler's process.
// Tested by compiler_process_test.cc.
#ifndef EYRIE_PLUGINS_PJRT_COMPILER_ATTRIBUTE_TEXT_H_
#define EYRIE_PLUGINS_PJRT_COMPILER_ATTRIBUTE_TEXT_H_

#include <cstddef>
#include <cstring>

#include "plugins/pjrt/compiler/compiler_library.h"
#include "plugins/pjrt/compiler/growing_text.h"

namespace eyrie::pjrt {

// Appends what the compiler prints to `out`, a GrowingText.
inline void AppendText(MlirText text, void* out) {
  static_cast<GrowingText*>(out)->Append(text.data, text.size);
}

// Reports whether a printed string attribute has this value. Its form is
// "main", or #vhlo.string_v1<"main">; a text without quotes has the value "".
inline bool HasValue(const GrowingText& text, const char* value) {
  const size_t size = strlen(value);
  const auto* const begin = static_cast<const char*>(
      text.size() == 0 ? nullptr : memchr(text.data(), '"', text.size()));
  if (begin == nullptr) return size == 0;
  const size_t left =
      text.size() - static_cast<size_t>(begin + 1 - text.data());
  return left > size && memcmp(begin + 1, value, size) == 0 &&
         begin[1 + size] == '"';
}

}  // namespace eyrie::pjrt

#endif  // EYRIE_PLUGINS_PJRT_COMPILER_ATTRIBUTE_TEXT_H_
