#include "abi/v0/attributes.h"

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace eyrie::abi::v0 {
namespace {

constexpr absl::string_view kVersion = "1";

// The conventions by their names in `abi`. Each has a signature and a version.
constexpr struct Convention {
  absl::string_view name;
  absl::string_view key;
  absl::string_view version_key;
  std::optional<absl::string_view> Attributes::* signature;
} kConventions[] = {
    {"raw", "f", "fv", &Attributes::raw},
    {"sip", "sip", "sipv", &Attributes::sip},
};
constexpr absl::string_view kEarlierKey = "abi";
constexpr absl::string_view kEarlierVersionKey = "abiv";

absl::Status CheckVersion(std::span<const vm::Attribute> attributes,
                          absl::string_view key, absl::string_view name) {
  const auto version = vm::FindAttribute(attributes, key);
  if (!version || *version == kVersion) return absl::OkStatus();
  return absl::UnimplementedError(absl::StrCat(
      "Version '", absl::CHexEscape(*version), "' of the V0 convention '", name,
      "' (attribute '", key, "') is not known; version ", kVersion, " is."));
}

// Checks `abi` and `abiv`, if present.
absl::Status CheckEarlier(std::span<const vm::Attribute> attributes,
                          const Attributes& found) {
  const auto name = vm::FindAttribute(attributes, kEarlierKey);
  if (!name) {
    const auto version = vm::FindAttribute(attributes, kEarlierVersionKey);
    if (!version) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat(
        "Attribute 'abiv' is '", absl::CHexEscape(*version),
        "', and the convention whose version it is, attribute 'abi' ('raw' or "
        "'sip'), is missing."));
  }
  for (const Convention& convention : kConventions) {
    if (*name != convention.name) continue;
    RETURN_IF_ERROR(
        CheckVersion(attributes, kEarlierVersionKey, convention.name));
    if (found.*convention.signature) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat(
        "Attribute 'abi' is '", *name, "', and its signature, attribute '",
        convention.key, "', is missing."));
  }
  return absl::UnimplementedError(
      absl::StrCat("The calling convention '", absl::CHexEscape(*name),
                   "' (attribute 'abi') is not known; 'raw' and 'sip' are."));
}

}  // namespace

absl::StatusOr<Attributes> Attributes::Read(
    std::span<const vm::Attribute> attributes) {
  Attributes found;
  for (const Convention& convention : kConventions) {
    found.*convention.signature = vm::FindAttribute(attributes, convention.key);
    if (!(found.*convention.signature)) continue;
    RETURN_IF_ERROR(
        CheckVersion(attributes, convention.version_key, convention.name));
  }
  RETURN_IF_ERROR(CheckEarlier(attributes, found));
  found.result_allocator = vm::FindAttribute(attributes, kResultAllocatorKey);
  return found;
}

}  // namespace eyrie::abi::v0
