// RETURN_IF_ERROR and ASSIGN_OR_RETURN for absl::Status.
//
// Debian's Abseil does not have them. The names are those of later releases, so
// that this file can be deleted then.
// Tested by base_test.cc.
#ifndef EYRIE_BASE_STATUS_MACROS_H_
#define EYRIE_BASE_STATUS_MACROS_H_

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"

namespace eyrie {

// Returns the status with `where` appended to its message and the same code.
// The callee says what failed; callers add where. Returns OK unchanged.
inline absl::Status Annotate(const absl::Status& status,
                             absl::string_view where) {
  if (status.ok()) return status;
  return absl::Status(status.code(),
                      absl::StrCat(status.message(), " ", where));
}

namespace status_internal {
inline absl::Status ToStatus(absl::Status status) { return status; }
template <typename T>
absl::Status ToStatus(const absl::StatusOr<T>& result) {
  return result.status();
}
}  // namespace status_internal
}  // namespace eyrie

#define RETURN_IF_ERROR(expression)                         \
  do {                                                      \
    if (absl::Status eyrie_status_ =                        \
            ::eyrie::status_internal::ToStatus(expression); \
        !eyrie_status_.ok()) [[unlikely]] {                 \
      return eyrie_status_;                                 \
    }                                                       \
  } while (false)

#define EYRIE_CONCAT_INNER_(a, b) a##b
#define EYRIE_CONCAT_(a, b) EYRIE_CONCAT_INNER_(a, b)

// ASSIGN_OR_RETURN(auto x, F()): declares or assigns x, or returns F's error.
#define ASSIGN_OR_RETURN(lhs, expression)                              \
  EYRIE_ASSIGN_OR_RETURN_(EYRIE_CONCAT_(eyrie_result_, __LINE__), lhs, \
                          expression)
#define EYRIE_ASSIGN_OR_RETURN_(result, lhs, expression) \
  auto result = (expression);                            \
  if (!result.ok()) [[unlikely]] {                       \
    return std::move(result).status();                   \
  }                                                      \
  lhs = *std::move(result)

#endif  // EYRIE_BASE_STATUS_MACROS_H_
