// Declares what implements each function of api.def.
//
// They have the names of the C interface. `args` is a copy of the caller's
// struct in which handles are not null and missing fields are 0; what a
// function writes to it reaches the caller if it returns OK. Thread-safe, as
// the C interface is.
// Tested by pjrt_test.cc.
#ifndef EYRIE_PLUGINS_PJRT_FUNCTIONS_H_
#define EYRIE_PLUGINS_PJRT_FUNCTIONS_H_

#include "absl/status/status.h"
#include "plugins/pjrt/c_types.h"

namespace eyrie::pjrt {

#define FUNCTION(name, fields) absl::Status name(name##_Args& args);
#include "plugins/pjrt/api.def"

}  // namespace eyrie::pjrt

#endif  // EYRIE_PLUGINS_PJRT_FUNCTIONS_H_
