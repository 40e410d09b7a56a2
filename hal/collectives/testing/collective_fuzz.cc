// Fuzzes decoding and planning: they may reject any input, but a plan must stay
// in its ranges and name existing ranks.
//
// tests/fuzz/BUILD says how to run it.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "hal/collectives/collective.h"

namespace eyrie::hal {
namespace {

// Removes and returns a number from the start of the bytes.
template <typename T>
T Take(const uint8_t*& data, size_t& size) {
  T value = 0;
  const size_t length = size < sizeof(T) ? size : sizeof(T);
  std::memcpy(&value, data, length);
  data += length;
  size -= length;
  return value;
}

void Check(bool holds) {
  if (!holds) std::abort();
}

void Fuzz(const uint8_t* data, size_t size) {
  const auto op = DecodeCollective(Take<uint32_t>(data, size));
  if (!op.ok()) return;
  Check(!CollectiveText(*op).empty() && ByteCount(op->type) > 0);
  const int ranks = 1 + Take<uint8_t>(data, size);
  const int rank = Take<uint8_t>(data, size) % ranks;
  CollectiveArguments arguments;
  arguments.param = Take<uint32_t>(data, size);
  arguments.count = Take<uint64_t>(data, size);
  if (size > 0) arguments.send_length = Take<uint64_t>(data, size);
  if (size > 0) arguments.receive_length = Take<uint64_t>(data, size);
  const auto plan = PlanCollective(*op, arguments, rank, ranks);
  if (!plan.ok()) return;
  Check(plan->send_bytes <= arguments.send_length.value_or(UINT64_MAX));
  Check(plan->receive_bytes <= arguments.receive_length.value_or(UINT64_MAX));
  for (const int32_t peer : {plan->root, plan->target, plan->source}) {
    Check(peer >= kNoRank && peer < ranks);
  }
  Check(plan->block_bytes * static_cast<uint64_t>(ranks) <=
            plan->send_bytes + plan->receive_bytes ||
        plan->block_bytes == 0);
}

}  // namespace
}  // namespace eyrie::hal

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  eyrie::hal::Fuzz(data, size);
  return 0;
}
