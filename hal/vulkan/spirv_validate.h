// Full validation of shaders by SPIRV-Tools, for who asks for it: a library
// that is loaded then, and that nothing else needs.
//
// It finds compilers' errors. It does not make a stranger's shader safe: what
// it passes may still bring a driver down.
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

// What the linker finds if the library is installed. Debian's package
// spirv-tools has an archive alone; //plugins/spirv_tools makes this of it.
inline constexpr char kSpirvToolsLibrary[] = "libSPIRV-Tools-shared.so";

// SPIRV-Tools. Immutable; copies are the same; shared by threads. The library
// stays loaded until the process ends.
class SpirvValidator {
 public:
  // Loads the library, a path or a name as the linker takes it; that of
  // //plugins/spirv_tools where there is no kSpirvToolsLibrary.
  // FAILED_PRECONDITION: there is none, or it is another.
  static absl::StatusOr<SpirvValidator> Load(
      const std::string& library = kSpirvToolsLibrary);

  // Validates a shader, as ReadSpirv left it, by the rules of Vulkan 1.3.
  // INVALID_ARGUMENT: it breaks one; the sentence is the library's. A shader
  // with a capability that the library is too old for is not judged.
  absl::Status Validate(std::span<const uint32_t> words) const;

 private:
  struct Functions;
  explicit SpirvValidator(std::shared_ptr<const Functions> functions)
      : tools_(std::move(functions)) {}

  std::shared_ptr<const Functions> tools_;
};

}  // namespace eyrie::hal::vulkan

#endif  // EYRIE_HAL_VULKAN_SPIRV_VALIDATE_H_
