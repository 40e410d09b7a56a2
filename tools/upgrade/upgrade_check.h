// Calls functions of two modules and compares their results: --check.
//
// Tested by upgrade_test.txt.
#ifndef EYRIE_TOOLS_UPGRADE_UPGRADE_CHECK_H_
#define EYRIE_TOOLS_UPGRADE_UPGRADE_CHECK_H_

#include <cstdint>
#include <span>

#include "absl/status/statusor.h"
#include "tools/arg_parser.h"

namespace eyrie::tools {

// Calls --function of the module that --module or the first argument names, and
// of the module in `after`, or all functions if no function is named. Prints a
// line for each. Returns false if results differ. Functions whose arguments
// cannot be made are skipped, unless one was named. Fails as loading the
// modules does.
absl::StatusOr<bool> CheckUpgrade(const Arguments& arguments,
                                  std::span<const uint8_t> after);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_UPGRADE_UPGRADE_CHECK_H_
