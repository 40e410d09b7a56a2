// Numbers into elements of a type and back, without loss unless asked for.
//
// Integers fit the type's range; a signless one takes what fits either way.
// Floats without a type of their own, as text has them, are rounded to
// nearest, but never to infinity. Nothing turns a float into an integer.
// Tested by tests/conformance/abi/abi_test.cc.
#ifndef EYRIE_ABI_CONVERT_H_
#define EYRIE_ABI_CONVERT_H_

#include <cstdint>
#include <span>

#include "abi/host_value.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "hal/element_type.h"

namespace eyrie::abi {

// "iN", "siN", "uiN" of at most 64 bits.
bool IsInteger(hal::ElementType type);
bool IsUnsigned(hal::ElementType type);
// f16 to f64, bf16 and the 8-bit floats.
bool IsFloat(hal::ElementType type);
// What is converted to each other: the above and booleans; complex numbers and
// types without numbers are not.
bool IsReal(hal::ElementType type);

// Whether an element of `from` is, bit by bit, one of `to`: integers of one
// width, and untyped bytes of it.
bool SameBits(hal::ElementType from, hal::ElementType to);
// Whether every value of `from` has its equal in `to`.
bool IsLossless(hal::ElementType from, hal::ElementType to);

// INVALID_ARGUMENT: "200 is out of range for si8 (-128 to 127)."
absl::Status OutOfRange(absl::string_view number, hal::ElementType type);

// A number as an integer of a type, sign-extended to 64 bits.
// INVALID_ARGUMENT: no integer, or out of range.
absl::Status ToInteger(const HostValue& value, hal::ElementType type,
                       int64_t& result);
// A number as a float. An integer must be exact. INVALID_ARGUMENT: no number,
// or out of the type's range.
absl::Status ToFloat(const HostValue& value, hal::ElementType type,
                     double& result);
// true, false, 1 or 0. INVALID_ARGUMENT: anything else.
absl::Status ToBoolean(const HostValue& value, bool& result);

// Writes a number as an element of whole bytes. Complex numbers and types
// without numbers are bytes that hold their text (tensor_text.h).
absl::Status WriteElement(const HostValue& value, hal::ElementType type,
                          uint8_t* target);
// The number that an element is; bytes with its text if it is none.
HostValue ReadElement(const uint8_t* source, hal::ElementType type);

// The bits of a double as a float of at most 16 bits, and back.
uint16_t PackFloat(hal::ElementType type, double value);
double UnpackFloat(hal::ElementType type, uint16_t bits);

// Converts `count` packed elements. INVALID_ARGUMENT names the first element
// that has no equal; floats may be rounded to floats and cut to integers.
absl::Status ConvertElements(const uint8_t* source, hal::ElementType from,
                             uint8_t* target, hal::ElementType to,
                             int64_t count);

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_CONVERT_H_
