// Converts statuses to text, for tables with expected text.
#ifndef EYRIE_TESTS_SUPPORT_STATUS_TEXT_H_
#define EYRIE_TESTS_SUPPORT_STATUS_TEXT_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"

namespace eyrie {

// Returns "OK", or "OUT_OF_RANGE: " and the message.
inline std::string StatusText(const absl::Status& status) {
  if (status.ok()) return "OK";
  return absl::StrCat(absl::StatusCodeToString(status.code()), ": ",
                      status.message());
}

template <typename T>
std::string StatusText(const absl::StatusOr<T>& result) {
  return StatusText(result.status());
}

}  // namespace eyrie

#endif  // EYRIE_TESTS_SUPPORT_STATUS_TEXT_H_
