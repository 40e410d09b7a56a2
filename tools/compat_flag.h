// --compat: a release whose tools' texts are to be matched.
//
// Tested by cli_test.txt.
#ifndef EYRIE_TOOLS_COMPAT_FLAG_H_
#define EYRIE_TOOLS_COMPAT_FLAG_H_

#include "absl/status/status.h"
#include "tools/arg_parser.h"

namespace eyrie::tools {

// INVALID_ARGUMENT: it is given and neither empty nor one of the releases whose
// modules run here, "3.11".
absl::Status CheckCompat(const Arguments& arguments);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_COMPAT_FLAG_H_
