#include "hal/executable.h"

namespace eyrie::hal {

std::optional<uint32_t> Executable::FindExport(absl::string_view name) const {
  const std::span<const ExportInfo> all = exports();
  for (uint32_t i = 0; i < all.size(); ++i) {
    if (all[i].name == name) return i;
  }
  return std::nullopt;
}

absl::Status Executable::RunOnHost(const HostDispatch&) const {
  return absl::UnimplementedError(
      "The executable runs on its device only, not on host memory.");
}

}  // namespace eyrie::hal
