// A call frame that a handler refuses, for signature_probe.h.
//
// Used once, in the process that builds it.
// Tested by tests/native/jaxlib/jaxlib_test.py.
#ifndef EYRIE_ABI_NATIVE_XLA_REFUSED_FRAME_H_
#define EYRIE_ABI_NATIVE_XLA_REFUSED_FRAME_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "abi/native/ffi_types.h"
#include "absl/status/statusor.h"
#include "eyrie/xla_ffi.h"

namespace eyrie::native {

struct RefusedFrame {
  // An argument or result.
  struct Buffer {
    FfiType type = FfiType::kPred;
    int64_t rank = 0;
    // The handler's process ends when it reads the type.
    bool hidden = false;
  };
  struct Attribute {
    std::string name = {};
    int32_t kind = EYRIE_FFI_SCALAR;      // or an array or a dictionary
    std::vector<Attribute> members = {};  // of a dictionary
  };
  // A type that handlers do not expect, because tensors cannot have it.
  static constexpr FfiType kOddType = FfiType::kF8E4M3B11FNUZ;

  int32_t stage = EYRIE_FFI_EXECUTE;
  std::vector<Buffer> args = {};
  std::vector<Buffer> results = {};
  std::vector<Attribute> attributes = {};
  // The handler's process ends when it reads what kind of value the last
  // argument or result is, which it does before it calls its function.
  bool ends_at_last = false;

  // The answer of a handler.
  struct Outcome {
    enum class Kind {
      kRefused,   // it returned an error
      kRan,       // it returned none
      kReadType,  // it read a type that is hidden
      kReadLast,  // it read the kind of the last argument or result
    };
    Kind kind;
    std::string error;
  };

  // Calls the handler in a child process. Returns the errors of CallInChild.
  // ABORTED: also if the handler reads other memory that it may not.
  absl::StatusOr<Outcome> Call(eyrie_ffi_handler_t* handler, int minor) const;
};

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_XLA_REFUSED_FRAME_H_
