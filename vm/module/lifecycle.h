// The exports that a context calls by itself.
//
// Each is known by its whole name. No other name means anything to a context,
// whatever it begins with: a user's function may be named "__scale". Tested by
// vm/run/context_test.cc.
#ifndef EYRIE_VM_MODULE_LIFECYCLE_H_
#define EYRIE_VM_MODULE_LIFECYCLE_H_

#include "absl/strings/string_view.h"

namespace eyrie::vm {

inline constexpr absl::string_view kInitExport = "__init";
inline constexpr absl::string_view kDeinitExport = "__deinit";

// Reports whether it is called when a context is created or ends.
inline bool IsLifecycleExport(absl::string_view name) {
  return name == kInitExport || name == kDeinitExport;
}

}  // namespace eyrie::vm

#endif  // EYRIE_VM_MODULE_LIFECYCLE_H_
