#include "abi/call/host_imports.h"

#include "absl/algorithm/container.h"
#include "hal/module/import_releases.h"
#include "vm/isa/version.h"

namespace eyrie::abi {
namespace {

// Returns the row of "module.function"; null if there is none.
const hal::ImportRelease* FindImport(absl::string_view full_name,
                                     absl::string_view calling_convention) {
  const size_t dot = full_name.find('.');
  if (dot == full_name.npos) return nullptr;
  for (const hal::ImportRelease& row : hal::ImportReleases()) {
    if (full_name.substr(0, dot) == row.module &&
        full_name.substr(dot + 1) == row.name &&
        calling_convention == row.signature) {
      return &row;
    }
  }
  return nullptr;
}

}  // namespace

bool IsHostModule(absl::string_view name) {
  return absl::c_any_of(hal::ImportReleases(),
                        [&](const auto& row) { return name == row.module; });
}

std::optional<vm::ReleaseRange> ReleasesOf(
    absl::string_view full_name, absl::string_view calling_convention) {
  const hal::ImportRelease* row = FindImport(full_name, calling_convention);
  if (row == nullptr) return std::nullopt;
  return vm::ReleaseRange{row->first, row->last};
}

absl::string_view RolesOf(absl::string_view full_name,
                          absl::string_view calling_convention) {
  const hal::ImportRelease* row = FindImport(full_name, calling_convention);
  return row == nullptr ? "" : row->roles;
}

vm::ReleaseRange ReleasesOf(const vm::ModuleDef& module) {
  vm::ReleaseRange range = module.bytecode_version->releases;
  for (const vm::ImportDef& import : module.imports) {
    const auto releases =
        ReleasesOf(import.full_name, import.calling_convention);
    if (releases.has_value()) range = range.And(*releases);
  }
  return range;
}

}  // namespace eyrie::abi
