// How work on many bytes is paid for, and stopped.
//
// Tested by vm/object/list_buffer_test.cc, vm/run/limits_test.cc.
#ifndef EYRIE_VM_LIMITS_PAY_H_
#define EYRIE_VM_LIMITS_PAY_H_

#include <algorithm>
#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"

namespace eyrie::vm {

// Called before work on many bytes with their number, and with 0 between pieces
// of work that is paid for. If it returns an error, the work stops with it.
using PayForBytes = absl::FunctionRef<absl::Status(uint64_t bytes)>;
inline absl::Status PayNothing(uint64_t) { return absl::OkStatus(); }

// The most that is done without looking whether to stop: some 0.1 to 1 ms.
inline constexpr uint64_t kPieceBytes = uint64_t{1} << 20;

// Pays for `bytes`, and calls `work(offset, length)` for one piece of them
// after another. Each begins at a multiple of kPieceBytes.
template <typename Work>
absl::Status DoInPieces(uint64_t bytes, PayForBytes pay, Work work) {
  absl::Status status = pay(bytes);
  for (uint64_t at = 0; at < bytes && status.ok(); at += kPieceBytes) {
    if (at != 0) status = pay(0);
    if (status.ok()) work(at, std::min(kPieceBytes, bytes - at));
  }
  return status;
}

}  // namespace eyrie::vm

#endif  // EYRIE_VM_LIMITS_PAY_H_
