// --compat: the release whose tools' output to match.
//
// Tested by cli_test.txt.
#ifndef EYRIE_TOOLS_COMPAT_FLAG_H_
#define EYRIE_TOOLS_COMPAT_FLAG_H_

#include "absl/status/status.h"
#include "tools/arg_parser.h"

namespace eyrie::tools {

// INVALID_ARGUMENT: --compat is not empty and not a supported release, such as
// "3.11".
absl::Status CheckCompat(const Arguments& arguments);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_COMPAT_FLAG_H_
