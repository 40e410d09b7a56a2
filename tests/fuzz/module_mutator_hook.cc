// Lets libFuzzer change fields of modules and, sometimes, plain bytes.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tests/fuzz/module_mutator.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size,
                                          size_t max_size, unsigned int seed) {
  if (seed % 8 == 0) return LLVMFuzzerMutate(data, size, max_size);
  const std::vector<uint8_t> changed =
      eyrie::tests::MutateModule({data, size}, seed);
  if (changed.empty() || changed.size() > max_size) {
    return LLVMFuzzerMutate(data, size, max_size);
  }
  std::copy(changed.begin(), changed.end(), data);
  return changed.size();
}
