// Records dispatches: bindings, constants and workgroup counts.
// Tested by device_test.cc.
#include <algorithm>
#include <cstring>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "hal/vulkan/buffer.h"
#include "hal/vulkan/recorder.h"

namespace eyrie::hal::vulkan {
namespace {

using Descriptors = absl::InlinedVector<VkDescriptorBufferInfo, 8>;
using Writes = absl::InlinedVector<VkWriteDescriptorSet, 8>;

// For kBufferAddresses: pushed before the constants.
struct AddressRoot {
  uint64_t table;
  uint64_t constants = 0;
  uint32_t first_binding = 0;
  uint32_t first_constant = 0;
  uint32_t flags = 0;
  uint32_t reserved = 0;
};
static_assert(sizeof(AddressRoot) == kAddressRootSize);

}  // namespace

absl::StatusOr<VkDescriptorBufferInfo> Recorder::Describe(
    const BoundRange& range, DescriptorKind kind) const {
  const VkPhysicalDeviceLimits& limits = device_.limits();
  const bool is_uniform = kind == DescriptorKind::kUniformBuffer;
  const uint64_t alignment = is_uniform
                                 ? limits.minUniformBufferOffsetAlignment
                                 : limits.minStorageBufferOffsetAlignment;
  const uint64_t max_length =
      is_uniform ? limits.maxUniformBufferRange : limits.maxStorageBufferRange;
  if (range.length == 0) {
    // Vulkan cannot bind an empty range or one past the end, so bind some word
    // of the allocation instead.
    const uint64_t back = range.room < 4 ? std::max<uint64_t>(alignment, 4) : 0;
    const uint64_t offset = (range.offset - back) / alignment * alignment;
    return VkDescriptorBufferInfo{range.buffer, offset, 4};
  }
  // Shaders read whole words.
  const uint64_t length = std::min((range.length + 3) / 4 * 4, range.room);
  if (range.offset % alignment != 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "it begins ", range.offset % alignment, " bytes past a multiple of ",
        alignment, ", which the device needs"));
  }
  if (length > max_length) {
    return absl::ResourceExhaustedError(
        absl::StrCat("it has ", range.length, " bytes; the device binds at ",
                     "most ", max_length));
  }
  return VkDescriptorBufferInfo{range.buffer, range.offset, length};
}

absl::Status Recorder::BindSet(
    const NativeLayout& layout,
    std::span<const VkDescriptorBufferInfo> buffers) {
  if (buffers.empty()) return absl::OkStatus();
  VkDescriptorSet set = VK_NULL_HANDLE;
  if (!layout.is_pushed()) {
    ASSIGN_OR_RETURN(set, target_.AllocateSet(layout.set()));
  }
  Writes writes(buffers.size());
  for (size_t i = 0; i < buffers.size(); ++i) {
    const DescriptorBinding& binding = layout.def().bindings[i];
    writes[i] = {};
    writes[i].sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
    writes[i].dstSet = set;
    writes[i].dstBinding = binding.binding;
    writes[i].descriptorCount = 1;
    writes[i].descriptorType = binding.kind == DescriptorKind::kUniformBuffer
                                   ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER
                                   : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    writes[i].pBufferInfo = &buffers[i];
  }
  const auto count = static_cast<uint32_t>(writes.size());
  if (layout.is_pushed()) {
    fn_.vkCmdPushDescriptorSetKHR(handle_, VK_PIPELINE_BIND_POINT_COMPUTE,
                                  layout.handle(), 0, count, writes.data());
    return absl::OkStatus();
  }
  fn_.vkUpdateDescriptorSets(device_.handle(), count, writes.data(), 0,
                             nullptr);
  fn_.vkCmdBindDescriptorSets(handle_, VK_PIPELINE_BIND_POINT_COMPUTE,
                              layout.handle(), 0, 1, &set, 0, nullptr);
  return absl::OkStatus();
}

absl::Status Recorder::BindDescriptors(const DispatchCommand& command,
                                       const Pipeline& pipeline) {
  const NativeLayout& layout = pipeline.layout();
  const std::span<const RecordedRef> refs = command.bindings();
  Descriptors buffers(refs.size());
  for (size_t i = 0; i < refs.size(); ++i) {
    ASSIGN_OR_RETURN(const BoundRange range, Resolve(refs[i]));
    const auto described = Describe(range, layout.def().bindings[i].kind);
    if (!described.ok()) [[unlikely]] {
      return absl::Status(described.status().code(),
                          absl::StrCat("Binding ", i, " cannot be bound: ",
                                       described.status().message(), "."));
    }
    buffers[i] = *described;
  }
  RETURN_IF_ERROR(BindSet(layout, buffers));
  const std::span<const uint32_t> constants = command.constants();
  if (!constants.empty()) {
    fn_.vkCmdPushConstants(
        handle_, layout.handle(), VK_SHADER_STAGE_COMPUTE_BIT,
        layout.def().push_constants_offset,
        static_cast<uint32_t>(constants.size_bytes()), constants.data());
  }
  return absl::OkStatus();
}

absl::Status Recorder::WriteAddress(const AddressPatch& patch) const {
  ASSIGN_OR_RETURN(const BoundRange range, Find(patch.ref));
  const AddressedBinding& needs = patch.needs;
  if (range.address % needs.minimum_alignment != 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Binding ", patch.binding, " begins ",
        range.address % needs.minimum_alignment, " bytes past a multiple of ",
        needs.minimum_alignment, ", which the shader needs."));
  }
  if (range.length < needs.minimum_length) {
    return absl::OutOfRangeError(
        absl::StrCat("Binding ", patch.binding, " has ", range.length,
                     " bytes; the shader needs ", needs.minimum_length, "."));
  }
  std::memcpy(patch.entry, &range.address, sizeof(range.address));
  return absl::OkStatus();
}

absl::Status Recorder::Patch() {
  for (const AddressPatch& patch : target_.patches()) {
    RETURN_IF_ERROR(WriteAddress(patch));
  }
  return absl::OkStatus();
}

absl::Status Recorder::BindAddresses(const DispatchCommand& command,
                                     const PipelineDef& def,
                                     const Pipeline& pipeline) {
  const std::span<const RecordedRef> refs = command.bindings();
  ASSIGN_OR_RETURN(const Ref<hal::Buffer> table,
                   Staging(std::max<size_t>(refs.size(), 1) * 8));
  for (size_t i = 0; i < refs.size(); ++i) {
    const AddressPatch patch = {table->host_data() + i * 8, refs[i],
                                static_cast<uint32_t>(i),
                                def.addresses.bindings[i]};
    RETURN_IF_ERROR(WriteAddress(patch));
    if (refs[i].buffer == nullptr) target_.patches().push_back(patch);
  }
  const AddressRoot root = {.table = RangeOf(device_, *table)->address};
  const VkPipelineLayout layout = pipeline.layout().handle();
  fn_.vkCmdPushConstants(handle_, layout, VK_SHADER_STAGE_COMPUTE_BIT,
                         def.addresses.root_offset, sizeof(root), &root);
  const std::span<const uint32_t> constants = command.constants();
  if (!constants.empty()) {
    fn_.vkCmdPushConstants(handle_, layout, VK_SHADER_STAGE_COMPUTE_BIT,
                           def.addresses.constants_offset,
                           static_cast<uint32_t>(constants.size_bytes()),
                           constants.data());
  }
  return absl::OkStatus();
}

absl::Status Recorder::Launch(const DispatchCommand& command) {
  if (command.kind == CommandKind::kDispatchIndirect) {
    ASSIGN_OR_RETURN(const BoundRange counts,
                     Resolve(command.workgroup_count_ref));
    fn_.vkCmdDispatchIndirect(handle_, counts.buffer, counts.offset);
    return absl::OkStatus();
  }
  const uint32_t* const limits = device_.limits().maxComputeWorkGroupCount;
  for (int i = 0; i < 3; ++i) {
    if (command.workgroup_count[i] <= limits[i]) continue;
    return absl::ResourceExhaustedError(
        absl::StrCat("The workgroup count ", command.workgroup_count[i], " in ",
                     absl::string_view(&"xyz"[i], 1),
                     " exceeds the device's limit of ", limits[i], "."));
  }
  fn_.vkCmdDispatch(handle_, command.workgroup_count[0],
                    command.workgroup_count[1], command.workgroup_count[2]);
  return absl::OkStatus();
}

absl::Status Recorder::RecordDispatch(const DispatchCommand& command) {
  if (command.executable->driver_tag() != &device_) [[unlikely]] {
    return absl::FailedPreconditionError(
        "The executable belongs to another device.");
  }
  const auto& executable = static_cast<const Executable&>(*command.executable);
  const Pipeline& pipeline = executable.pipeline(command.export_ordinal);
  const PipelineDef& def = executable.def(command.export_ordinal);
  if (pipeline.handle() != bound_) {
    bound_ = pipeline.handle();
    fn_.vkCmdBindPipeline(handle_, VK_PIPELINE_BIND_POINT_COMPUTE, bound_);
  }
  absl::Status status = def.abi == DispatchAbi::kDescriptors
                            ? BindDescriptors(command, pipeline)
                            : BindAddresses(command, def, pipeline);
  Timestamps* const times = target_.timestamps();
  if (times != nullptr && status.ok()) [[unlikely]] {
    // For an indirect dispatch only the device knows the workgroup count.
    const uint32_t one[3] = {1, 1, 1};
    const bool is_known = command.kind == CommandKind::kDispatch;
    times->Begin(handle_, executable, command.export_ordinal,
                 is_known ? command.workgroup_count : one);
  }
  if (status.ok()) status = Launch(command);
  if (times != nullptr && status.ok()) [[unlikely]]
    times->End(handle_);
  if (status.ok()) [[likely]]
    return status;
  return Annotate(status,
                  absl::StrCat("(dispatch '", PlainName(def.name), "')"));
}

}  // namespace eyrie::hal::vulkan
