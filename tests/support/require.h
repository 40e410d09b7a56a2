// Checks of fuzz targets. If one fails, the program aborts.
#ifndef EYRIE_TESTS_SUPPORT_REQUIRE_H_
#define EYRIE_TESTS_SUPPORT_REQUIRE_H_

#include <cstdlib>

#include "absl/status/status.h"

namespace eyrie::tests {

inline void Require(bool condition) {
  if (!condition) std::abort();
}

// Requires that an error has a message.
inline void RequireMessage(const absl::Status& status) {
  Require(status.ok() || !status.message().empty());
}

}  // namespace eyrie::tests

#endif  // EYRIE_TESTS_SUPPORT_REQUIRE_H_
