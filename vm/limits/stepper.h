// Who is asked before each instruction, of modules that are made for it.
//
// Code of other modules has no place where anybody could be asked, and so costs
// nothing. A module made for it runs as any other where nobody is there.
// Tested by tools/debug/debug_test.txt, tools/debug/debugger_test.cc.
#ifndef EYRIE_VM_LIMITS_STEPPER_H_
#define EYRIE_VM_LIMITS_STEPPER_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace eyrie::vm {

struct Frame;

// A context's, which it outlives.
class Stepper {
 public:
  virtual ~Stepper() = default;

  // Called before the instruction at an offset of the bytecode of the topmost
  // frame's function, on the context's thread. Registers are as the bytecode
  // has them; those of `frame` and its callers may be read and written, with
  // their types kept. An error ends the call, as if the instruction had failed.
  virtual absl::Status BeforeInstruction(Frame& frame, uint32_t offset) = 0;

  // Called when a call fails, for whatever reason, while its frames are there
  // still: `frame` is the topmost, and the instruction at `offset` has failed.
  // `status` has no backtrace; `native` is the import that failed, or empty. A
  // failure passes several times through calls back from native functions.
  virtual void Failed(Frame& frame, uint32_t offset, const absl::Status& status,
                      absl::string_view native) {}
};

}  // namespace eyrie::vm

#endif  // EYRIE_VM_LIMITS_STEPPER_H_
