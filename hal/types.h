// Bit sets and small structs of the HAL. The values are those that compiled
// modules pass as integers.
//
// Source of the values: IREE's runtime/src/iree/hal/{buffer,command_buffer}.h.
#ifndef EYRIE_HAL_TYPES_H_
#define EYRIE_HAL_TYPES_H_

#include <cstdint>
#include <string>

namespace eyrie {
class WorkBudget;
}

namespace eyrie::hal {

// The place of memory, and whether host and device can see it.
using MemoryType = uint32_t;
namespace memory_type {
inline constexpr MemoryType kNone = 0;
inline constexpr MemoryType kOptimal = 1u << 0;
inline constexpr MemoryType kHostVisible = 1u << 1;
inline constexpr MemoryType kHostCoherent = 1u << 2;
inline constexpr MemoryType kHostCached = 1u << 3;
inline constexpr MemoryType kHostLocal = kHostVisible | kHostCoherent | 1u << 6;
inline constexpr MemoryType kDeviceVisible = 1u << 4;
inline constexpr MemoryType kDeviceLocal = kDeviceVisible | 1u << 5;
}  // namespace memory_type

// The allowed uses of a buffer.
using BufferUsage = uint32_t;
namespace buffer_usage {
inline constexpr BufferUsage kNone = 0;
inline constexpr BufferUsage kTransferSource = 1u << 0;
inline constexpr BufferUsage kTransferTarget = 1u << 1;
inline constexpr BufferUsage kTransfer = kTransferSource | kTransferTarget;
inline constexpr BufferUsage kDispatchIndirectParameters = 1u << 8;
inline constexpr BufferUsage kDispatchUniformRead = 1u << 9;
inline constexpr BufferUsage kDispatchStorageRead = 1u << 10;
inline constexpr BufferUsage kDispatchStorageWrite = 1u << 11;
inline constexpr BufferUsage kDispatchStorage =
    kDispatchStorageRead | kDispatchStorageWrite;
inline constexpr BufferUsage kSharingExport = 1u << 16;
inline constexpr BufferUsage kSharingReplicate = 1u << 17;
inline constexpr BufferUsage kSharingConcurrent = 1u << 18;
inline constexpr BufferUsage kSharingImmutable = 1u << 19;
inline constexpr BufferUsage kMappingScoped = 1u << 24;
inline constexpr BufferUsage kMappingPersistent = 1u << 25;
inline constexpr BufferUsage kMappingOptional = 1u << 26;
inline constexpr BufferUsage kMapping = kMappingScoped | kMappingPersistent;
inline constexpr BufferUsage kDefault = kTransfer | kDispatchStorage;
}  // namespace buffer_usage

// The allowed accesses to a buffer's contents.
using MemoryAccess = uint32_t;
namespace memory_access {
inline constexpr MemoryAccess kNone = 0;
inline constexpr MemoryAccess kRead = 1u << 0;
inline constexpr MemoryAccess kWrite = 1u << 1;
inline constexpr MemoryAccess kDiscard = 1u << 2;
inline constexpr MemoryAccess kDiscardWrite = kWrite | kDiscard;
inline constexpr MemoryAccess kMayAlias = 1u << 3;
inline constexpr MemoryAccess kUnaligned = 1u << 4;
inline constexpr MemoryAccess kAny = 1u << 5;
inline constexpr MemoryAccess kAll = kRead | kWrite | kDiscard;
}  // namespace memory_access

// The queues of a device that may run an operation; bit i is queue i.
using QueueAffinity = uint64_t;
inline constexpr QueueAffinity kAnyQueue = ~QueueAffinity{0};

// A length that means "from the offset to the end of the buffer".
inline constexpr uint64_t kWholeBuffer = ~uint64_t{0};

// The requested properties of a new buffer.
struct BufferParams {
  MemoryType type = memory_type::kDeviceLocal;
  MemoryAccess access = memory_access::kAll;
  BufferUsage usage = buffer_usage::kDefault;
  QueueAffinity affinity = kAnyQueue;
  // An id from Allocator::NewOwner. The buffer may contain bytes that earlier
  // buffers of the same owner had, which saves clearing them. 0: always zeros.
  uint64_t owner = 0;
  // Pays for pages that are committed or cleared now; null: nothing limits
  // that. Buffers do not keep it.
  WorkBudget* work = nullptr;
};

// The owner of a buffer whose contents are undefined. The caller must write all
// of it before a module or the host can read it.
inline constexpr uint64_t kOverwritten = ~uint64_t{0};

// Return bits as text: "HOST_VISIBLE|DEVICE_LOCAL", or "NONE" for 0. Bits
// without a name are in hexadecimal.
std::string MemoryTypeText(MemoryType type);
std::string BufferUsageText(BufferUsage usage);
std::string MemoryAccessText(MemoryAccess access);

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_TYPES_H_
