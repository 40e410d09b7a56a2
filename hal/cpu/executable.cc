#include "hal/cpu/executable.h"

#include <memory>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "hal/cpu/elf_loader.h"
#include "hal/cpu/kernel_plugin.h"
#include "hal/cpu/library_executable.h"
#include "hal/cpu/machine/instruction_set.h"
#include "hal/cpu/perf_functions.h"
#include "hal/cpu/system_library.h"

namespace eyrie::hal::cpu {
namespace {

// Returns the loader of a format, or null if there is none.
const ExecutableLoader* FindLoader(absl::string_view format,
                                   const DriverOptions& options) {
  for (const auto& loader : options.loaders) {
    if (loader->format() == format) return loader.get();
  }
  return nullptr;
}

absl::Status NoSuchFormat(absl::string_view format,
                          const DriverOptions& options) {
  const auto formats = SupportedFormats(options);
  return absl::UnimplementedError(absl::StrCat(
      "Executables of the format '", PlainName(format),
      "' do not run here; formats that run: ",
      formats.empty() ? "none" : absl::StrJoin(formats, ", "), "."));
}

}  // namespace

std::vector<absl::string_view> SupportedFormats(const DriverOptions& options) {
  std::vector<absl::string_view> formats;
  for (const auto& loader : options.loaders) {
    formats.push_back(loader->format());
  }
  if (options.allow_native_code) {
    formats.push_back(ThisInstructionSet().embedded_format);
    if (options.allow_system_executables) {
      formats.push_back(ThisInstructionSet().system_format);
    }
  }
  return formats;
}

bool SupportsFormat(absl::string_view format, const DriverOptions& options) {
  return absl::c_linear_search(SupportedFormats(options), format);
}

absl::StatusOr<Ref<hal::Executable>> LoadExecutable(
    const ExecutableParams& params, const DriverOptions& options,
    FeatureSet machine) {
  if (const ExecutableLoader* loader = FindLoader(params.format, options)) {
    return loader->Load(params);
  }
  const bool is_embedded =
      params.format == ThisInstructionSet().embedded_format;
  if (!is_embedded && params.format != ThisInstructionSet().system_format) {
    return NoSuchFormat(params.format, options);
  }
  if (!options.allow_native_code) {
    return absl::UnimplementedError(
        absl::StrCat("Executables of the format '", params.format,
                     "' are native code, which is not allowed here."));
  }
  std::unique_ptr<Image> image;
  if (is_embedded) {
    ASSIGN_OR_RETURN(image, ElfImage::Load(params.data, ElfUse::kRun, nullptr,
                                           {params.memory, params.caller}));
  } else if (options.allow_system_executables) {
    ASSIGN_OR_RETURN(image, LoadSystemLibrary(params.data));
  } else {
    return absl::UnimplementedError(
        absl::StrCat("Executables of the format '", params.format,
                     "' are loaded by the system's linker, which needs "
                     "--allow_system_executables."));
  }
  ASSIGN_OR_RETURN(
      const Ref<LibraryExecutable> library,
      CreateLibraryExecutable(std::move(image), params.constants, machine,
                              options.Of<KernelPlugins>().loaded));
  if (options.perf_map) {
    RETURN_IF_ERROR(
        options.perf_map->Add(PerfFunctions(*library, params.data)));
  }
  return Ref<hal::Executable>(library);
}

}  // namespace eyrie::hal::cpu
