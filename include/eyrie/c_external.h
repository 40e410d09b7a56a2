/* Memory that a Vulkan device shares with other users of Vulkan, in this
 * process or another one, by file descriptors.
 *
 *   eyrie_external_memory_t memory = {.struct_size = sizeof(memory),
 *                                     .kind = EYRIE_EXTERNAL_OPAQUE_FD};
 *   error = eyrie_value_new_exported(device, EYRIE_DTYPE_F32, 2, shape,
 *                                    &memory, &array);
 */
#ifndef EYRIE_C_EXTERNAL_H_
#define EYRIE_C_EXTERNAL_H_

#include "eyrie/c.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The kinds of descriptors. */
typedef int32_t eyrie_external_kind_t;
enum {
  /* VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT: for the same device and
   * driver. */
  EYRIE_EXTERNAL_OPAQUE_FD = 1,
  /* VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT */
  EYRIE_EXTERNAL_DMA_BUF = 2,
};

/* Memory of a VkDeviceMemory, and the place of an array in it. */
typedef struct eyrie_external_memory_t {
  size_t struct_size; /* set by the caller */
  eyrie_external_kind_t kind;
  int32_t descriptor;
  uint32_t memory_type; /* VkMemoryAllocateInfo::memoryTypeIndex; unused for
                         * dma-bufs */
  uint64_t size;        /* VkMemoryAllocateInfo::allocationSize, in bytes */
  uint64_t offset;      /* of the array, in bytes */
} eyrie_external_memory_t;

/* There is no shared semaphore: a user must wait until the other one's work is
 * complete (eyrie_fence_wait, vkWaitSemaphores) before it accesses the memory.
 * docs/embedding.md joins fences and timeline semaphores. */

/* Creates an array of zeros in memory of its own, and exports that memory. The
 * caller sets `kind` in `memory`, which receives all else, and must close the
 * descriptor or give it to Vulkan. Results of calls reach the array if it is
 * one of the `outs` of a call; arguments are read in place if it is lent
 * (EYRIE_ACCESS_LEND).
 *
 * UNIMPLEMENTED: the device is not a Vulkan device, or its driver cannot export
 * memory of this kind. INVALID_ARGUMENT: the kind, the shape, the dtype or
 * struct_size. RESOURCE_EXHAUSTED: no memory. */
EYRIE_EXPORT EYRIE_CHECK eyrie_error_t* eyrie_value_new_exported(
    eyrie_device_t* device, eyrie_dtype_t dtype, size_t rank,
    const int64_t* shape, eyrie_external_memory_t* memory,
    eyrie_value_t** out_value);

/* Creates an array over memory that Vulkan exported (vkGetMemoryFdKHR). If this
 * succeeds, it takes the descriptor. The description must be true: the
 * driver trusts it. The memory must be one that the host can see
 * (VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT and _HOST_COHERENT_BIT). The offset must
 * be a multiple of the largest of 64 and the device's limits
 * nonCoherentAtomSize, minStorageBufferOffsetAlignment and
 * minUniformBufferOffsetAlignment, which are powers of two.
 *
 * UNIMPLEMENTED: the device is not a Vulkan device, its driver cannot import
 * memory of this kind, or the host cannot see the memory. INVALID_ARGUMENT: as
 * above, or the array exceeds the memory, its offset is not aligned, or the
 * driver refuses the descriptor. */
EYRIE_EXPORT EYRIE_CHECK eyrie_error_t* eyrie_value_new_imported(
    eyrie_device_t* device, eyrie_dtype_t dtype, size_t rank,
    const int64_t* shape, const eyrie_external_memory_t* memory,
    eyrie_value_t** out_value);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* EYRIE_C_EXTERNAL_H_ */
