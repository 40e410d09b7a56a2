// One damaged module, used as far as it goes: loaded, linked, all of its
// functions called. What cannot be done must be said in a sentence.
#ifndef EYRIE_TESTS_BAD_INPUT_TRIAL_H_
#define EYRIE_TESTS_BAD_INPUT_TRIAL_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hal/device.h"
#include "tests/bad_input/sweep.h"
#include "vm/limits/limits.h"

namespace eyrie::tests {

// A file of tests/modules, by its name there. Empty if it cannot be read.
std::vector<uint8_t> ReadModule(const std::string& name);

// Says what is wrong with the errors, or nothing. Each call has the limits.
std::string TryModule(std::span<const uint8_t> bytes, hal::Device& device,
                      const vm::Limits& limits, Sweep::Report& report);

// What a trial did at a stage: "loaded", "linked", "called", "done".
std::string StageName(int stage);

// "12 refused, 3 not linked, 4 failed, 5 worked"
std::string Outcomes(const Sweep& sweep);

}  // namespace eyrie::tests

#endif  // EYRIE_TESTS_BAD_INPUT_TRIAL_H_
