// Records the dispatches of modules that push constants and descriptor sets.
//
// Pushed arguments belong to the command buffer until it is finalized. A
// dispatch collects those that the layout of its export names.
// Source: IREE's runtime/src/iree/modules/hal/module.c of 20230209 to 20240724.
// Tested by descriptor_imports_test.cc.
#include "hal/module/descriptor_imports.h"

#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "base/hash_map.h"
#include "base/status_macros.h"
#include "hal/module/arguments.h"
#include "hal/module/imports.h"

namespace eyrie::hal {
namespace {

constexpr uint32_t kMaxConstants = 64;
constexpr uint32_t kMaxSets = 32;
constexpr uint32_t kMaxBindings = 64;  // of all sets of a layout

// The constants and descriptors that a command buffer's next dispatch sees.
class PushedArguments final : public ChargedObject {
 public:
  static constexpr RefType kType{"eyrie.pushed_arguments"};

  PushedArguments() : ChargedObject(kType) {}

  uint32_t* constants() { return constants_; }

  // Sets or replaces a descriptor. Charges for a new one. RESOURCE_EXHAUSTED:
  // the memory limit is exceeded.
  absl::Status Set(uint32_t set, uint32_t binding, BufferRef ref) {
    const uint32_t key = KeyOf(set, binding);
    const auto known = descriptors_.find(key);
    if (known != descriptors_.end()) {
      known->second = std::move(ref);
      return absl::OkStatus();
    }
    RETURN_IF_ERROR(charge().Add(kDescriptorBytes, "a pushed descriptor"));
    descriptors_.emplace(key, std::move(ref));
    return absl::OkStatus();
  }

  // Returns a descriptor, or null if it was never pushed.
  const BufferRef* Find(uint32_t set, uint32_t binding) const {
    const auto at = descriptors_.find(KeyOf(set, binding));
    return at == descriptors_.end() ? nullptr : &at->second;
  }

 private:
  // By set and binding: at most kMaxSets * kMaxBindings.
  using Descriptors = HashMap<uint32_t, BufferRef>;
  // The pair, and the pointers of its node, its bucket and the allocator.
  static constexpr uint64_t kDescriptorBytes =
      sizeof(Descriptors::value_type) + 4 * sizeof(void*);

  static uint32_t KeyOf(uint32_t set, uint32_t binding) {
    return set * kMaxBindings + binding;
  }

  uint32_t constants_[kMaxConstants] = {};
  Descriptors descriptors_;
};

// Returns what was pushed to a command buffer that is being recorded.
absl::StatusOr<PushedArguments*> PushedTo(const HalModuleState& state,
                                          CommandBuffer& commands) {
  if (commands.finalized()) {
    return absl::FailedPreconditionError(
        "Arguments are pushed to a command buffer that is finalized.");
  }
  Ref<RefObject>& kept = commands.recorder_state();
  if (!kept) {
    absl::StatusOr<Ref<PushedArguments>> pushed =
        Ref<PushedArguments>::Adopt(new PushedArguments());
    ASSIGN_OR_RETURN(pushed,
                     state.Charged(std::move(pushed), sizeof(PushedArguments),
                                   "pushed arguments"));
    kept = Ref<RefObject>(*std::move(pushed));
  }
  return static_cast<PushedArguments*>(kept.get());
}

absl::StatusOr<uint32_t> ReadNumber(absl::string_view what, int32_t value,
                                    uint32_t limit) {
  ASSIGN_OR_RETURN(const uint64_t number, ReadSize(what, value));
  if (number >= limit) {
    return absl::OutOfRangeError(absl::StrCat("The ", what, " (", number,
                                              ") must be below ", limit, "."));
  }
  return static_cast<uint32_t>(number);
}

// The arguments of one dispatch.
struct Collected {
  std::span<const uint32_t> constants;
  absl::InlinedVector<BufferRef, 16> bindings;
};

absl::Status Collect(const HalModuleState& state, CommandBuffer& commands,
                     const Executable& executable, int32_t ordinal,
                     Collected& out) {
  const auto layouts = executable.layouts();
  if (ordinal < 0 || static_cast<size_t>(ordinal) >= layouts.size()) {
    return absl::OutOfRangeError(absl::StrCat(
        "The dispatch's entry point (", ordinal,
        ") has no layout; the executable has ", layouts.size(), "."));
  }
  const PipelineLayout& layout = *layouts[static_cast<size_t>(ordinal)];
  ASSIGN_OR_RETURN(PushedArguments * pushed, PushedTo(state, commands));
  out.constants = {pushed->constants(), layout.constant_count()};
  for (const DescriptorBinding& each : layout.bindings()) {
    const BufferRef* const ref = pushed->Find(each.set, each.binding);
    if (ref == nullptr) {
      return absl::FailedPreconditionError(
          absl::StrCat("The dispatch uses binding ", each.binding, " of set ",
                       each.set, ", which was not pushed."));
    }
    out.bindings.push_back(*ref);
  }
  return absl::OkStatus();
}

// Charges for a layout. Layouts are few and small.
template <typename T>
absl::StatusOr<Ref<T>> ChargedLayout(const HalModuleState& state,
                                     Ref<T> layout) {
  const uint64_t bytes = LayoutBytes(*layout);
  return state.Charged(absl::StatusOr<Ref<T>>(std::move(layout)), bytes,
                       "a layout");
}

}  // namespace

absl::StatusOr<Ref<Buffer>> AllocatorAllocateInitialized(
    HalModuleState& state, Allocator& allocator, int32_t memory_types,
    int32_t buffer_usage, vm::Buffer& source, int64_t offset, int64_t length) {
  ASSIGN_OR_RETURN(const std::span<const uint8_t> bytes,
                   ReadHostRange(source, offset, length));
  return state.AllocateCopy(
      allocator, state.CreateParams(allocator, memory_types, buffer_usage, -1),
      bytes);
}

absl::Status CommandBufferCollectiveV2(
    HalModuleState& state, CommandBuffer& commands, Channel& channel,
    int32_t op, int32_t param, Buffer* send, int64_t send_offset,
    int64_t send_length, Buffer* receive, int64_t receive_offset,
    int64_t receive_length, int64_t element_count) {
  return CommandBufferCollective(state, commands, channel, op, param, 0, 0,
                                 send, receive, send_offset, send_length,
                                 receive_offset, receive_length, element_count);
}

absl::Status CommandBufferCopyBufferV2(HalModuleState& state,
                                       CommandBuffer& commands, Buffer& source,
                                       int64_t source_offset, Buffer& target,
                                       int64_t target_offset, int64_t length) {
  return CommandBufferCopyBuffer(state, commands, 0, 0, &source, source_offset,
                                 &target, target_offset, length, 0);
}

absl::Status CommandBufferDispatchV2(HalModuleState& state,
                                     CommandBuffer& commands,
                                     Executable& executable, int32_t ordinal,
                                     int32_t workgroups_x, int32_t workgroups_y,
                                     int32_t workgroups_z) {
  uint32_t workgroups[3];
  RETURN_IF_ERROR(
      ReadWorkgroups({workgroups_x, workgroups_y, workgroups_z}, workgroups));
  Collected arguments;
  RETURN_IF_ERROR(Collect(state, commands, executable, ordinal, arguments));
  return commands.Dispatch(Ref<Executable>::Share(&executable),
                           static_cast<uint32_t>(ordinal), workgroups,
                           arguments.constants, arguments.bindings);
}

absl::Status CommandBufferDispatchIndirectV2(
    HalModuleState& state, CommandBuffer& commands, Executable& executable,
    int32_t ordinal, Buffer& workgroups, int64_t workgroups_offset) {
  BufferRef counts;
  RETURN_IF_ERROR(ReadBufferRef("workgroup counts'", &workgroups, 0,
                                workgroups_offset, 3 * sizeof(uint32_t),
                                counts));
  Collected arguments;
  RETURN_IF_ERROR(Collect(state, commands, executable, ordinal, arguments));
  return commands.DispatchIndirect(Ref<Executable>::Share(&executable),
                                   static_cast<uint32_t>(ordinal), counts,
                                   arguments.constants, arguments.bindings);
}

absl::Status CommandBufferExecuteCommands(
    HalModuleState&, CommandBuffer&, CommandBuffer&,
    vm::Spread<Buffer*, int64_t, int64_t>) {
  return absl::UnimplementedError(
      "Command buffers within others (hal.command_buffer.execute.commands) are "
      "not supported.");
}

absl::Status CommandBufferFillBufferV2(HalModuleState& state,
                                       CommandBuffer& commands, Buffer& target,
                                       int64_t offset, int64_t length,
                                       int32_t pattern,
                                       int32_t pattern_length) {
  return CommandBufferFillBufferV5(state, commands, &target, offset, length, 0,
                                   pattern, pattern_length);
}

absl::Status CommandBufferPushConstants(HalModuleState& state,
                                        CommandBuffer& commands,
                                        PipelineLayout&, int32_t offset,
                                        vm::Spread<int32_t> values) {
  ASSIGN_OR_RETURN(const uint64_t first,
                   ReadSize("offset of pushed constants", offset));
  if (first > kMaxConstants || values.size() > kMaxConstants - first) {
    return absl::OutOfRangeError(absl::StrCat(
        "The pushed constants ", first, " to ", first + values.size(),
        " exceed the limit of ", kMaxConstants, "."));
  }
  ASSIGN_OR_RETURN(PushedArguments * pushed, PushedTo(state, commands));
  for (size_t i = 0; i < values.size(); ++i) {
    pushed->constants()[first + i] = static_cast<uint32_t>(values.get(i));
  }
  return absl::OkStatus();
}

absl::Status CommandBufferPushDescriptorSet(HalModuleState& state,
                                            CommandBuffer& commands,
                                            PipelineLayout&, int32_t set,
                                            PushedBindings bindings) {
  ASSIGN_OR_RETURN(const uint32_t number,
                   ReadNumber("descriptor set", set, kMaxSets));
  if (bindings.size() > kMaxBindings) {
    return absl::OutOfRangeError(absl::StrCat("A push has ", bindings.size(),
                                              " descriptors; the limit is ",
                                              kMaxBindings, "."));
  }
  ASSIGN_OR_RETURN(PushedArguments * pushed, PushedTo(state, commands));
  for (size_t i = 0; i < bindings.size(); ++i) {
    ASSIGN_OR_RETURN(
        const uint32_t binding,
        ReadNumber("binding of a set", bindings.get<0>(i), kMaxBindings));
    BufferRef ref;
    RETURN_IF_ERROR(ReadBufferRef("binding's", bindings.get<2>(i),
                                  bindings.get<1>(i), bindings.get<3>(i),
                                  bindings.get<4>(i), ref));
    RETURN_IF_ERROR(pushed->Set(number, binding, std::move(ref)));
  }
  return absl::OkStatus();
}

absl::StatusOr<Ref<DescriptorSetLayout>> DescriptorSetLayoutCreate(
    HalModuleState& state, Device&, int32_t,
    vm::Spread<int32_t, int32_t, int32_t> bindings) {
  if (bindings.size() > kMaxBindings) {
    return absl::OutOfRangeError(
        absl::StrCat("The layout of a set has ", bindings.size(),
                     " bindings; the limit is ", kMaxBindings, "."));
  }
  std::vector<DescriptorBinding> list;
  for (size_t i = 0; i < bindings.size(); ++i) {
    ASSIGN_OR_RETURN(
        const uint32_t binding,
        ReadNumber("binding of a set", bindings.get<0>(i), kMaxBindings));
    const auto type = static_cast<uint32_t>(bindings.get<1>(i));
    if (type != kUniformBuffer && type != kStorageBuffer) {
      return absl::UnimplementedError(absl::StrCat(
          "Binding ", binding, " has the descriptor type ", type,
          "; supported are ", kUniformBuffer, " and ", kStorageBuffer, "."));
    }
    list.push_back({0, binding, type});
  }
  absl::c_sort(
      list, [](const auto& a, const auto& b) { return a.binding < b.binding; });
  for (size_t i = 1; i < list.size(); ++i) {
    if (list[i - 1].binding != list[i].binding) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "The layout of a set has two bindings ", list[i].binding, "."));
  }
  return ChargedLayout(state, Ref<DescriptorSetLayout>::Adopt(
                                  new DescriptorSetLayout(std::move(list))));
}

absl::StatusOr<Ref<PipelineLayout>> PipelineLayoutCreate(
    HalModuleState& state, Device&, int32_t constant_count,
    vm::Spread<DescriptorSetLayout*> sets) {
  ASSIGN_OR_RETURN(const uint32_t constants,
                   ReadNumber("number of push constants", constant_count,
                              kMaxConstants + 1));
  if (sets.size() > kMaxSets) {
    return absl::OutOfRangeError(
        absl::StrCat("A pipeline layout has ", sets.size(),
                     " sets; the limit is ", kMaxSets, "."));
  }
  std::vector<DescriptorBinding> list;
  for (uint32_t set = 0; set < sets.size(); ++set) {
    const DescriptorSetLayout* const layout = sets.get(set);
    if (layout == nullptr) {
      return absl::InvalidArgumentError(
          absl::StrCat("Set ", set, " of a pipeline layout is null."));
    }
    for (const DescriptorBinding& each : layout->bindings()) {
      list.push_back({set, each.binding, each.type});
    }
    if (list.size() > kMaxBindings) {
      return absl::OutOfRangeError(
          absl::StrCat("A pipeline layout has ", list.size(),
                       " bindings; the limit is ", kMaxBindings, "."));
    }
  }
  return ChargedLayout(state, Ref<PipelineLayout>::Adopt(new PipelineLayout(
                                  constants, std::move(list))));
}

absl::StatusOr<Ref<Executable>> ExecutableCreateV2(
    HalModuleState& state, Device& device, vm::Buffer& format, vm::Buffer& data,
    vm::Buffer* constants, vm::Spread<PipelineLayout*> layouts) {
  std::vector<Ref<PipelineLayout>> list;
  for (size_t i = 0; i < layouts.size(); ++i) {
    if (layouts.get(i) == nullptr) {
      return absl::InvalidArgumentError(
          absl::StrCat("Layout ", i, " of the executable is null."));
    }
    list.push_back(Ref<PipelineLayout>::Share(layouts.get(i)));
  }
  return CreateExecutableWith(state, device, format, data, constants,
                              std::move(list));
}

}  // namespace eyrie::hal
