// V0 raw function signatures: the registers that a function takes and returns,
// with element types and dimensions.
//
//   I16!B8!t6d4d-1S3!t2R4!O1!
//
// is (Buffer<sint32[4x?]>, float64) -> (RefObject<?>). docs/abi.md has the
// grammar; mangle.h has the encoding.
// Tested by raw_signature_test.cc, testing/raw_fuzz.cc.
#ifndef EYRIE_ABI_V0_RAW_SIGNATURE_H_
#define EYRIE_ABI_V0_RAW_SIGNATURE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "hal/element_type.h"
#include "hal/tensor_type.h"

namespace eyrie::abi::v0 {

// The preferred order of a buffer's elements. The specification reserves this
// hint without a spelling; here it is the tag 'c' at the end of a buffer type,
// with 0 or 1.
enum class Layout : uint8_t { kUnspecified, kRowMajor, kColumnMajor };

// The tensor's type is that of a buffer; a scalar has only its element. The
// element is one of the 12 types of ScalarTypeName().
struct RawType : hal::TensorType {
  enum class Kind : uint8_t { kBuffer, kScalar, kRefObject, kUnrecognized };
  static constexpr size_t kMaxRank = 64;

  RawType() { element = hal::ElementType::kFloat32; }

  Kind kind = Kind::kUnrecognized;
  Layout layout = Layout::kUnspecified;  // of buffers

  // Reports whether the type determines the value's size: a scalar, or a buffer
  // without dynamic dimensions.
  bool is_static() const;
  // Returns "Buffer<float32[?x128]>", "sint32", "RefObject<?>" or "!UNKNOWN!".
  std::string ToString() const;

  bool operator==(const RawType&) const = default;
};

// Returns "sint32" and so on; empty for types that raw signatures lack.
absl::string_view ScalarTypeName(hal::ElementType type);
// Returns the 12 types, in the order of their numbers.
std::vector<hal::ElementType> ScalarTypes();

struct RawSignature {
  std::vector<RawType> inputs;
  std::vector<RawType> results;

  // INVALID_ARGUMENT: the text does not match the grammar; the message gives
  // the byte.
  static absl::StatusOr<RawSignature> Parse(absl::string_view text);
  // Returns "(Buffer<float32[?x128x64]>, sint32, RefObject<?>) -> ()".
  std::string ToString() const;

  bool operator==(const RawSignature&) const = default;
};

}  // namespace eyrie::abi::v0

#endif  // EYRIE_ABI_V0_RAW_SIGNATURE_H_
