// Optional full validation of shaders by SPIRV-Tools, a library that is loaded
// only when needed.
//
// Validation finds compiler errors. It does not make an untrusted shader safe:
// a valid shader may still crash a driver.
// Tested by spirv_validate_test.cc.
#ifndef EYRIE_HAL_VULKAN_SPIRV_VALIDATE_H_
#define EYRIE_HAL_VULKAN_SPIRV_VALIDATE_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace eyrie::hal::vulkan {

// The library's name for dlopen. Debian's spirv-tools package contains only an
// archive; //plugins/spirv_tools builds this shared library from it.
inline constexpr char kSpirvToolsLibrary[] = "libSPIRV-Tools-shared.so";

// A handle to SPIRV-Tools. Immutable, cheap to copy, shared by threads. The
// library stays loaded until the process ends.
class SpirvValidator {
 public:
  // Loads the library from a path or a name for dlopen. If kSpirvToolsLibrary
  // is not installed, tries the one that //plugins/spirv_tools builds.
  // FAILED_PRECONDITION: the library is not found, or it is a different
  // library.
  static absl::StatusOr<SpirvValidator> Load(
      const std::string& library = kSpirvToolsLibrary);

  // Validates a shader that ReadSpirv has returned, by the rules of Vulkan 1.3.
  // INVALID_ARGUMENT: the shader is invalid; the message is the library's.
  // Returns OK if the shader uses a capability that is too new for the library.
  absl::Status Validate(std::span<const uint32_t> words) const;

 private:
  struct Functions;
  explicit SpirvValidator(std::shared_ptr<const Functions> functions)
      : tools_(std::move(functions)) {}

  std::shared_ptr<const Functions> tools_;
};

}  // namespace eyrie::hal::vulkan

#endif  // EYRIE_HAL_VULKAN_SPIRV_VALIDATE_H_
