#include "hal/file_transfer.h"

#include <span>

#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "hal/paid_transfer.h"

namespace eyrie::hal {
namespace {

// Maps a range, calls `move(offset, bytes)` for its pieces, and unmaps it even
// if that fails.
template <typename Move>
absl::Status MoveMapped(WorkBudget* work, absl::string_view what,
                        const BufferRef& range, MemoryAccess access,
                        const Move& move) {
  ASSIGN_OR_RETURN(const std::span<uint8_t> bytes,
                   range.buffer->Map(access, range.offset, range.length));
  absl::Status moved =
      MovePaid(work, what, bytes.size(), [&](uint64_t offset, uint64_t length) {
        return move(offset, bytes.subspan(offset, length));
      });
  moved.Update(range.buffer->Unmap(range.offset, range.length));
  return moved;
}

}  // namespace

absl::Status ReadFile(WorkBudget* work, const File& source,
                      uint64_t source_offset, const BufferRef& target) {
  return MoveMapped(work, "read", target, memory_access::kDiscardWrite,
                    [&](uint64_t offset, std::span<uint8_t> bytes) {
                      return source.Read(source_offset + offset, bytes);
                    });
}

absl::Status WriteFile(WorkBudget* work, const BufferRef& source, File& target,
                       uint64_t target_offset) {
  return MoveMapped(work, "write", source, memory_access::kRead,
                    [&](uint64_t offset, std::span<uint8_t> bytes) {
                      return target.Write(target_offset + offset, bytes);
                    });
}

}  // namespace eyrie::hal
