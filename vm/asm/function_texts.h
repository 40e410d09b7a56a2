// The code of each function as text, for comparisons of modules.
//
// Equal texts mean equal code: a text has no places in the source, and names
// callees and constants instead of giving their ordinals.
// Tested by function_texts_test.cc.
#ifndef EYRIE_VM_ASM_FUNCTION_TEXTS_H_
#define EYRIE_VM_ASM_FUNCTION_TEXTS_H_

#include <cstdint>
#include <span>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "vm/module/verifier.h"

namespace eyrie::vm {

// Valid during the call that receives it.
struct FunctionText {
  uint32_t function;
  absl::string_view
      name;               // in the module's assembly; each function has another
  uint32_t instructions;  // without the beginnings of blocks
  absl::string_view text;  // lines of assembly, between the function's braces
};

// Calls `visit` for each function in order. `constants` has the name of each
// constant of the module. RESOURCE_EXHAUSTED: together, the texts would exceed
// MostTextOf() the file.
absl::Status VisitFunctionTexts(
    const VerifiedModule& module, std::span<const std::string> constants,
    absl::FunctionRef<void(const FunctionText&)> visit);

}  // namespace eyrie::vm

#endif  // EYRIE_VM_ASM_FUNCTION_TEXTS_H_
