// The functions that are not supported.
#include "absl/status/status.h"
#include "plugins/pjrt/functions.h"

namespace eyrie::pjrt {

#define UNSUPPORTED(name, why)                                                \
  absl::Status name(name##_Args&) {                                           \
    return absl::UnimplementedError("PJRT_" #name " is not supported: " why); \
  }
#include "plugins/pjrt/unsupported.def"

}  // namespace eyrie::pjrt
