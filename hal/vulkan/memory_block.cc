// Allocates and imports blocks of device memory.
#include "hal/vulkan/memory_block.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace eyrie::hal::vulkan {
namespace {

uint64_t NewSerial() {
  static std::atomic<uint64_t> next{1};
  return next.fetch_add(1, std::memory_order_relaxed);
}

constexpr VkBufferUsageFlags kUsage =
    VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
    VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
    VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT;

// Returns the error for memory of another user that the driver refuses.
absl::Status RefusedUnlessExhausted(const absl::Status& status) {
  if (status.ok() || absl::IsResourceExhausted(status)) return status;
  return absl::InvalidArgumentError(absl::StrCat(
      "The driver refuses the external memory. ", status.message()));
}

}  // namespace

uint64_t Granularity(const LogicalDevice& device) {
  const VkPhysicalDeviceLimits& limits = device.limits();
  return std::max({uint64_t{64}, limits.minStorageBufferOffsetAlignment,
                   limits.minUniformBufferOffsetAlignment,
                   limits.nonCoherentAtomSize});
}

int FindMemoryType(const VkPhysicalDeviceMemoryProperties& memory,
                   uint32_t types, VkMemoryPropertyFlags required,
                   VkMemoryPropertyFlags wanted) {
  constexpr VkMemoryPropertyFlags kNever =
      VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT |
      VK_MEMORY_PROPERTY_PROTECTED_BIT;
  int best = -1;
  int best_score = -1;
  for (uint32_t i = 0; i < memory.memoryTypeCount; ++i) {
    const VkMemoryPropertyFlags flags = memory.memoryTypes[i].propertyFlags;
    if ((types >> i & 1) == 0 || (flags & required) != required ||
        (flags & kNever) != 0) {
      continue;
    }
    const int score = __builtin_popcount(flags & wanted);
    if (score <= best_score) continue;
    best = static_cast<int>(i);
    best_score = score;
  }
  return best;
}

VkBufferUsageFlags MemoryBlock::UsageOn(const LogicalDevice& device) {
  return kUsage |
         (device.has_addresses() ? VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT
                                 : 0);
}

MemoryBlock::MemoryBlock(std::shared_ptr<LogicalDevice> device, uint64_t size)
    : device_(std::move(device)), size_(size), serial_(NewSerial()) {}

MemoryBlock::~MemoryBlock() {
  const VolkDeviceTable& fn = device_->fn();
  fn.vkDestroyBuffer(device_->handle(), buffer_, nullptr);
  fn.vkFreeMemory(device_->handle(), memory_, nullptr);
}

absl::Status MemoryBlock::CreateBuffer(const void* next) {
  VkBufferCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.pNext = next;
  info.size = size_;
  info.usage = UsageOn(*device_);
  return Check(
      device_->fn().vkCreateBuffer(device_->handle(), &info, nullptr, &buffer_),
      "vkCreateBuffer");
}

absl::Status MemoryBlock::Bind(const VkMemoryAllocateInfo& info) {
  const VolkDeviceTable& fn = device_->fn();
  VkMemoryAllocateFlagsInfo flags = {};
  flags.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO;
  flags.pNext = info.pNext;
  flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
  VkMemoryAllocateInfo all = info;
  if (device_->has_addresses()) all.pNext = &flags;
  RETURN_IF_ERROR(
      Check(fn.vkAllocateMemory(device_->handle(), &all, nullptr, &memory_),
            "vkAllocateMemory"));
  RETURN_IF_ERROR(
      Check(fn.vkBindBufferMemory(device_->handle(), buffer_, memory_, 0),
            "vkBindBufferMemory"));
  if (device_->has_addresses()) {
    VkBufferDeviceAddressInfo address = {};
    address.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO;
    address.buffer = buffer_;
    address_ = fn.vkGetBufferDeviceAddress(device_->handle(), &address);
  }
  device_->SetName(VK_OBJECT_TYPE_BUFFER, buffer_,
                   absl::StrCat("block ", serial_));
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<MemoryBlock>> MemoryBlock::Create(
    std::shared_ptr<LogicalDevice> device, uint32_t memory_type, uint64_t size,
    bool map) {
  std::shared_ptr<MemoryBlock> block(new MemoryBlock(std::move(device), size));
  const LogicalDevice& owner = *block->device_;
  RETURN_IF_ERROR(block->CreateBuffer(nullptr));
  VkMemoryRequirements needs;
  owner.fn().vkGetBufferMemoryRequirements(owner.handle(), block->buffer_,
                                           &needs);
  if ((needs.memoryTypeBits & (1u << memory_type)) == 0) {
    return absl::InternalError(absl::StrCat(
        "Buffers cannot lie in the device's memory type ", memory_type, "."));
  }
  VkMemoryAllocateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  info.allocationSize = needs.size;
  info.memoryTypeIndex = memory_type;
  RETURN_IF_ERROR(block->Bind(info));
  if (map) RETURN_IF_ERROR(block->MapAll());
  block->free_[0] = size;
  return block;
}

absl::Status MemoryBlock::MapAll() {
  void* host = nullptr;
  RETURN_IF_ERROR(Check(device_->fn().vkMapMemory(device_->handle(), memory_, 0,
                                                  VK_WHOLE_SIZE, 0, &host),
                        "vkMapMemory"));
  host_ = static_cast<uint8_t*>(host);
  return absl::OkStatus();
}

absl::StatusOr<uint32_t> MemoryBlock::ExternalTypes(
    const ExternalUse& use) const {
  if (!use.descriptor.is_open()) return ~uint32_t{0};
  if (use.handle == VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT) {
    return uint32_t{1} << use.memory_type;
  }
  VkMemoryFdPropertiesKHR found = {};
  found.sType = VK_STRUCTURE_TYPE_MEMORY_FD_PROPERTIES_KHR;
  RETURN_IF_ERROR(RefusedUnlessExhausted(
      Check(device_->fn().vkGetMemoryFdPropertiesKHR(
                device_->handle(), use.handle, use.descriptor.get(), &found),
            "vkGetMemoryFdPropertiesKHR")));
  return found.memoryTypeBits;
}

absl::Status MemoryBlock::BindExternal(ExternalUse& use) {
  VkMemoryDedicatedAllocateInfo dedicated = {};
  dedicated.sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO;
  dedicated.buffer = buffer_;
  VkImportMemoryFdInfoKHR import = {};
  import.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR;
  import.pNext = use.is_dedicated ? &dedicated : nullptr;
  import.handleType = use.handle;
  import.fd = use.descriptor.get();
  VkExportMemoryAllocateInfo exported = {};
  exported.sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO;
  exported.pNext = use.is_dedicated ? &dedicated : nullptr;
  exported.handleTypes = use.handle;
  VkMemoryAllocateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  info.pNext =
      use.descriptor.is_open() ? static_cast<const void*>(&import) : &exported;
  info.allocationSize = use.size;
  info.memoryTypeIndex = use.memory_type;
  absl::Status bound = Bind(info);
  // The memory owns the descriptor, even if it cannot be bound.
  if (memory_ != VK_NULL_HANDLE) (void)use.descriptor.release();
  return bound;
}

absl::StatusOr<std::shared_ptr<MemoryBlock>> MemoryBlock::CreateExternal(
    std::shared_ptr<LogicalDevice> device, uint64_t size, ExternalUse& use,
    VkMemoryPropertyFlags flags) {
  std::shared_ptr<MemoryBlock> block(new MemoryBlock(std::move(device), size));
  const LogicalDevice& owner = *block->device_;
  VkExternalMemoryBufferCreateInfo external = {};
  external.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO;
  external.handleTypes = use.handle;
  RETURN_IF_ERROR(block->CreateBuffer(&external));
  VkMemoryRequirements needs;
  owner.fn().vkGetBufferMemoryRequirements(owner.handle(), block->buffer_,
                                           &needs);
  ASSIGN_OR_RETURN(const uint32_t types, block->ExternalTypes(use));
  const int type = FindMemoryType(owner.physical().memory,
                                  types & needs.memoryTypeBits, flags, 0);
  if (type < 0) {
    return absl::UnimplementedError(
        "The external memory is of a type that the host cannot see.");
  }
  use.memory_type = static_cast<uint32_t>(type);
  const bool imports = use.descriptor.is_open();
  if (!imports) use.size = needs.size;
  if (needs.size > use.size) {
    return absl::InvalidArgumentError(
        absl::StrCat("The external memory has ", use.size,
                     " bytes; the device needs ", needs.size, "."));
  }
  const absl::Status bound = block->BindExternal(use);
  RETURN_IF_ERROR(imports ? RefusedUnlessExhausted(bound) : bound);
  RETURN_IF_ERROR(block->MapAll());
  return block;
}

absl::StatusOr<Descriptor> MemoryBlock::Export(const ExternalUse& use) const {
  VkMemoryGetFdInfoKHR info = {};
  info.sType = VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR;
  info.memory = memory_;
  info.handleType = use.handle;
  int descriptor = -1;
  RETURN_IF_ERROR(Check(
      device_->fn().vkGetMemoryFdKHR(device_->handle(), &info, &descriptor),
      "vkGetMemoryFdKHR"));
  return Descriptor(descriptor);
}

absl::StatusOr<std::shared_ptr<MemoryBlock>> MemoryBlock::Import(
    std::shared_ptr<LogicalDevice> device, std::span<uint8_t> pages) {
  constexpr VkExternalMemoryHandleTypeFlagBits kKind =
      VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
  std::shared_ptr<MemoryBlock> block(
      new MemoryBlock(std::move(device), pages.size()));
  const LogicalDevice& owner = *block->device_;
  VkMemoryHostPointerPropertiesEXT found = {};
  found.sType = VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT;
  VkExternalMemoryBufferCreateInfo external = {};
  external.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO;
  external.handleTypes = kKind;
  if (owner.fn().vkGetMemoryHostPointerPropertiesEXT(
          owner.handle(), kKind, pages.data(), &found) < 0 ||
      !block->CreateBuffer(&external).ok()) {
    return absl::UnavailableError("The device cannot use this memory.");
  }
  VkMemoryRequirements needs;
  owner.fn().vkGetBufferMemoryRequirements(owner.handle(), block->buffer_,
                                           &needs);
  uint32_t types = found.memoryTypeBits & needs.memoryTypeBits;
  // The device must see the host's writes without an explicit flush.
  for (uint32_t i = 0; i < owner.physical().memory.memoryTypeCount; ++i) {
    if ((owner.physical().memory.memoryTypes[i].propertyFlags &
         VK_MEMORY_PROPERTY_HOST_COHERENT_BIT) == 0) {
      types &= ~(1u << i);
    }
  }
  if (types == 0 || needs.size > pages.size()) {
    return absl::UnavailableError("The device cannot use this memory.");
  }
  VkImportMemoryHostPointerInfoEXT import = {};
  import.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT;
  import.handleType = kKind;
  import.pHostPointer = pages.data();
  VkMemoryAllocateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  info.pNext = &import;
  info.allocationSize = pages.size();
  info.memoryTypeIndex = static_cast<uint32_t>(__builtin_ctz(types));
  const absl::Status bound = block->Bind(info);
  if (!bound.ok()) return absl::UnavailableError(bound.message());
  block->host_ = pages.data();
  return block;
}

DeviceRange MemoryBlock::Range(uint64_t offset, uint64_t capacity) const {
  return {buffer_, offset, capacity, address_ == 0 ? 0 : address_ + offset,
          serial_};
}

std::optional<uint64_t> MemoryBlock::Take(uint64_t size) {
  std::lock_guard<std::mutex> lock(mutex_);
  for (auto it = free_.begin(); it != free_.end(); ++it) {
    const auto [offset, length] = *it;
    if (length < size) continue;
    free_.erase(it);
    if (length > size) free_[offset + size] = length - size;
    return offset;
  }
  return std::nullopt;
}

void MemoryBlock::Give(uint64_t offset, uint64_t size) {
  std::lock_guard<std::mutex> lock(mutex_);
  auto next = free_.lower_bound(offset);
  if (next != free_.end() && next->first == offset + size) {
    size += next->second;
    next = free_.erase(next);
  }
  if (next != free_.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second == offset) {
      before->second += size;
      return;
    }
  }
  free_[offset] = size;
}

}  // namespace eyrie::hal::vulkan
