// What tests expect of tensors, and what is said where they are otherwise.
//
// Each function returns an empty text if the tensors are as expected; else a
// sentence that names the first element that is not, and the tensors. Tensors
// of other memory than the host's are copied. Thread-safe.
// Tested by expectation_test.cc.
#ifndef EYRIE_TOOLS_CHECK_EXPECTATION_H_
#define EYRIE_TOOLS_CHECK_EXPECTATION_H_

#include <string>

#include "absl/status/statusor.h"
#include "hal/buffer_view.h"

namespace eyrie::tools {

// How far elements may be apart: |left - right| <= absolute + relative *
// |right|. NaNs are equal, and infinities of one sign.
struct Closeness {
  double absolute = 0;
  double relative = 0;
};

// No element is zero. INVALID_ARGUMENT: elements are opaque or complex.
absl::StatusOr<std::string> ExpectAllTrue(const hal::BufferView& operand);

// Element type, shape and bits are the same.
absl::StatusOr<std::string> ExpectEqual(const hal::BufferView& left,
                                        const hal::BufferView& right);

// Element type and shape are the same, and elements as close. INVALID_ARGUMENT:
// elements are no floats.
absl::StatusOr<std::string> ExpectAlmostEqual(const hal::BufferView& left,
                                              const hal::BufferView& right,
                                              const Closeness& closeness);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_CHECK_EXPECTATION_H_
