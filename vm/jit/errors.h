// Records errors while code is emitted.
#ifndef EYRIE_VM_JIT_ERRORS_H_
#define EYRIE_VM_JIT_ERRORS_H_

#include "asmjit/core.h"

namespace eyrie::vm::jit {

// The error handler of one CodeHolder. An error means that there is no memory
// for the code, or that Assembly::RefuseFunction was called.
class Errors final : public asmjit::ErrorHandler {
 public:
  void handleError(asmjit::Error, const char*, asmjit::BaseEmitter*) override {
    any_ = true;
  }
  bool any() const { return any_; }

 private:
  bool any_ = false;
};

}  // namespace eyrie::vm::jit

#endif  // EYRIE_VM_JIT_ERRORS_H_
