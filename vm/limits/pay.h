// Charges fuel for work on many bytes, and makes that work stoppable.
//
// Tested by vm/object/list_buffer_test.cc, vm/run/limits_test.cc.
#ifndef EYRIE_VM_LIMITS_PAY_H_
#define EYRIE_VM_LIMITS_PAY_H_

#include <algorithm>
#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"

namespace eyrie::vm {

// Called with the number of bytes before work on many bytes, and with 0 between
// the pieces of that work. If it returns an error, the work stops with this
// error.
using PayForBytes = absl::FunctionRef<absl::Status(uint64_t bytes)>;
inline absl::Status PayNothing(uint64_t) { return absl::OkStatus(); }

// The most bytes to process without checking for a stop: 0.1 to 1 ms of work.
inline constexpr uint64_t kPieceBytes = uint64_t{1} << 20;

// Pays for `bytes`, then calls `work(offset, length)` for consecutive pieces of
// them. Each piece begins at a multiple of kPieceBytes.
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
