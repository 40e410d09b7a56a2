// Memory that a Vulkan device shares with other users of Vulkan.
//
//   auto shared = eyrie::ExportArray(*device, EYRIE_EXTERNAL_OPAQUE_FD,
//                                    EYRIE_DTYPE_F32, {640, 480});
//   Use(shared->memory);  // by another user of Vulkan; has the descriptor
//   auto drawn = draw->CallOut({shared->array}, {scene});
// See c_external.h.
#ifndef EYRIE_EXTERNAL_H_
#define EYRIE_EXTERNAL_H_

#include <cstdint>

#include "eyrie/array.h"
#include "eyrie/c_external.h"
#include "eyrie/device.h"
#include "eyrie/result.h"
#include "eyrie/value.h"

namespace eyrie {

// An array, and the memory that it is in.
struct ExportedArray {
  Value array;
  eyrie_external_memory_t memory;  // the caller owns the descriptor
};

// Creates an array of zeros in memory of its own, and exports that memory.
// Returns the errors of eyrie_value_new_exported.
inline Result<ExportedArray> ExportArray(const Device& device,
                                         eyrie_external_kind_t kind,
                                         eyrie_dtype_t dtype,
                                         RowOf<int64_t> shape) {
  eyrie_external_memory_t memory = {};
  memory.struct_size = sizeof(memory);
  memory.kind = kind;
  eyrie_value_t* value = nullptr;
  if (eyrie_error_t* error = eyrie_value_new_exported(
          device.get(), dtype, shape.size(), shape.data(), &memory, &value)) {
    return Error(error);
  }
  return ExportedArray{Value::Adopt(value), memory};
}

// Creates an array over memory that Vulkan exported, and takes the descriptor
// if that succeeds. Returns the errors of eyrie_value_new_imported.
inline Result<Value> ImportArray(const Device& device, eyrie_dtype_t dtype,
                                 RowOf<int64_t> shape,
                                 const eyrie_external_memory_t& memory) {
  eyrie_value_t* value = nullptr;
  if (eyrie_error_t* error = eyrie_value_new_imported(
          device.get(), dtype, shape.size(), shape.data(), &memory, &value)) {
    return Error(error);
  }
  return Value::Adopt(value);
}

}  // namespace eyrie

#endif  // EYRIE_EXTERNAL_H_
