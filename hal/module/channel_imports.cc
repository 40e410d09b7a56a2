// Collective channels: declared by modules, supported by no device here.
//
// Tested by queue_imports_test.cc.
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "hal/module/imports.h"

namespace eyrie::hal {
namespace {

absl::Status NoChannels(absl::string_view import) {
  return absl::UnimplementedError(absl::StrCat(
      "Collective channels are not supported; the module calls ", import, "."));
}

}  // namespace

absl::StatusOr<Ref<RefObject>> ChannelCreate(HalModuleState&, Device&, int64_t,
                                             int64_t, vm::Buffer*, vm::Buffer*,
                                             int32_t, int32_t) {
  return NoChannels("hal.channel.create");
}

absl::StatusOr<Ref<RefObject>> ChannelCreateV5(HalModuleState&, Device&,
                                               int64_t, int32_t, vm::Buffer*,
                                               vm::Buffer*, int32_t, int32_t) {
  return NoChannels("hal.channel.create");
}

absl::StatusOr<std::tuple<int32_t, int32_t>> ChannelRankAndCount(
    HalModuleState&, RefObject*) {
  return NoChannels("hal.channel.rank_and_count");
}

absl::StatusOr<Ref<RefObject>> ChannelSplit(HalModuleState&, RefObject*,
                                            int32_t, int32_t, int64_t) {
  return NoChannels("hal.channel.split");
}

absl::StatusOr<Ref<RefObject>> ChannelSplitV5(HalModuleState&, RefObject*,
                                              int32_t, int32_t, int32_t) {
  return NoChannels("hal.channel.split");
}

absl::Status CommandBufferCollective(HalModuleState&, CommandBuffer&,
                                     RefObject*, int32_t, int32_t, int32_t,
                                     int32_t, Buffer*, Buffer*, int64_t,
                                     int64_t, int64_t, int64_t, int64_t) {
  return NoChannels("hal.command_buffer.collective");
}

}  // namespace eyrie::hal
