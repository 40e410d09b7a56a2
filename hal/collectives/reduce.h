// Combines the elements of reductions, on the host.
//
// Elements are combined in the order of ranks, so all ranks get the same bits
// with any transport. Integers wrap as in kernels. f16 and bf16 are combined in
// f32 and rounded once. Minimum and maximum return NaN if any element is NaN.
// An average of integers is exact, then rounded toward zero.
// Tested by reduce_test.cc.
#ifndef EYRIE_HAL_COLLECTIVES_REDUCE_H_
#define EYRIE_HAL_COLLECTIVES_REDUCE_H_

#include <cstdint>
#include <span>

#include "hal/collectives/collective.h"

namespace eyrie::hal {

// Combines `blocks` (at least one) into `result`. Each block is as long as
// `result`; alignment does not matter. `result` may be one of the blocks.
void ReduceBlocks(const CollectiveOp& op,
                  std::span<const uint8_t* const> blocks,
                  std::span<uint8_t> result);

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_COLLECTIVES_REDUCE_H_
