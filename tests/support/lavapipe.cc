// Sets the loader's variables, and suppresses lavapipe's leaks.
#include "tests/support/lavapipe.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>

namespace eyrie {
namespace {

// Debian's Mesa: the device's description and its library.
constexpr char kDescription[] = "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json";
constexpr char kLibrary[] = "libvulkan_lvp.so";

bool Choose() {
  if (access(kDescription, R_OK) != 0) return false;
  setenv("VK_ICD_FILENAMES", kDescription, /*overwrite=*/0);
  setenv("LP_NUM_THREADS", "0", /*overwrite=*/0);
  // Keeps the driver loaded. If Vulkan's loader unloads it, its leaks cannot be
  // recognized and suppressed.
  dlopen(kLibrary, RTLD_NOW | RTLD_NODELETE);
  return true;
}

}  // namespace

void ChooseLavapipe() {
  [[maybe_unused]] static const bool is_chosen = Choose();
}

}  // namespace eyrie

// Mesa 22.3's lavapipe leaks 128 bytes per opened device. Debian 12's
// validation layer leaks its records of submissions.
extern "C" const char* __lsan_default_suppressions() {  // NOLINT
  return "leak:libvulkan_lvp.so\nleak:libVkLayer_khronos_validation.so\n";
}
