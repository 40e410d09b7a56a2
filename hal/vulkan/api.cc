// Loads Vulkan and names its results.
// Tested by driver_test.cc.
#include "hal/vulkan/api.h"

#include "absl/strings/str_cat.h"

namespace eyrie::hal::vulkan {
namespace {

struct ResultRow {
  VkResult result;
  absl::StatusCode code;
  const char* name;
};

// Source: Vulkan specification, "Return Codes".
constexpr ResultRow kResults[] = {
#define ROW(name, code) {name, absl::StatusCode::code, #name}
    ROW(VK_ERROR_OUT_OF_HOST_MEMORY, kResourceExhausted),
    ROW(VK_ERROR_OUT_OF_DEVICE_MEMORY, kResourceExhausted),
    ROW(VK_ERROR_TOO_MANY_OBJECTS, kResourceExhausted),
    ROW(VK_ERROR_OUT_OF_POOL_MEMORY, kResourceExhausted),
    ROW(VK_ERROR_FRAGMENTED_POOL, kResourceExhausted),
    ROW(VK_ERROR_DEVICE_LOST, kUnavailable),
    ROW(VK_ERROR_LAYER_NOT_PRESENT, kUnavailable),
    ROW(VK_ERROR_EXTENSION_NOT_PRESENT, kUnavailable),
    ROW(VK_ERROR_FEATURE_NOT_PRESENT, kUnavailable),
    ROW(VK_ERROR_INCOMPATIBLE_DRIVER, kUnavailable),
    ROW(VK_ERROR_INITIALIZATION_FAILED, kUnavailable),
    ROW(VK_ERROR_INVALID_EXTERNAL_HANDLE, kUnavailable),
    ROW(VK_ERROR_MEMORY_MAP_FAILED, kInternal),
    ROW(VK_ERROR_FORMAT_NOT_SUPPORTED, kInternal),
    ROW(VK_ERROR_INVALID_SHADER_NV, kInternal),
    ROW(VK_ERROR_UNKNOWN, kInternal),
#undef ROW
};

const ResultRow* FindRow(VkResult result) {
  for (const ResultRow& row : kResults) {
    if (row.result == result) return &row;
  }
  return nullptr;
}

}  // namespace

absl::Status LoadVulkan() {
  static const VkResult loaded = volkInitialize();
  if (loaded == VK_SUCCESS) return absl::OkStatus();
  return absl::UnavailableError(
      "The Vulkan loader, libvulkan.so.1, is not installed or cannot be loaded "
      "(Debian: libvulkan1, and a driver such as mesa-vulkan-drivers).");
}

const char* ResultName(VkResult result) {
  const ResultRow* const row = FindRow(result);
  return row != nullptr ? row->name : "unknown result";
}

absl::Status Check(VkResult result, absl::string_view what) {
  if (result >= 0) [[likely]]
    return absl::OkStatus();
  const ResultRow* const row = FindRow(result);
  const absl::StatusCode code =
      row != nullptr ? row->code : absl::StatusCode::kInternal;
  return absl::Status(code, absl::StrCat(what, " failed: ", ResultName(result),
                                         " (", static_cast<int>(result), ")."));
}

}  // namespace eyrie::hal::vulkan
