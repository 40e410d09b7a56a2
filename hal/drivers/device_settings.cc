#include "hal/drivers/device_settings.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/hex.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "base/suggest.h"

namespace eyrie::hal {
namespace {

// Replaces "%2F" by its byte. Returns nullopt if two digits do not follow.
std::optional<std::string> Unescape(absl::string_view text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      plain += text[i];
      continue;
    }
    const auto byte = BytesOfHex(text.substr(i + 1, 2));
    if (!byte.has_value() || byte->empty()) return std::nullopt;
    plain += *byte;
    i += 2;
  }
  return plain;
}

absl::Status NoSuchSetting(const Driver& driver, absl::string_view key) {
  std::vector<std::string> keys;
  for (const DeviceSetting& setting : driver.settings()) {
    keys.emplace_back(setting.key);
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "The device '", driver.name(), "' has no setting '", PlainName(key), "'",
      keys.empty() ? "; it has none."
                   : absl::StrCat("; it has ", absl::StrJoin(keys, ", "), "."),
      DidYouMean(std::string(key), keys)));
}

}  // namespace

absl::Status ApplySettings(const Driver& driver, absl::string_view text,
                           DriverOptions& options) {
  std::set<absl::string_view> given;
  for (const absl::string_view each : absl::StrSplit(text, '&')) {
    const size_t equals = std::min(each.find('='), each.size());
    const absl::string_view key = each.substr(0, equals);
    const DeviceSetting* found = nullptr;
    for (const DeviceSetting& setting : driver.settings()) {
      if (setting.key == key) found = &setting;
    }
    if (found == nullptr) return NoSuchSetting(driver, key);
    if (!given.insert(key).second) {
      return absl::InvalidArgumentError(
          absl::StrCat("The setting '", key, "' is given twice."));
    }
    const auto value = Unescape(each.substr(std::min(equals + 1, each.size())));
    if (!value || !found->apply(*value, options)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "The setting '", PlainName(each), "' of '", driver.name(),
          "' is malformed; expected ", found->expected, "."));
    }
  }
  return absl::OkStatus();
}

}  // namespace eyrie::hal
