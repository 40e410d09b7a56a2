// Helpers for tests of parameter files: build bytes, show entries as text.
#ifndef EYRIE_HAL_PARAMETERS_TEST_SUPPORT_H_
#define EYRIE_HAL_PARAMETERS_TEST_SUPPORT_H_

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "hal/parameters/parameter_index.h"

namespace eyrie::hal {

using Bytes = std::vector<uint8_t>;

// Appends values little-endian.
class Writer {
 public:
  template <typename T>
  Writer& Put(T value) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(&value);
    bytes_.insert(bytes_.end(), bytes, bytes + sizeof(value));
    return *this;
  }
  Writer& Text(absl::string_view text) {
    bytes_.insert(bytes_.end(), text.begin(), text.end());
    return *this;
  }
  // Appends a string in GGUF's encoding.
  Writer& Counted(absl::string_view text) {
    return Put<uint64_t>(text.size()).Text(text);
  }
  Writer& PadTo(size_t alignment) {
    while (bytes_.size() % alignment != 0) bytes_.push_back(0);
    return *this;
  }
  Writer& Zeros(size_t count) {
    bytes_.resize(bytes_.size() + count);
    return *this;
  }
  const Bytes& bytes() const { return bytes_; }

 private:
  Bytes bytes_;
};

// Returns entries as text: "w f32[2] 8@64, b 4x07", or the error.
inline std::string Show(
    const absl::StatusOr<std::vector<ParameterEntry>>& entries) {
  if (!entries.ok()) return entries.status().ToString();
  std::string text;
  for (const ParameterEntry& entry : *entries) {
    absl::StrAppend(&text, text.empty() ? "" : ", ", entry.key,
                    entry.metadata.empty() ? "" : " ", entry.metadata, " ",
                    entry.length);
    if (!entry.fault.ok()) {
      absl::StrAppend(&text, " ", entry.fault.ToString());
      continue;
    }
    if (const auto* at = std::get_if<FileOffset>(&entry.storage)) {
      absl::StrAppend(&text, "@", at->offset);
      continue;
    }
    text += "x";
    const Splat& splat = std::get<Splat>(entry.storage);
    for (size_t i = 0; i < splat.length; ++i) {
      absl::StrAppend(&text, absl::Hex(splat.at(i), absl::kZeroPad2));
    }
  }
  return text;
}

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_PARAMETERS_TEST_SUPPORT_H_
