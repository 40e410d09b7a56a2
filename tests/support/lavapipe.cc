// Sets the loader's variables, and tells sanitizers what is lavapipe's.
#include "tests/support/lavapipe.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>

namespace eyrie {
namespace {

// Where Debian's Mesa describes the device, and where it is.
constexpr char kDescription[] = "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json";
constexpr char kLibrary[] = "libvulkan_lvp.so";

bool Choose() {
  if (access(kDescription, R_OK) != 0) return false;
  setenv("VK_ICD_FILENAMES", kDescription, /*overwrite=*/0);
  setenv("LP_NUM_THREADS", "0", /*overwrite=*/0);
  // Vulkan's loader unloads drivers; what they have leaked could not be told
  // from anybody's then.
  dlopen(kLibrary, RTLD_NOW | RTLD_NODELETE);
  return true;
}

}  // namespace

void ChooseLavapipe() {
  [[maybe_unused]] static const bool is_chosen = Choose();
}

}  // namespace eyrie

// Mesa 22.3's lavapipe leaks 128 bytes for each device that is opened, and the
// validation layer of Debian 12 what it keeps of submissions.
extern "C" const char* __lsan_default_suppressions() {  // NOLINT
  return "leak:libvulkan_lvp.so\nleak:libVkLayer_khronos_validation.so\n";
}
