// What reductions do to elements, on the host.
//
// Every rank combines in the order of the ranks, so that all get the same bits
// and the transport has no part in it. Integers wrap as kernels' do; f16 and
// bf16 are combined in f32 and rounded once; a NaN makes a minimum or maximum
// NaN; an average of integers is exact and rounded towards zero.
// Tested by reduce_test.cc.
#ifndef EYRIE_HAL_COLLECTIVES_REDUCE_H_
#define EYRIE_HAL_COLLECTIVES_REDUCE_H_

#include <cstdint>
#include <span>

#include "hal/collectives/collective.h"

namespace eyrie::hal {

// Combines the elements of `blocks`, at least one, into `result`; all are as
// long as `result`, of any alignment. `result` may be one of the blocks.
void ReduceBlocks(const CollectiveOp& op,
                  std::span<const uint8_t* const> blocks,
                  std::span<uint8_t> result);

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_COLLECTIVES_REDUCE_H_
