#include "hal/device_group.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "hal/buffer_mover.h"
#include "hal/observed_commands.h"
#include "hal/queue_validator.h"

namespace eyrie::hal {
namespace {

bool CanUse(Device& device, const Ref<Buffer>& buffer) {
  return device.allocator().CanUse(*buffer);
}

// Reports whether all devices can use memory that `of` allocates with these
// params, by trying an empty buffer.
template <typename Devices>
bool AllCanUse(const Devices& devices, Device& of, const BufferParams& params) {
  const auto probe = of.allocator().Allocate(params, 0);
  if (!probe.ok()) return false;
  return std::all_of(devices.begin(), devices.end(), [&](const auto& device) {
    return &*device == &of || CanUse(*device, *probe);
  });
}

// Offsets in a copy equal those in the original modulo this number. No device
// requires a stricter alignment of bindings.
constexpr uint64_t kAlignment = 256;

// Copies on a device of the allocations that it cannot use.
class Copies {
 public:
  Copies(const DeviceGroup& group, Device& device, const QueueFences& fences)
      : group_(group), device_(device), fences_(fences) {}

  // Adds a range that commands use. OUT_OF_RANGE: it exceeds the buffer.
  absl::Status Note(Buffer* buffer, uint64_t offset, uint64_t length);
  bool empty() const { return copies_.empty(); }
  // Allocates the copies. INVALID_ARGUMENT: no device can use an original.
  absl::Status Allocate();
  // If the buffer has a copy, sets `copy`, adjusts `offset`, and returns true.
  bool Find(const Buffer& buffer, uint64_t& offset, Buffer*& copy) const;
  std::vector<Ref<Buffer>> buffers() const;

  // Queue the transfers into the copies, or from them to writable originals.
  // The returned fence is reached when all are done.
  absl::StatusOr<Ref<Fence>> MoveIn(Fence* wait) {
    return MoveAll(wait, /*back=*/false);
  }
  absl::StatusOr<Ref<Fence>> MoveOut(Fence* wait) {
    return MoveAll(wait, /*back=*/true);
  }

 private:
  struct Copy {
    Ref<Buffer> original;  // an allocation
    uint64_t begin;        // of the used bytes in `original`
    uint64_t end;
    bool is_written;
    Ref<Buffer> buffer;
    Device* home;

    uint64_t length() const { return end - begin; }
    // Offset of the used bytes in the copy.
    uint64_t offset() const { return begin % kAlignment; }
  };

  absl::StatusOr<Ref<Fence>> MoveAll(Fence* wait, bool back);

  const DeviceGroup& group_;
  Device& device_;
  const QueueFences fences_;
  std::vector<Copy> copies_;
};

absl::Status Copies::Note(Buffer* buffer, uint64_t offset, uint64_t length) {
  if (buffer == nullptr || device_.allocator().CanUse(*buffer)) {
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(length, buffer->ResolveRange(offset, length));
  const uint64_t begin = buffer->byte_offset() + offset;
  Ref<Buffer> original = Ref<Buffer>::Share(&buffer->allocation());
  const bool writable = buffer->CheckAccess(memory_access::kWrite).ok();
  for (Copy& copy : copies_) {
    if (copy.original != original) continue;
    copy.begin = std::min(copy.begin, begin);
    copy.end = std::max(copy.end, begin + length);
    copy.is_written |= writable;
    return absl::OkStatus();
  }
  copies_.push_back({std::move(original), begin, begin + length, writable,
                     Ref<Buffer>(), nullptr});
  return absl::OkStatus();
}

absl::Status Copies::Allocate() {
  for (Copy& copy : copies_) {
    QueueFences unused;
    ASSIGN_OR_RETURN(copy.home,
                     group_.Reaching(device_, *copy.original, unused));
    const uint64_t length = copy.offset() + copy.length();
    BufferParams params;
    params.usage = copy.original->allowed_usage() | buffer_usage::kTransfer;
    ASSIGN_OR_RETURN(copy.buffer,
                     fences_.Allocate(device_.allocator(), params, length));
  }
  return absl::OkStatus();
}

bool Copies::Find(const Buffer& buffer, uint64_t& offset,
                  Buffer*& found) const {
  for (const Copy& copy : copies_) {
    if (copy.original.get() != &buffer.allocation()) continue;
    offset += buffer.byte_offset() - copy.begin + copy.offset();
    found = copy.buffer.get();
    return true;
  }
  return false;
}

std::vector<Ref<Buffer>> Copies::buffers() const {
  std::vector<Ref<Buffer>> buffers;
  for (const Copy& copy : copies_) buffers.push_back(copy.buffer);
  return buffers;
}

absl::StatusOr<Ref<Fence>> Copies::MoveAll(Fence* wait, bool back) {
  Ref<Fence> all = MakeRef<Fence>();
  for (const Copy& copy : copies_) {
    if (back && !copy.is_written) continue;
    const uint64_t size = copy.length();
    const Place original = {*copy.home, {copy.original, 0, copy.begin, size}};
    const Place here = {device_, {copy.buffer, 0, copy.offset(), size}};
    ASSIGN_OR_RETURN(const Ref<Fence> moved, device_.CreateFence());
    QueueFences fences = fences_;
    fences.wait = wait;
    fences.signal = moved.get();
    RETURN_IF_ERROR(
        QueueMove(fences, back ? here : original, back ? original : here));
    all->Insert(moved->points()[0].semaphore, moved->points()[0].value);
  }
  if (all->points().empty()) return Ref<Fence>::Share(wait);
  return all;
}

// Adds all ranges of a submission that need copies.
absl::Status Gather(const CommandBuffer& commands,
                    std::span<const BufferBinding> table, Copies& copies) {
  RETURN_IF_ERROR(ValidateExecute(commands, table));
  for (const BufferBinding& binding : table) {
    RETURN_IF_ERROR(
        copies.Note(binding.buffer, binding.offset, binding.length));
  }
  absl::Status status;
  commands.ForEachRef([&](const RecordedRef& ref) {
    if (status.ok()) status = copies.Note(ref.buffer, ref.offset, ref.length);
  });
  return status;
}

std::vector<BufferBinding> Replace(const Copies& copies,
                                   std::span<const BufferBinding> table) {
  std::vector<BufferBinding> replaced(table.begin(), table.end());
  for (BufferBinding& binding : replaced) {
    if (!binding.buffer) continue;
    binding.length = LengthOf(binding);
    Buffer* copy = nullptr;
    if (!copies.Find(*binding.buffer, binding.offset, copy)) continue;
    binding.buffer = copy;
  }
  return replaced;
}

absl::Status Run(Device& device, const QueueFences& fences,
                 const CommandBuffer& commands,
                 std::span<const BufferBinding> table, Copies& copies) {
  RETURN_IF_ERROR(copies.Allocate());
  ASSIGN_OR_RETURN(MemoryCharge charge, fences.Charge(sizeof(CommandBuffer)));
  ASSIGN_OR_RETURN(Ref<CommandBuffer> changed,
                   commands.CopyWith(
                       [&](RecordedRef& ref) {
                         if (ref.buffer)
                           copies.Find(*ref.buffer, ref.offset, ref.buffer);
                       },
                       copies.buffers(), std::move(charge)));
  ASSIGN_OR_RETURN(const Ref<Fence> there, copies.MoveIn(fences.wait));
  ASSIGN_OR_RETURN(const Ref<Fence> over, device.CreateFence());
  QueueFences run = fences;
  run.wait = there.get();
  run.signal = over.get();
  RETURN_IF_ERROR(
      device.QueueExecute(run, std::move(changed), Replace(copies, table)));
  ASSIGN_OR_RETURN(const Ref<Fence> back, copies.MoveOut(over.get()));
  run.wait = back.get();
  run.signal = fences.signal;
  return device.QueueBarrier(run);
}

}  // namespace

DeviceGroup::DeviceGroup(std::vector<Ref<Device>> devices,
                         DispatchObserver* observer)
    : devices_(std::move(devices)), observer_(observer) {
  if (devices_.size() > 1) {
    for (const Ref<Device>& device : devices_) {
      shares_memory_ &= AllCanUse(devices_, *device, BufferParams());
    }
  }
  executes_directly_ = shares_memory_ && observer_ == nullptr;
}

size_t DeviceGroup::Select(std::span<Device* const> among,
                           const BufferParams& params) const {
  if (shares_memory_) return 0;
  for (size_t i = 0; i < among.size(); ++i) {
    if (AllCanUse(among, *among[i], params)) return i;
  }
  return 0;
}

absl::StatusOr<Device*> DeviceGroup::FindReaching(Device& device,
                                                  const Buffer& buffer,
                                                  QueueFences& fences) const {
  if (device.allocator().CanUse(buffer)) return &device;
  for (const Ref<Device>& other : devices_) {
    if (!other->allocator().CanUse(buffer)) continue;
    fences.affinity = kAnyQueue;
    return other.get();
  }
  return fences.Refuse(absl::InvalidArgumentError(
      absl::StrCat("None of the program's ", devices_.size(),
                   " devices can use a buffer in memory that is ",
                   MemoryTypeText(buffer.memory_type()), ".")));
}

absl::Status DeviceGroup::CopyBetween(Device& device, const QueueFences& given,
                                      const BufferRef& source,
                                      const BufferRef& target) const {
  QueueFences fences = given;
  ASSIGN_OR_RETURN(Device* const from,
                   FindReaching(device, *source.buffer, fences));
  ASSIGN_OR_RETURN(Device* const to,
                   FindReaching(device, *target.buffer, fences));
  if (from == to || CanUse(*from, target.buffer)) {
    return from->QueueCopy(fences, source, target);
  }
  if (CanUse(*to, source.buffer)) return to->QueueCopy(fences, source, target);
  // No device validates this copy, so record it here to do so.
  const auto check =
      MakeRef<CommandBuffer>(command_buffer_mode::kOneShot, kAnyQueue, 0);
  absl::Status valid = check->Copy(source, target);
  if (!valid.ok()) return fences.Refuse(std::move(valid));
  uint64_t length = 0;  // remains 0 if there is nothing to copy
  check->ForEachRef([&](const RecordedRef& ref) { length = ref.length; });
  return QueueMove(fences, {*from, {source.buffer, 0, source.offset, length}},
                   {*to, {target.buffer, 0, target.offset, length}});
}

absl::Status DeviceGroup::ExecuteOnCopies(
    Device& device, const QueueFences& fences, Ref<CommandBuffer> commands,
    std::span<const BufferBinding> table) const {
  if (shares_memory_) {
    return device.QueueExecute(fences, std::move(commands), table);
  }
  Copies copies(*this, device, fences);
  absl::Status status = Gather(*commands, table, copies);
  if (status.ok() && copies.empty()) {
    return device.QueueExecute(fences, std::move(commands), table);
  }
  if (status.ok()) status = Run(device, fences, *commands, table, copies);
  return status.ok() ? status : fences.Refuse(std::move(status));
}

absl::Status DeviceGroup::ExecuteIndirectly(
    Device& device, const QueueFences& fences, Ref<CommandBuffer> commands,
    std::span<const BufferBinding> table) const {
  if (!commands) return device.QueueBarrier(fences);
  const auto execute = [&](const QueueFences& given, Ref<CommandBuffer> part) {
    return ExecuteOnCopies(device, given, std::move(part), table);
  };
  if (observer_ == nullptr) return execute(fences, std::move(commands));
  absl::Status status =
      ExecuteObserved(device, fences, commands, table, *observer_, execute);
  return status.ok() ? status : fences.Refuse(std::move(status));
}

}  // namespace eyrie::hal
