// Compares elements of tensors, as numbers with a tolerance or bit by bit.
//
// Tested by abi/call/function_io_test.cc, abi/call/compare_test.cc,
// tools/check/expectation_test.cc.
#ifndef EYRIE_ABI_TENSOR_TENSOR_COMPARE_H_
#define EYRIE_ABI_TENSOR_TENSOR_COMPARE_H_

#include <cstdint>
#include <optional>
#include <span>

#include "hal/element_type.h"

namespace eyrie::abi {

// Reports whether |actual - expected| <= absolute + relative * |expected|. A
// NaN is near any NaN, and an infinity only near itself.
bool IsNear(double actual, double expected, double absolute, double relative);

// Returns the element at `index` as a number; nullopt if its type is not a
// float of at most 64 bits. `bytes` must contain the element.
std::optional<double> FloatAt(std::span<const uint8_t> bytes, int64_t index,
                              hal::ElementType type);

// Reports whether the elements at `index` of two tensors of the same type have
// the same bits. `bits` is hal::StrideBits of the type.
bool HasSameBits(std::span<const uint8_t> a, std::span<const uint8_t> b,
                 int64_t index, uint32_t bits);

// The two tensors of a comparison: dense elements of one shape. The types are
// equal, or differ only in sign (hal::EqualUpToSign).
struct ElementPair {
  std::span<const uint8_t> actual;
  std::span<const uint8_t> expected;
  hal::ElementType actual_type;
  hal::ElementType expected_type;
};

// Returns |actual - expected| of the elements at `index`, exact for integers of
// one sign; NaN if exactly one is NaN, and 0 if both are or if they are equal.
// nullopt if the type is not a float or integer of at most 64 bits. A signless
// type has the sign of the other type.
std::optional<double> ErrorAt(const ElementPair& pair, int64_t index);

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_TENSOR_TENSOR_COMPARE_H_
