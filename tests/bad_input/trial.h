// Uses a damaged module as far as possible: loads it, links it, and calls all
// of its functions. Every failure must be an error with a sentence.
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

// Reads a file of tests/modules. Returns no bytes if that fails.
std::vector<uint8_t> ReadModule(const std::string& name);

// Returns what is wrong with the errors, or "". The limits apply to each call.
std::string TryModule(std::span<const uint8_t> bytes, hal::Device& device,
                      const vm::Limits& limits, Sweep::Report& report);

// Returns the name of a stage: "loaded", "linked", "called", "done".
std::string StageName(int stage);

// "12 refused, 3 not linked, 4 failed, 5 worked"
std::string Outcomes(const Sweep& sweep);

}  // namespace eyrie::tests

#endif  // EYRIE_TESTS_BAD_INPUT_TRIAL_H_
