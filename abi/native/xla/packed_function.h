// Functions of TVM-FFI, called as handlers of XLA FFI, so that arguments,
// results, layouts, fences and limits are the same.
//
// A packed function takes an array of values: tensors as DLTensor, numbers and
// strings. The structs are those of TVM-FFI's C ABI (tvm/ffi/c_api.h), declared
// anew. Tested by tools/native_test.sh, tests/native/jaxlib.
#ifndef EYRIE_ABI_NATIVE_XLA_PACKED_FUNCTION_H_
#define EYRIE_ABI_NATIVE_XLA_PACKED_FUNCTION_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "abi/native/tensor_layout.h"
#include "abi/native/xla/packed_tensor.h"
#include "eyrie/xla_ffi.h"

namespace eyrie::native {

// The header of an object that is counted; its own data follows.
struct TvmObject {
  uint64_t counts;
  int32_t type;
  uint32_t unused;
  void (*deleter)(void* self, int flags);
};

struct TvmBytes {
  const char* data;
  size_t size;
};

// A value. Types from kFirstObject on are objects.
struct TvmAny {
  static constexpr int32_t kNothing = 0;
  static constexpr int32_t kInt = 1;
  static constexpr int32_t kBool = 2;
  static constexpr int32_t kFloat = 3;
  static constexpr int32_t kTensorPointer = 7;
  static constexpr int32_t kText = 8;  // ends with a zero byte
  static constexpr int32_t kFirstObject = 64;
  static constexpr int32_t kTensor = 70;

  int32_t type = kNothing;
  uint32_t unused = 0;
  union {
    int64_t integer = 0;
    double number;
    void* pointer;
    const char* text;
    TvmObject* object;
  };
};

struct PackedFunction {
  using Call = int(void* handle, const TvmAny* arguments, int32_t count,
                   TvmAny* result);

  // A part of the arguments.
  struct Item {
    enum class Kind : uint8_t { kArgument, kAttribute, kResult };
    Kind kind;
    size_t index = 0;       // of the handler's argument or result
    std::string name = {};  // of the attribute
    TensorLayout layout;    // of the others
  };

  Call* call = nullptr;
  void* handle = nullptr;
  std::vector<Item> items;
  bool returns = false;        // result 0 is what the function returns
  TensorLayout result_layout;  // of that result
  // The library's own functions.
  void (*take_error)(TvmObject** error) = nullptr;
  int (*drop)(TvmObject* object) = nullptr;
  // Makes an object that owns a tensor, whatever its alignment and strides.
  // Null if the library lacks this function; functions then get pointers.
  int (*make_tensor)(DlManagedTensor* from, int32_t alignment, int32_t dense,
                     TvmObject** object) = nullptr;
};

// The handler, whose context's services have the packed function.
eyrie_ffi_error_t* CallPacked(eyrie_ffi_call_frame_t* frame);

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_XLA_PACKED_FUNCTION_H_
