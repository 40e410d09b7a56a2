// The expectations of tests about tensors, and their failure messages.
//
// Each function returns "" if the tensors are as expected, otherwise a message
// with the first wrong element and the tensors. Tensors in device memory are
// copied to the host. Thread-safe.
// Tested by expectation_test.cc.
#ifndef EYRIE_TOOLS_CHECK_EXPECTATION_H_
#define EYRIE_TOOLS_CHECK_EXPECTATION_H_

#include <string>

#include "absl/status/statusor.h"
#include "hal/buffer_view.h"

namespace eyrie::tools {

// The allowed difference: |left - right| <= absolute + relative * |right|. NaNs
// are equal to each other, and so are infinities of the same sign.
struct Closeness {
  double absolute = 0;
  double relative = 0;
};

// Expects that no element is zero. INVALID_ARGUMENT: elements are opaque or
// complex.
absl::StatusOr<std::string> ExpectAllTrue(const hal::BufferView& operand);

// Expects that element types, shapes and bits are equal.
absl::StatusOr<std::string> ExpectEqual(const hal::BufferView& left,
                                        const hal::BufferView& right);

// Expects that element types and shapes are equal, and elements within
// `closeness`. INVALID_ARGUMENT: elements are not floats.
absl::StatusOr<std::string> ExpectAlmostEqual(const hal::BufferView& left,
                                              const hal::BufferView& right,
                                              const Closeness& closeness);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_CHECK_EXPECTATION_H_
