#include "abi/call/host_imports.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "hal/module/import_releases.h"
#include "vm/isa/version.h"

namespace eyrie::abi {
namespace {

// Parses the releases in a row of kBytecodeVersions: "3.1 to 3.9" or "3.10".
ReleaseRange ParseReleases(absl::string_view text) {
  const std::vector<absl::string_view> ends = absl::StrSplit(text, " to ");
  ReleaseRange range;
  const auto minor = [](absl::string_view release, int& number) {
    return absl::SimpleAtoi(release.substr(release.find('.') + 1), &number);
  };
  const bool parsed =
      minor(ends.front(), range.first) && minor(ends.back(), range.last);
  return parsed ? range : ReleaseRange{1, 0};
}

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

ReleaseRange ReleaseRange::And(const ReleaseRange& other) const {
  return {std::max(first, other.first), std::min(last, other.last)};
}

std::string ReleaseRange::ToString() const {
  if (empty()) return "none";
  if (first == last) return absl::StrCat("3.", first);
  return absl::StrCat("3.", first, " to 3.", last);
}

bool IsHostModule(absl::string_view name) {
  return absl::c_any_of(hal::ImportReleases(),
                        [&](const auto& row) { return name == row.module; });
}

std::optional<ReleaseRange> ReleasesOf(absl::string_view full_name,
                                       absl::string_view calling_convention) {
  const hal::ImportRelease* row = FindImport(full_name, calling_convention);
  if (row == nullptr) return std::nullopt;
  return ReleaseRange{row->first, row->last};
}

absl::string_view RolesOf(absl::string_view full_name,
                          absl::string_view calling_convention) {
  const hal::ImportRelease* row = FindImport(full_name, calling_convention);
  return row == nullptr ? "" : row->roles;
}

ReleaseRange ReleasesOf(const vm::ModuleDef& module) {
  ReleaseRange range = ParseReleases(module.bytecode_version->releases);
  for (const vm::ImportDef& import : module.imports) {
    const auto releases =
        ReleasesOf(import.full_name, import.calling_convention);
    if (releases.has_value()) range = range.And(*releases);
  }
  return range;
}

}  // namespace eyrie::abi
