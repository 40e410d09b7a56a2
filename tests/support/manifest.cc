#include "tests/support/manifest.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace eyrie::tests {
namespace {

using Lines = std::vector<std::string>;

constexpr char kFolder[] = "tests/modules/";

bool IsForVulkan(const Json& module) {
  const Lines devices = module.value("devices", Lines());
  return std::find(devices.begin(), devices.end(), "vulkan") != devices.end();
}

std::vector<Json> Modules(bool for_vulkan) {
  std::ifstream file(absl::StrCat(kFolder, "manifest.json"));
  const Json manifest = Json::parse(file, nullptr, /*allow_exceptions=*/false);
  std::vector<Json> modules;
  if (!manifest.is_object()) return modules;
  const char* only = std::getenv("EYRIE_MANIFEST_ONLY");
  for (const Json& module : manifest["modules"]) {
    if (!module.contains("cases") || module["cases"].empty()) continue;
    if (IsForVulkan(module) != for_vulkan) continue;
    const std::string path = module["file"];
    if (only == nullptr || absl::StrContains(path, only)) {
      modules.push_back(module);
    }
  }
  return modules;
}

}  // namespace

std::vector<Json> ManifestModules() { return Modules(/*for_vulkan=*/false); }

std::vector<Json> VulkanModules() { return Modules(/*for_vulkan=*/true); }

ProgramsOr LoadPrograms(const Json& module) {
  Programs programs;
  programs.devices = module.value("devices", Lines());
  Lines paths;
  if (module.contains("needs")) paths = module["needs"].get<Lines>();
  paths.push_back(module["file"].get<std::string>());
  for (const std::string& path : paths) {
    ASSIGN_OR_RETURN(abi::Program program,
                     abi::LoadProgram(absl::StrCat(kFolder, path)));
    programs.push_back(std::move(program));
  }
  return programs;
}

std::vector<Json> CallsOf(const Json& entry) {
  if (!entry.contains("sequence")) return {entry};
  return entry["sequence"].get<std::vector<Json>>();
}

}  // namespace eyrie::tests
