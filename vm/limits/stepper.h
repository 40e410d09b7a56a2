// An observer that is called before each instruction, such as a debugger.
//
// Only modules created with `pauses` call it, so other modules run at full
// speed. Modules created with `pauses` also run without a stepper.
// Tested by tools/debug/debug_test.txt, tools/debug/debugger_test.cc.
#ifndef EYRIE_VM_LIMITS_STEPPER_H_
#define EYRIE_VM_LIMITS_STEPPER_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace eyrie::vm {

struct Frame;

// Belongs to one context, which it must outlive.
class Stepper {
 public:
  virtual ~Stepper() = default;

  // Called on the context's thread before the instruction at `offset` of the
  // bytecode of the topmost frame's function. Registers have the values that
  // the bytecode defines. Those of `frame` and its callers may be read and
  // written, but keep their types. If an error is returned, the call fails as
  // if the instruction had failed.
  virtual absl::Status BeforeInstruction(Frame& frame, uint32_t offset) = 0;

  // Called when a call fails, for any reason, before its frames are dropped.
  // `frame` is the topmost frame, and the instruction at `offset` failed.
  // `status` has no backtrace. `native` is the import that failed, or empty. If
  // native functions call back into the context, one error may be reported once
  // for each level.
  virtual void Failed(Frame& frame, uint32_t offset, const absl::Status& status,
                      absl::string_view native) {}
};

}  // namespace eyrie::vm

#endif  // EYRIE_VM_LIMITS_STEPPER_H_
