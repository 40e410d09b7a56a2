// Records all commands except dispatches, which are in record_dispatch.cc.
#include "hal/vulkan/recorder.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "hal/vulkan/buffer.h"

namespace eyrie::hal::vulkan {
namespace {

// The limit of vkCmdUpdateBuffer.
constexpr uint64_t kMaxUpdate = 65536;
// The most that one dispatch of the fill shader covers: workgroups of 64 words
// in x, minus a margin for an unaligned offset.
constexpr uint64_t kFillWorkgroup = 256;
constexpr uint64_t kMaxShaderFill = kFillWorkgroup * 65535 - 8;
// If a fill up to this size has an odd part, the shader does all of it.
constexpr uint64_t kOddFill = 64 << 10;

constexpr VkPipelineStageFlags kStages = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT |
                                         VK_PIPELINE_STAGE_TRANSFER_BIT |
                                         VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT;

}  // namespace

Recorder::Recorder(const RecorderContext& context, NativeCommands& target,
                   std::span<const BufferBinding> table)
    : device_(context.device),
      fn_(context.device.fn()),
      allocator_(context.allocator),
      fill_(context.fill),
      target_(target),
      handle_(target.handle()),
      table_(table) {}

absl::Status Recorder::Record(const CommandBuffer& commands) {
  for (const Command* command = commands.begin(); command != nullptr;
       command = commands.Next(command)) {
    RETURN_IF_ERROR(RecordOne(*command));
  }
  // The host reads and writes after the completion is signalled.
  target_.AddBarrier(kStages, VK_PIPELINE_STAGE_HOST_BIT,
                     VK_ACCESS_HOST_READ_BIT | VK_ACCESS_HOST_WRITE_BIT);
  target_.set_can_be_patched(!is_fixed_);
  return target_.End();
}

absl::Status Recorder::RecordOne(const Command& command) {
  switch (command.kind) {
    case CommandKind::kBarrier:
      OrderCommands();
      return absl::OkStatus();
    case CommandKind::kFill:
      return RecordFill(static_cast<const FillCommand&>(command));
    case CommandKind::kUpdate:
      return RecordUpdate(static_cast<const UpdateCommand&>(command));
    case CommandKind::kCopy:
      return RecordCopy(static_cast<const CopyCommand&>(command));
    case CommandKind::kCollective:
      return absl::UnimplementedError(
          "Collectives do not run on Vulkan devices.");
    case CommandKind::kDispatch:
    case CommandKind::kDispatchIndirect:
      return RecordDispatch(static_cast<const DispatchCommand&>(command));
  }
  return UnknownCommand(command);
}

void Recorder::OrderCommands() {
  target_.AddBarrier(kStages, kStages,
                     VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT);
}

absl::StatusOr<BoundRange> Recorder::Find(const RecordedRef& ref) const {
  const LocatedRange located = Locate(ref, table_);
  const DeviceRange* const range = RangeOf(device_, located.buffer);
  if (range == nullptr) [[unlikely]] {
    return absl::FailedPreconditionError(
        absl::StrCat("A buffer of ", located.buffer.byte_length(),
                     " bytes is not in the memory of this Vulkan device."));
  }
  const uint64_t offset = located.buffer.byte_offset() + located.offset;
  return BoundRange{range->buffer, range->offset + offset, located.length,
                    range->capacity - offset, range->address + offset};
}

absl::StatusOr<Ref<hal::Buffer>> Recorder::Staging(uint64_t size) {
  ASSIGN_OR_RETURN(Ref<hal::Buffer> staging, allocator_.AllocateStaging(size));
  target_.Keep(staging);
  return staging;
}

absl::Status Recorder::RecordFill(const FillCommand& command) {
  ASSIGN_OR_RETURN(const BoundRange target, Resolve(command.target));
  const uint64_t pattern = command.pattern;
  // vkCmdFillBuffer fills only whole words, all with one value.
  const uint64_t head = std::min(target.length, (4 - target.offset % 4) % 4);
  const uint64_t words = (target.length - head) / 4 * 4;
  const bool is_odd = words != target.length && target.length <= kOddFill;
  if (command.pattern_length > 4 || is_odd) {
    return FillByShader(target, 0, target.length, pattern);
  }
  RETURN_IF_ERROR(FillByShader(target, 0, head, pattern));
  if (words != 0) {
    fn_.vkCmdFillBuffer(
        handle_, target.buffer, target.offset + head, words,
        static_cast<uint32_t>(std::rotr(pattern, static_cast<int>(head * 8))));
  }
  const uint64_t tail = head + words;
  if (words != 0 && tail != target.length) {
    // The shader's binding may overlap the words just filled, and tools treat
    // all of it as written.
    OrderCommands();
  }
  return FillByShader(target, tail, target.length - tail,
                      std::rotr(pattern, static_cast<int>(tail % 8 * 8)));
}

absl::Status Recorder::FillByShader(const BoundRange& target, uint64_t begin,
                                    uint64_t length, uint64_t pattern) {
  const uint64_t alignment =
      std::max<uint64_t>(device_.limits().minStorageBufferOffsetAlignment, 4);
  // A multiple of 8 bytes, the pattern's size, so that each piece starts at the
  // same phase.
  const uint64_t most = device_.limits().maxStorageBufferRange;
  const uint64_t piece = std::min<uint64_t>(
      kMaxShaderFill, most / 8 * 8 - 2 * std::max<uint64_t>(alignment, 8));
  for (uint64_t done = 0; done < length;) {
    const uint64_t count = std::min(length - done, piece / 8 * 8);
    const uint64_t at = target.offset + begin + done;
    const uint64_t base = at / alignment * alignment;
    const auto first = static_cast<uint32_t>(at - base);
    const VkDescriptorBufferInfo words = {target.buffer, base,
                                          (first + count + 3) / 4 * 4};
    const uint32_t range[] = {first, static_cast<uint32_t>(first + count),
                              first / 4, static_cast<uint32_t>(pattern),
                              static_cast<uint32_t>(pattern >> 32)};
    bound_ = fill_.handle();
    fn_.vkCmdBindPipeline(handle_, VK_PIPELINE_BIND_POINT_COMPUTE, bound_);
    RETURN_IF_ERROR(BindSet(fill_.layout(), {&words, 1}));
    fn_.vkCmdPushConstants(handle_, fill_.layout().handle(),
                           VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(range),
                           range);
    const uint64_t touched = first % 4 + count;
    fn_.vkCmdDispatch(
        handle_,
        static_cast<uint32_t>((touched + kFillWorkgroup - 1) / kFillWorkgroup),
        1, 1);
    done += count;
  }
  return absl::OkStatus();
}

absl::Status Recorder::RecordUpdate(const UpdateCommand& command) {
  ASSIGN_OR_RETURN(const BoundRange target, Resolve(command.target));
  if ((target.offset | target.length) % 4 == 0) {
    for (uint64_t done = 0; done < target.length; done += kMaxUpdate) {
      fn_.vkCmdUpdateBuffer(handle_, target.buffer, target.offset + done,
                            std::min(kMaxUpdate, target.length - done),
                            command.data() + done);
    }
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const Ref<hal::Buffer> staging, Staging(target.length));
  std::memcpy(staging->host_data(), command.data(), target.length);
  const DeviceRange& source = *RangeOf(device_, *staging);
  const VkBufferCopy copy = {source.offset, target.offset, target.length};
  fn_.vkCmdCopyBuffer(handle_, source.buffer, target.buffer, 1, &copy);
  return absl::OkStatus();
}

absl::Status Recorder::RecordCopy(const CopyCommand& command) {
  ASSIGN_OR_RETURN(BoundRange source, Resolve(command.source));
  ASSIGN_OR_RETURN(const BoundRange target, Resolve(command.target));
  if (source.length != target.length) [[unlikely]] {
    return absl::InvalidArgumentError(
        absl::StrCat("A copy's source has ", source.length,
                     " bytes and its target ", target.length, "."));
  }
  if (source.length == 0) return absl::OkStatus();
  const bool overlaps = source.buffer == target.buffer &&
                        source.offset < target.offset + target.length &&
                        target.offset < source.offset + source.length;
  if (overlaps) {
    // Ranges of two table slots may overlap, because no check has compared
    // them.
    ASSIGN_OR_RETURN(const Ref<hal::Buffer> staging, Staging(source.length));
    const DeviceRange& between = *RangeOf(device_, *staging);
    const VkBufferCopy copy = {source.offset, between.offset, source.length};
    fn_.vkCmdCopyBuffer(handle_, source.buffer, between.buffer, 1, &copy);
    OrderCommands();
    source.buffer = between.buffer;
    source.offset = between.offset;
  }
  const VkBufferCopy copy = {source.offset, target.offset, target.length};
  fn_.vkCmdCopyBuffer(handle_, source.buffer, target.buffer, 1, &copy);
  return absl::OkStatus();
}

}  // namespace eyrie::hal::vulkan
