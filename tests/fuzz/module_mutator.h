// Changes a module file within its structure: what comes out is a FlatBuffer
// again, so that a fuzzer gets past the container to what the fields mean.
// Tested by module_mutator_test.cc.
#ifndef EYRIE_TESTS_FUZZ_MODULE_MUTATOR_H_
#define EYRIE_TESTS_FUZZ_MODULE_MUTATOR_H_

#include <cstdint>
#include <span>
#include <vector>

namespace eyrie::tests {

// The bare module with one to three changes, the same for the same seed. Empty
// if `file` is not a bare module that can be unpacked.
std::vector<uint8_t> MutateModule(std::span<const uint8_t> file, uint64_t seed);

}  // namespace eyrie::tests

#endif  // EYRIE_TESTS_FUZZ_MODULE_MUTATOR_H_
