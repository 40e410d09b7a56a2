// Checks lists and texts of the caller's structs.
// Tested by hostile_test.cc.
#ifndef EYRIE_PLUGINS_PJRT_GIVEN_H_
#define EYRIE_PLUGINS_PJRT_GIVEN_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"

namespace eyrie::pjrt {

// INVALID_ARGUMENT: the list is null and not empty, or its size is negative.
// `name` is that of the field.
inline absl::Status CheckList(const void* list, size_t size,
                              absl::string_view name) {
  if (size == 0 || (list != nullptr && size <= PTRDIFF_MAX)) [[likely]]
    return absl::OkStatus();
  return absl::InvalidArgumentError(
      list == nullptr
          ? absl::StrCat("`", name, "` is null, and its size is ", size, ".")
          : absl::StrCat("The size of `", name, "` is ", size, "."));
}

// Returns a text. Fails as CheckList does.
inline absl::StatusOr<absl::string_view> TextIn(const char* text, size_t size,
                                                absl::string_view name) {
  RETURN_IF_ERROR(CheckList(text, size, name));
  return size == 0 ? absl::string_view() : absl::string_view(text, size);
}

// INVALID_ARGUMENT: the struct is smaller than its first version.
inline absl::Status CheckStruct(size_t struct_size, size_t least,
                                absl::string_view name) {
  if (struct_size >= least) [[likely]]
    return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("PJRT_", name, ": struct_size is ", struct_size,
                   "; at least ", least, " is required."));
}

// Returns copies of structs in a list. Those of a later client are larger, so
// the size of each says where the next one is. INVALID_ARGUMENT: the list is
// null, or a struct has fewer than `least` or more than 4096 bytes.
template <typename T>
absl::StatusOr<std::vector<T>> StructsIn(const T* list, size_t count,
                                         size_t least, absl::string_view name) {
  constexpr size_t kMost = 4096;
  RETURN_IF_ERROR(CheckList(list, count, name));
  std::vector<T> structs;
  const auto* at = reinterpret_cast<const char*>(list);
  for (size_t i = 0; i < count; ++i) {
    size_t size = 0;
    std::memcpy(&size, at, sizeof(size));
    RETURN_IF_ERROR(CheckStruct(size, least, name));
    if (size > kMost) {
      return absl::InvalidArgumentError(
          absl::StrCat("PJRT_", name, ": struct_size is ", size, "; at most ",
                       kMost, " is possible."));
    }
    std::memcpy(&structs.emplace_back(), at, std::min(size, sizeof(T)));
    at += (size + alignof(T) - 1) / alignof(T) * alignof(T);
  }
  return structs;
}

}  // namespace eyrie::pjrt

#endif  // EYRIE_PLUGINS_PJRT_GIVEN_H_
