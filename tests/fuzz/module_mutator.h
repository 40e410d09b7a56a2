// Changes fields of a module file. The result is a valid FlatBuffer, so that a
// fuzzer gets past the container to the meaning of its fields.
// Tested by module_mutator_test.cc.
#ifndef EYRIE_TESTS_FUZZ_MODULE_MUTATOR_H_
#define EYRIE_TESTS_FUZZ_MODULE_MUTATOR_H_

#include <cstdint>
#include <span>
#include <vector>

namespace eyrie::tests {

// Returns the bare module with one to three changes, determined by the seed.
// Returns no bytes if `file` is not a bare module that can be unpacked.
std::vector<uint8_t> MutateModule(std::span<const uint8_t> file, uint64_t seed);

}  // namespace eyrie::tests

#endif  // EYRIE_TESTS_FUZZ_MODULE_MUTATOR_H_
