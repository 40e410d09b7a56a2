// Collective channels, and collectives recorded on them.
//
// Tested by queue_imports_test.cc.
#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "hal/module/arguments.h"
#include "hal/module/imports.h"
#include "vm/limits/meter.h"

namespace eyrie::hal {
namespace {

// Approximate bytes of a channel, including the provider's records.
constexpr uint64_t kChannelBytes = 512;

// Returns a function that ends waits for other ranks when the call must end.
Channel::Stop StopOf(const HalModuleState& state) {
  return [meter = state.meter()] {
    if (meter == nullptr) return absl::OkStatus();
    if (meter->stopped()) return meter->StopReason();
    if (!meter->deadline().HasPassed()) return absl::OkStatus();
    return absl::DeadlineExceededError(
        "The call timed out while it waited for other ranks.");
  };
}

// Charges for a channel unless it is shared, and so charged already.
absl::StatusOr<Ref<Channel>> Charged(const HalModuleState& state,
                                     absl::StatusOr<Ref<Channel>> channel) {
  if (!channel.ok() || !*channel || !(*channel)->IsUnique()) return channel;
  return state.Charged<Channel>(std::move(channel), kChannelBytes, "a channel");
}

// Returns the name of a group. Ranks with the same id and group share it.
std::string GroupName(const vm::Buffer* id, const vm::Buffer* group) {
  std::string name;
  if (group != nullptr) name = std::string(TextOf(*group));
  if (id != nullptr && !id->text().empty()) {
    absl::StrAppend(&name, "#", absl::BytesToHexString(TextOf(*id)));
  }
  return name;
}

}  // namespace

absl::StatusOr<Ref<Channel>> ChannelCreate(HalModuleState& state, Device&,
                                           int64_t, int64_t, vm::Buffer* id,
                                           vm::Buffer* group, int32_t rank,
                                           int32_t count) {
  const std::shared_ptr<ChannelProvider>& given = state.options().collectives;
  const ChannelParams params = {GroupName(id, group), rank, count};
  const std::shared_ptr<ChannelProvider> provider =
      given != nullptr ? given : CreateSelfProvider();
  return Charged(state, provider->Create(params, StopOf(state)));
}

absl::StatusOr<std::tuple<int32_t, int32_t>> ChannelRankAndCount(
    HalModuleState&, Channel& channel) {
  return std::tuple<int32_t, int32_t>(channel.rank(), channel.count());
}

absl::StatusOr<Ref<Channel>> ChannelSplit(HalModuleState& state,
                                          Channel& channel, int32_t color,
                                          int32_t key, int64_t) {
  if (color < -1) {
    return absl::InvalidArgumentError(
        absl::StrCat("A channel's color (", color,
                     ") must be at least 0, or -1 for no channel."));
  }
  return Charged(state, channel.Split(color, key, StopOf(state)));
}

absl::Status CommandBufferCollective(
    HalModuleState&, CommandBuffer& commands, Channel& channel, int32_t op,
    int32_t param, int32_t send_slot, int32_t receive_slot, Buffer* send,
    Buffer* receive, int64_t send_offset, int64_t send_length,
    int64_t receive_offset, int64_t receive_length, int64_t element_count) {
  ASSIGN_OR_RETURN(const CollectiveOp decoded,
                   DecodeCollective(static_cast<uint32_t>(op)));
  ASSIGN_OR_RETURN(const uint64_t count,
                   ReadSize("collective's element count", element_count));
  BufferRef from;
  RETURN_IF_ERROR(
      ReadBufferRef("send", send, send_slot, send_offset, send_length, from));
  BufferRef to;
  RETURN_IF_ERROR(ReadBufferRef("receive", receive, receive_slot,
                                receive_offset, receive_length, to));
  return commands.Collective(Ref<Channel>::Share(&channel), decoded,
                             static_cast<uint32_t>(param), from, to, count);
}

}  // namespace eyrie::hal
