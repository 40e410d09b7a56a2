// Errors of the command line: an unknown command or flag, an invalid value of a
// flag, no module.
//
// The tool then exits with 2, so that scripts can tell a wrong command line
// from a failed call, which exits with 1. Under the public tools' names both
// exit with 1, as there. Tested by cli_test.txt, names_test.txt.
#ifndef EYRIE_TOOLS_USAGE_ERROR_H_
#define EYRIE_TOOLS_USAGE_ERROR_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace eyrie::tools {

// Returns INVALID_ARGUMENT, marked as an error of the command line.
absl::Status UsageError(absl::string_view sentence);

// Marks INVALID_ARGUMENT as an error of the command line. Returns other
// statuses unchanged.
absl::Status AsUsageError(const absl::Status& status);

// Marks the error of a flag's value: INVALID_ARGUMENT, or NOT_FOUND, as for the
// name of a device.
absl::Status AsValueError(const absl::Status& status);

// Reports whether a status is marked as an error of the command line.
bool IsUsageError(const absl::Status& status);

// Returns the exit code for an error.
int ExitCodeOf(const absl::Status& status);

// Makes errors of the command line exit with 1. Must be called before threads
// are started.
void UsePublicExitCodes();
// Reports whether the tool runs under a public tool's name.
bool UsesPublicExitCodes();

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_USAGE_ERROR_H_
