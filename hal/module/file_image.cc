#include "hal/module/file_image.h"

#include <utility>

#include "base/status_macros.h"

namespace eyrie::hal {
namespace {

// For fewer bytes, a copy is cheaper than a mapping of whole pages.
constexpr uint64_t kLeastMapped = uint64_t{16} * 1024;

}  // namespace

absl::StatusOr<Ref<Buffer>> CreateFileImage(const HalModuleState& state,
                                            Allocator& allocator,
                                            const BufferParams& params,
                                            const MappedFile* file,
                                            std::span<const uint8_t> bytes,
                                            absl::string_view what) {
  if (file == nullptr || bytes.size() < kLeastMapped) return Ref<Buffer>();
  ASSIGN_OR_RETURN(MemoryCharge charge, state.Charge(bytes.size(), what));
  const auto mapping = file->MapPrivately(bytes);
  if (!mapping.ok()) return Ref<Buffer>();
  auto image =
      allocator.ImportHost(params, (*mapping)->bytes(), [keep = *mapping] {});
  if (!image.ok()) return Ref<Buffer>();
  (*image)->Hold(std::move(charge));
  return image;
}

}  // namespace eyrie::hal
