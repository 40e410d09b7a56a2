// For builds without a compiler: machines that it has no code for, and
// --define=jit=off.
#include "absl/strings/str_cat.h"
#include "base/elf_machine.h"
#include "vm/jit/jit.h"

namespace eyrie::vm::jit {

bool HasCompiler() { return false; }

absl::StatusOr<std::shared_ptr<const Jit>> Create(Mode, Names) {
  return absl::UnimplementedError(
      absl::StrCat("This build has no compiler of functions for ",
                   ElfMachineName(ThisElfMachine()), "."));
}

}  // namespace eyrie::vm::jit
