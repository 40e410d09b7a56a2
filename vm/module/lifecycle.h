// The exports that a context calls automatically.
//
// They are recognized by their full names only. Other names that begin with
// "__" have no special meaning: a user's function may be named "__scale".
// Tested by vm/run/context_test.cc.
#ifndef EYRIE_VM_MODULE_LIFECYCLE_H_
#define EYRIE_VM_MODULE_LIFECYCLE_H_

#include "absl/strings/string_view.h"

namespace eyrie::vm {

inline constexpr absl::string_view kInitExport = "__init";
inline constexpr absl::string_view kDeinitExport = "__deinit";

// Reports whether a context calls this export when it is created or destroyed.
inline bool IsLifecycleExport(absl::string_view name) {
  return name == kInitExport || name == kDeinitExport;
}

}  // namespace eyrie::vm

#endif  // EYRIE_VM_MODULE_LIFECYCLE_H_
