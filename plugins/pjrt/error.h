// Errors of the C interface, and statuses of the C API.
// Tested by pjrt_test.cc.
#ifndef EYRIE_PLUGINS_PJRT_ERROR_H_
#define EYRIE_PLUGINS_PJRT_ERROR_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "eyrie/c.h"
#include "plugins/pjrt/c_types.h"

namespace eyrie::pjrt {

// A status that is not OK. Owned by the client.
struct Error {
  const ErrorFunctions* functions;  // read by clients, so it must be the first
  absl::Status status;
};

// Returns an error, or null if the status is OK.
Error* NewError(absl::Status status);

// Returns the status with a code and a message of the C interface. `message`
// may be null if its size is 0. Codes out of range are UNKNOWN.
absl::Status StatusOf(Error_Code code, const char* message, size_t size);

// Takes an error of the C API; null is OK.
absl::Status Taken(eyrie_error_t* error);

}  // namespace eyrie::pjrt

#endif  // EYRIE_PLUGINS_PJRT_ERROR_H_
