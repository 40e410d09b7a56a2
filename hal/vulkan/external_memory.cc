// Exports and imports blocks of memory.
#include "hal/vulkan/external_memory.h"

#include <fcntl.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/checked_math.h"
#include "base/descriptor.h"
#include "base/status_macros.h"
#include "hal/vulkan/buffer.h"
#include "hal/vulkan/memory_block.h"

namespace eyrie::hal::vulkan {
namespace {

constexpr VkMemoryPropertyFlags kSeen =
    VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;

struct KindRow {
  ExternalMemory::Kind kind;
  VkExternalMemoryHandleTypeFlagBits bit;
  const char* extension;  // that the device needs
  const char* name;
};

constexpr KindRow kKinds[] = {
    {ExternalMemory::Kind::kOpaqueFd,
     VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT,
     VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME, "opaque descriptors"},
    {ExternalMemory::Kind::kDmaBuf,
     VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT,
     VK_EXT_EXTERNAL_MEMORY_DMA_BUF_EXTENSION_NAME, "dma-bufs"},
};

// Returns the row of a kind that the device can export or import.
absl::StatusOr<const KindRow*> FindKind(const LogicalDevice& device,
                                        ExternalMemory::Kind kind,
                                        VkExternalMemoryFeatureFlagBits needed,
                                        ExternalUse& use) {
  for (const KindRow& row : kKinds) {
    if (row.kind != kind) continue;
    VkPhysicalDeviceExternalBufferInfo info = {};
    info.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_BUFFER_INFO;
    info.usage = MemoryBlock::UsageOn(device);
    info.handleType = row.bit;
    VkExternalBufferProperties found = {};
    found.sType = VK_STRUCTURE_TYPE_EXTERNAL_BUFFER_PROPERTIES;
    const PhysicalDevice& physical = device.physical();
    if (physical.HasExtension(VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME) &&
        physical.HasExtension(row.extension)) {
      vkGetPhysicalDeviceExternalBufferProperties(physical.handle, &info,
                                                  &found);
    }
    const VkExternalMemoryFeatureFlags features =
        found.externalMemoryProperties.externalMemoryFeatures;
    if ((features & needed) == 0) {
      return absl::UnimplementedError(absl::StrCat(
          "The Vulkan device '", physical.name, "' cannot ",
          needed == VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT ? "export"
                                                              : "import",
          " memory as ", row.name, "."));
    }
    use.handle = row.bit;
    use.is_dedicated =
        (features & VK_EXTERNAL_MEMORY_FEATURE_DEDICATED_ONLY_BIT) != 0;
    return &row;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("The kind of external memory (", static_cast<int>(kind),
                   ") is not opaque (1) or dma-buf (2)."));
}

// Returns the bytes of the memory up to the end of an array: whole words, which
// is what devices copy, and at least one.
absl::StatusOr<uint64_t> ExtentOf(uint64_t size, const ExternalMemory& memory) {
  constexpr uint64_t kWord = 4;
  const uint64_t end = std::max(memory.offset + size, uint64_t{1});
  const auto extent = CheckedAlignUp<uint64_t>(end, kWord);
  if (extent && *extent <= memory.size) return *extent;
  return absl::InvalidArgumentError(
      absl::StrCat("An array of ", size, " bytes at offset ", memory.offset,
                   " needs whole words of ", kWord,
                   " bytes, at least one; the external "
                   "memory has ",
                   memory.size, " bytes."));
}

absl::Status CheckDescription(const LogicalDevice& device, uint64_t size,
                              const ExternalMemory& memory) {
  const uint64_t alignment = Granularity(device);
  if (!RangeFits(memory.offset, size, memory.size)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "An array of ", size, " bytes at offset ", memory.offset,
        " exceeds the external memory (", memory.size, " bytes)."));
  }
  if (memory.offset % alignment != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("The offset in external memory (", memory.offset,
                     ") is not a multiple of ", alignment, "."));
  }
  const uint32_t types = device.physical().memory.memoryTypeCount;
  if (memory.kind == ExternalMemory::Kind::kOpaqueFd &&
      memory.memory_type >= types) {
    return absl::InvalidArgumentError(absl::StrCat(
        "The memory type (", memory.memory_type,
        ") is not below the device's number of types (", types, ")."));
  }
  return absl::OkStatus();
}

Ref<hal::Buffer> BufferOver(std::shared_ptr<MemoryBlock> block,
                            const BufferParams& params, uint64_t offset,
                            uint64_t size) {
  BufferParams resolved = params;
  resolved.type |= memory_type::kHostVisible | memory_type::kHostCoherent |
                   memory_type::kDeviceVisible;
  if (resolved.access == 0) resolved.access = memory_access::kAll;
  resolved.usage |= buffer_usage::kMapping | buffer_usage::kTransfer;
  const std::span<uint8_t> bytes(block->host() + offset, size);
  return MakeRef<ImportedBuffer>(resolved, std::move(block), bytes, nullptr);
}

}  // namespace

absl::StatusOr<Ref<hal::Buffer>> ExportBuffer(
    const std::shared_ptr<LogicalDevice>& device, const BufferParams& params,
    uint64_t size, ExternalMemory& memory) {
  RETURN_IF_ERROR(device->CheckProcess());
  ExternalUse use;
  RETURN_IF_ERROR(FindKind(*device, memory.kind,
                           VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT, use)
                      .status());
  const std::optional<uint64_t> whole = CheckedAlignUp<uint64_t>(
      std::max(size, uint64_t{1}), Granularity(*device));
  if (!whole || *whole > device->physical().max_allocation) {
    return absl::ResourceExhaustedError(
        absl::StrCat("An array of ", size,
                     " bytes exceeds what the device allocates at "
                     "once (",
                     device->physical().max_allocation, " bytes)."));
  }
  ASSIGN_OR_RETURN(std::shared_ptr<MemoryBlock> block,
                   MemoryBlock::CreateExternal(device, *whole, use, kSeen));
  ASSIGN_OR_RETURN(Descriptor descriptor, block->Export(use));
  std::memset(block->host(), 0, *whole);
  memory.memory_type = use.memory_type;
  memory.size = use.size;
  memory.offset = 0;
  memory.descriptor = descriptor.release();
  return BufferOver(std::move(block), params, 0, size);
}

absl::StatusOr<Ref<hal::Buffer>> ImportBuffer(
    const std::shared_ptr<LogicalDevice>& device, const BufferParams& params,
    uint64_t size, const ExternalMemory& memory) {
  RETURN_IF_ERROR(device->CheckProcess());
  ExternalUse use;
  RETURN_IF_ERROR(FindKind(*device, memory.kind,
                           VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT, use)
                      .status());
  RETURN_IF_ERROR(CheckDescription(*device, size, memory));
  use.memory_type = memory.memory_type;
  use.size = memory.size;
  use.descriptor.reset(fcntl(memory.descriptor, F_DUPFD_CLOEXEC, 0));
  if (!use.descriptor.is_open()) {
    return absl::InvalidArgumentError(
        absl::StrCat("Descriptor ", memory.descriptor,
                     " of the external memory is not open."));
  }
  ASSIGN_OR_RETURN(const uint64_t extent, ExtentOf(size, memory));
  ASSIGN_OR_RETURN(std::shared_ptr<MemoryBlock> block,
                   MemoryBlock::CreateExternal(device, extent, use, kSeen));
  return BufferOver(std::move(block), params, memory.offset, size);
}

}  // namespace eyrie::hal::vulkan
