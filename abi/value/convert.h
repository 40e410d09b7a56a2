// Converts numbers to elements of a tensor and back. Conversions lose nothing
// unless the caller asks for it.
//
// Integers must be in the type's range; a signless type accepts the signed and
// the unsigned range. Floats of no particular width, such as numbers from text,
// are rounded to nearest, but a finite number never becomes infinity. Only
// ConvertElements turns floats into integers.
// Tested by tests/conformance/abi/abi_test.cc, abi/call/invoker_test.cc,
// abi/call/buffer_description_test.cc.
#ifndef EYRIE_ABI_VALUE_CONVERT_H_
#define EYRIE_ABI_VALUE_CONVERT_H_

#include <cstdint>
#include <span>

#include "abi/value/host_value.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "hal/element_type.h"

namespace eyrie::abi {

// Reports whether a type is "iN", "siN" or "uiN" with N up to 64.
bool IsInteger(hal::ElementType type);
bool IsUnsigned(hal::ElementType type);
// Reports whether a type is f16, f32, f64, bf16 or an 8-bit float.
bool IsFloat(hal::ElementType type);
// Reports whether a type is an integer, a float or a boolean. These are
// converted to each other and to complex numbers; complex numbers only to
// complex numbers.
bool IsReal(hal::ElementType type);

// Reports whether the bits of an element of `from` are an element of `to` as
// they are: the types are the same, integers of one width, or one of them is
// untyped bytes of the same width.
bool SameBits(hal::ElementType from, hal::ElementType to);
// Reports whether `to` can represent every value of `from` exactly.
bool IsLossless(hal::ElementType from, hal::ElementType to);

// Returns an INVALID_ARGUMENT error: "200 is out of range for si8 (-128 to
// 127)."
absl::Status OutOfRange(absl::string_view number, hal::ElementType type);

// Converts a number to an integer of `type`, sign-extended to 64 bits, or
// zero-extended if the type is unsigned. INVALID_ARGUMENT: the value is not an
// integer, or is out of range.
absl::Status ToInteger(const HostValue& value, hal::ElementType type,
                       int64_t& result);
// Converts a number to a float. The texts "nan", "inf" and "-inf" are numbers,
// too. INVALID_ARGUMENT: the value is not a number, is out of the type's range,
// or is an integer that the type cannot represent exactly.
absl::Status ToFloat(const HostValue& value, hal::ElementType type,
                     double& result);
// Converts true, false, 1 or 0. INVALID_ARGUMENT: the value is anything else.
absl::Status ToBoolean(const HostValue& value, bool& result);

// Returns the bytes that WriteElement writes. Elements that tensors pack take
// the low bits of a byte.
constexpr size_t BytesOfElement(hal::ElementType type) {
  return (hal::StrideBits(type) + 7) / 8;
}
// Writes a number to `target` as an element of `type`. An element of a type
// without numbers is given as bytes that hold its text (tensor_text.h); a
// complex number may be, too, or as a list of its two parts.
absl::Status WriteElement(const HostValue& value, hal::ElementType type,
                          uint8_t* target);
// Returns an element as a number, or as bytes with its text if its type has no
// numbers: "1+2i" for a complex one. A packed
// element is read from the low bits of a byte.
HostValue ReadElement(const uint8_t* source, hal::ElementType type);

// Converts a double to the bits of a float type of at most 16 bits, and back.
uint16_t PackFloat(hal::ElementType type, double value);
double UnpackFloat(hal::ElementType type, uint16_t bits);

// Converts `count` packed elements of whole bytes. Floats may be rounded to
// narrower floats and truncated to integers. INVALID_ARGUMENT: an element
// cannot be represented; the message gives its index.
absl::Status ConvertElements(const uint8_t* source, hal::ElementType from,
                             uint8_t* target, hal::ElementType to,
                             int64_t count);

// How the elements that a caller passes for a buffer get into it. All calling
// conventions share these rules.
enum class BufferUse : uint8_t {
  kAsIs,     // used in place
  kCopy,     // copied byte by byte
  kPack,     // copied element by element, into the requested order
  kConvert,  // packed, and converted to another type
  kMake,     // no elements are given: allocate the buffer
};
// Returns how elements of `from` become elements of `to`. `in_order` says that
// they already lie in the requested order, `usable` that the call may use their
// memory.
BufferUse UseOfElements(hal::ElementType from, hal::ElementType to,
                        bool in_order, bool usable);
// Reports whether `from` are untyped bytes that may each have one element of
// `to` in their low bits, as .npy files have those of 4 and 6 bits.
bool IsByteEach(hal::ElementType from, hal::ElementType to);
// Writes an array's elements to `target`, packed and converted to type `to`.
// `target` must have room for all of them. Fails as ConvertElements
// and PackNpyElements do.
absl::Status WriteElements(const HostArray& array, hal::ElementType to,
                           uint8_t* target);

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_VALUE_CONVERT_H_
