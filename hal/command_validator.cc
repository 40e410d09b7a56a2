#include "hal/command_validator.h"

#include <algorithm>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/checked_math.h"
#include "base/plain_text.h"
#include "base/status_macros.h"

namespace eyrie::hal {
namespace {

// Checks the visibility, usage and access of a buffer.
absl::Status CheckBuffer(const Buffer& buffer, BufferUsage usage,
                         MemoryAccess access) {
  RETURN_IF_ERROR(buffer.CheckMemoryType(memory_type::kDeviceVisible));
  RETURN_IF_ERROR(buffer.CheckUsage(usage));
  return buffer.CheckAccess(access);
}

// Reports whether CheckBuffer returns OK, without its messages.
bool Allows(const Buffer& buffer, BufferUsage usage, MemoryAccess access) {
  const BufferParams& params = buffer.params();
  const MemoryAccess needed =
      (access & memory_access::kAny) != 0
          ? 0
          : access & (memory_access::kRead | memory_access::kWrite);
  return ((memory_type::kDeviceVisible & ~params.type) |
          (usage & ~params.usage) | (needed & ~params.access)) == 0;
}

// Returns "(the fill's target)", to append to a buffer's own message.
std::string Where(absl::string_view what) {
  return absl::StrCat("(", what, ")");
}

// Returns the first reason why ValidateDirect rejects a reference.
[[gnu::cold, gnu::noinline]] absl::Status ExplainDirect(const BufferRef& ref,
                                                        const RangeUse& use) {
  const Buffer& buffer = *ref.buffer;
  absl::Status status = CheckBuffer(buffer, use.usage, use.access);
  if (!status.ok()) return Annotate(status, Where(use.what));
  const absl::StatusOr<uint64_t> length =
      buffer.ResolveRange(ref.offset, ref.length);
  if (!length.ok()) return Annotate(length.status(), Where(use.what));
  return absl::InvalidArgumentError(absl::StrCat(
      "The offset (", ref.offset, ") or length (", *length, ") of ", use.what,
      " is not a multiple of ", use.alignment, "."));
}

absl::StatusOr<RecordedRef> ValidateDirect(const BufferRef& ref,
                                           const RangeUse& use) {
  Buffer& buffer = *ref.buffer;
  const uint64_t size = buffer.byte_length();
  // If the offset is past the end, the length wraps and RangeFits fails.
  const uint64_t length =
      ref.length == kWholeBuffer ? size - ref.offset : ref.length;
  const bool aligned = ((ref.offset | length) & (use.alignment - 1)) == 0;
  if (!Allows(buffer, use.usage, use.access) ||
      !RangeFits(ref.offset, length, size) || !aligned) [[unlikely]] {
    return ExplainDirect(ref, use);
  }
  return RecordedRef{&buffer, 0, ref.offset, length};
}

absl::StatusOr<RecordedRef> ValidateIndirect(const BufferRef& ref,
                                             const RangeUse& use,
                                             SlotTable& slots) {
  if (ref.slot >= kMaxBindingSlots) {
    return absl::OutOfRangeError(
        absl::StrCat("Binding slot ", ref.slot, " of ", use.what,
                     " is past the last one (", kMaxBindingSlots - 1, ")."));
  }
  const bool whole = ref.length == kWholeBuffer;
  const uint64_t known_length = whole ? 0 : ref.length;
  const std::optional<uint64_t> end = CheckedAdd(ref.offset, known_length);
  if (!end) {
    return absl::OutOfRangeError(absl::StrCat("The range of ", ref.length,
                                              " bytes at offset ", ref.offset,
                                              " of ", use.what, " overflows."));
  }
  if (((ref.offset | known_length) & (use.alignment - 1)) != 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "The offset (", ref.offset, ") or length (", ref.length, ") of ",
        use.what, " is not a multiple of ", use.alignment, "."));
  }
  if (ref.slot >= slots.size()) slots.resize(ref.slot + 1);
  SlotRequirements& slot = slots[ref.slot];
  slot.used = true;
  slot.usage |= use.usage;
  slot.access |= use.access & ~memory_access::kAny;
  slot.end = std::max(slot.end, *end);
  // Alignments are powers of two, so the larger satisfies both.
  slot.alignment = std::max(slot.alignment, use.alignment);
  if (whole) {
    slot.length_multiple = std::max(slot.length_multiple, use.alignment);
  }
  return RecordedRef{nullptr, ref.slot, ref.offset, ref.length};
}

bool IsAligned(const BufferBinding& binding, uint64_t length,
               const SlotRequirements& slot) {
  return ((binding.offset & (slot.alignment - 1)) |
          (length & (slot.length_multiple - 1))) == 0;
}

// Reports whether ExplainBinding returns OK, without its messages.
bool BindingFits(const BufferBinding& binding, const SlotRequirements& slot) {
  const Buffer* buffer = binding.buffer;
  if (buffer == nullptr) return false;
  if (!Allows(*buffer, slot.usage, slot.access) ||
      binding.offset > buffer->byte_length()) {
    return false;
  }
  const uint64_t length = LengthOf(binding);
  return RangeFits(binding.offset, length, buffer->byte_length()) &&
         slot.end <= length && IsAligned(binding, length, slot);
}

absl::Status ExplainBinding(const BufferBinding& binding,
                            const SlotRequirements& slot) {
  if (!binding.buffer) {
    return absl::InvalidArgumentError("It has no buffer, but commands use it.");
  }
  RETURN_IF_ERROR(CheckBuffer(*binding.buffer, slot.usage, slot.access));
  ASSIGN_OR_RETURN(const uint64_t length, binding.buffer->ResolveRange(
                                              binding.offset, binding.length));
  if (slot.end > length) {
    return absl::OutOfRangeError(absl::StrCat(
        "It has ", length, " bytes; its commands use ", slot.end, "."));
  }
  if (IsAligned(binding, length, slot)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("Its offset (", binding.offset, ") or length (", length,
                   ") is not a multiple of ", slot.alignment, "."));
}

// Out of line, so that valid tables do not pay for messages.
[[gnu::cold, gnu::noinline]] absl::Status TooFewSlots(size_t given,
                                                      size_t used) {
  return absl::OutOfRangeError(absl::StrCat(
      "The binding table has ", given, " slots; the commands use ", used, "."));
}

[[gnu::cold, gnu::noinline]] absl::Status ExplainSlot(
    size_t index, const BufferBinding& binding, const SlotRequirements& slot) {
  const absl::Status status = ExplainBinding(binding, slot);
  if (status.ok()) return status;
  return absl::Status(
      status.code(), absl::StrCat("Slot ", index,
                                  " of the binding table: ", status.message()));
}

}  // namespace

absl::StatusOr<RecordedRef> ValidateRef(const BufferRef& ref,
                                        const RangeUse& use, SlotTable& slots) {
  return ref.buffer ? ValidateDirect(ref, use)
                    : ValidateIndirect(ref, use, slots);
}

absl::Status ValidatePattern(size_t pattern_length) {
  if (pattern_length == 1 || pattern_length == 2 || pattern_length == 4 ||
      pattern_length == 8) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "A fill's pattern has ", pattern_length, " bytes, not 1, 2, 4 or 8."));
}

absl::Status ValidateCopy(const RecordedRef& source,
                          const RecordedRef& target) {
  if (source.length != target.length) {
    return absl::InvalidArgumentError(
        absl::StrCat("A copy's source has ", source.length,
                     " bytes and its target ", target.length, "."));
  }
  if (source.buffer == nullptr || target.buffer == nullptr) {
    return absl::OkStatus();
  }
  if (&source.buffer->allocation() != &target.buffer->allocation()) {
    return absl::OkStatus();
  }
  const uint64_t from = source.buffer->byte_offset() + source.offset;
  const uint64_t to = target.buffer->byte_offset() + target.offset;
  if (std::max(from, to) - std::min(from, to) >= source.length) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("A copy of ", source.length, " bytes from offset ", from,
                   " to ", to, " of one allocation overlaps itself."));
}

namespace {

std::string CountText(uint32_t count) {
  return absl::StrCat(ExportInfo::Declared(count) ? "" : "up to ",
                      ExportInfo::MaxOf(count));
}

}  // namespace

absl::Status ValidateDispatch(const Executable* executable,
                              uint64_t export_ordinal, size_t constant_count,
                              size_t binding_count) {
  if (executable == nullptr) {
    return absl::InvalidArgumentError("A dispatch has no executable.");
  }
  const std::span<const ExportInfo> exports = executable->exports();
  if (export_ordinal >= exports.size()) {
    return absl::OutOfRangeError(absl::StrCat(
        "Export ", export_ordinal,
        " is past the executable's last one (it has ", exports.size(), ")."));
  }
  const ExportInfo& info = exports[export_ordinal];
  if (ExportInfo::Fits(constant_count, info.constant_count) &&
      ExportInfo::Fits(binding_count, info.binding_count)) [[likely]] {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("A dispatch of '", PlainName(info.name), "' has ",
                   constant_count, " constants and ", binding_count,
                   " bindings; it takes ", CountText(info.constant_count),
                   " and ", CountText(info.binding_count), "."));
}

absl::Status ValidateWorkgroupCount(const uint32_t (&count)[3]) {
  const std::optional<uint64_t> total =
      CheckedMul<uint64_t>(uint64_t{count[0]} * count[1], count[2]);
  if (count[2] <= kMaxWorkgroupsZ && total && *total <= kMaxWorkgroups)
      [[likely]] {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("A dispatch of ", count[0], "x", count[1], "x", count[2],
                   " workgroups exceeds the limits (", kMaxWorkgroupsZ,
                   " in z, ", kMaxWorkgroups, " in all)."));
}

absl::Status ValidateTable(const SlotTable& slots,
                           std::span<const BufferBinding> table) {
  if (table.size() < slots.size()) [[unlikely]]
    return TooFewSlots(table.size(), slots.size());
  const BufferBinding* binding = table.data();
  for (const SlotRequirements& slot : slots) {
    const BufferBinding& bound = *binding++;
    if (!slot.used || BindingFits(bound, slot)) [[likely]]
      continue;
    absl::Status status = ExplainSlot(&slot - slots.data(), bound, slot);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace eyrie::hal
