// For builds without a compiler: other processors, and --define=jit=off.
#include "vm/jit/jit.h"

namespace eyrie::vm::jit {

absl::StatusOr<std::shared_ptr<const Jit>> Create(Mode, Names) {
  return absl::UnimplementedError("This build has no compiler.");
}

}  // namespace eyrie::vm::jit
