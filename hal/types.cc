#include "hal/types.h"

#include <span>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace eyrie::hal {
namespace {

struct BitName {
  uint32_t bits;
  absl::string_view name;
};

// Returns the names of the set bits. In `names`, a row of several bits must
// precede the rows of its parts.
std::string BitText(uint32_t value, std::span<const BitName> names) {
  std::string text;
  for (const BitName& row : names) {
    if ((value & row.bits) != row.bits) continue;
    absl::StrAppend(&text, text.empty() ? "" : "|", row.name);
    value &= ~row.bits;
  }
  if (value != 0) {
    absl::StrAppend(&text, text.empty() ? "" : "|", "0x", absl::Hex(value));
  }
  return text.empty() ? "NONE" : text;
}

constexpr BitName kMemoryTypes[] = {
    {memory_type::kDeviceLocal, "DEVICE_LOCAL"},
    {memory_type::kHostLocal, "HOST_LOCAL"},
    {memory_type::kOptimal, "OPTIMAL"},
    {memory_type::kHostVisible, "HOST_VISIBLE"},
    {memory_type::kHostCoherent, "HOST_COHERENT"},
    {memory_type::kHostCached, "HOST_CACHED"},
    {memory_type::kDeviceVisible, "DEVICE_VISIBLE"},
};

constexpr BitName kBufferUsages[] = {
    {buffer_usage::kTransfer, "TRANSFER"},
    {buffer_usage::kTransferSource, "TRANSFER_SOURCE"},
    {buffer_usage::kTransferTarget, "TRANSFER_TARGET"},
    {buffer_usage::kDispatchIndirectParameters, "DISPATCH_INDIRECT_PARAMETERS"},
    {buffer_usage::kDispatchUniformRead, "DISPATCH_UNIFORM_READ"},
    {buffer_usage::kDispatchStorage, "DISPATCH_STORAGE"},
    {buffer_usage::kDispatchStorageRead, "DISPATCH_STORAGE_READ"},
    {buffer_usage::kDispatchStorageWrite, "DISPATCH_STORAGE_WRITE"},
    {buffer_usage::kSharingExport, "SHARING_EXPORT"},
    {buffer_usage::kSharingReplicate, "SHARING_REPLICATE"},
    {buffer_usage::kSharingConcurrent, "SHARING_CONCURRENT"},
    {buffer_usage::kSharingImmutable, "SHARING_IMMUTABLE"},
    {buffer_usage::kMapping, "MAPPING"},
    {buffer_usage::kMappingScoped, "MAPPING_SCOPED"},
    {buffer_usage::kMappingPersistent, "MAPPING_PERSISTENT"},
    {buffer_usage::kMappingOptional, "MAPPING_OPTIONAL"},
};

constexpr BitName kMemoryAccesses[] = {
    {memory_access::kRead, "READ"},
    {memory_access::kWrite, "WRITE"},
    {memory_access::kDiscard, "DISCARD"},
    {memory_access::kMayAlias, "MAY_ALIAS"},
    {memory_access::kUnaligned, "UNALIGNED"},
    {memory_access::kAny, "ANY"},
};

}  // namespace

std::string MemoryTypeText(MemoryType type) {
  return BitText(type, kMemoryTypes);
}

std::string BufferUsageText(BufferUsage usage) {
  return BitText(usage, kBufferUsages);
}

std::string MemoryAccessText(MemoryAccess access) {
  return BitText(access, kMemoryAccesses);
}

}  // namespace eyrie::hal
