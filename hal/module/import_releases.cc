#include "hal/module/import_releases.h"

#include "vm/isa/release.h"

namespace eyrie::hal {
namespace {

using enum vm::Release;

constexpr ImportRelease kReleases[] = {
#define HAL_IMPORT(name, signature, function, first, last, ...) \
  {"hal", name, signature, first, last, "" __VA_ARGS__},
#include "hal/module/imports.def"
#undef HAL_IMPORT
#define HAL_IMPORT(name, signature, function, first, last, ...) \
  {"hal_inline", name, signature, first, last, "" __VA_ARGS__},
#include "hal/module/inline_imports.def"
#undef HAL_IMPORT
#define HAL_IMPORT(name, signature, function, first, last, ...) \
  {"hal_loader", name, signature, first, last, "" __VA_ARGS__},
#include "hal/module/loader_imports.def"
#undef HAL_IMPORT
#define HAL_IMPORT(name, signature, function, first, last, ...) \
  {"io_parameters", name, signature, first, last, "" __VA_ARGS__},
#include "hal/module/parameters_imports.def"
#undef HAL_IMPORT
};

}  // namespace

std::span<const ImportRelease> ImportReleases() { return kReleases; }

}  // namespace eyrie::hal
