// Looks bytecode versions up and spells features.
#include "vm/isa/version.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace eyrie::vm {

std::string FeaturesToString(uint32_t features) {
  constexpr struct {
    uint32_t bit;
    const char* name;
  } kNames[] = {{kFeatureF32, "EXT_F32"},
                {kFeatureF64, "EXT_F64"},
                {kFeatureYield, "YIELD"},
                {kFeatureUnwind, "UNWIND"}};
  std::string text;
  auto add = [&text](absl::string_view part) {
    absl::StrAppend(&text, text.empty() ? "" : " | ", part);
  };
  for (const auto& row : kNames) {
    if (features & row.bit) add(row.name);
  }
  if (uint32_t rest = features & ~kKnownFeatures; rest != 0) {
    add(absl::StrCat("0x", absl::Hex(rest)));
  }
  return text.empty() ? "none" : text;
}

std::string KnownBytecodeVersions() {
  std::string known;
  for (const BytecodeVersion& version : kBytecodeVersions) {
    absl::StrAppend(&known, known.empty() ? "" : ", ", version.major, ".",
                    version.max_minor, " (", version.releases.ToString(), ")");
  }
  return known;
}

absl::StatusOr<const BytecodeVersion*> FindBytecodeVersion(uint32_t packed) {
  uint32_t major = packed >> 16;
  uint32_t minor = packed & 0xFFFF;
  for (const BytecodeVersion& version : kBytecodeVersions) {
    if (version.major == major && minor <= version.max_minor) return &version;
  }
  return absl::UnimplementedError(
      absl::StrCat("The module's bytecode version is ", major, ".", minor,
                   "; known are ", KnownBytecodeVersions(), "."));
}

absl::StatusOr<const BytecodeVersion*> FindWritableVersion(uint32_t packed) {
  ASSIGN_OR_RETURN(const BytecodeVersion* version, FindBytecodeVersion(packed));
  if (version->decoded_major == version->major) return version;
  return absl::UnimplementedError(
      absl::StrCat("Modules with bytecode ", version->major,
                   " can be read but not written; "
                   "write ",
                   version->decoded_major, " or later."));
}

}  // namespace eyrie::vm
