#include "hal/drivers/device_settings.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/hex.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "base/suggest.h"
#include "hal/cpu/task/options.h"
#include "hal/vulkan/options.h"

namespace eyrie::hal {
namespace {

using cpu::TaskOptions;
using vulkan::VulkanOptions;

// One setting: its driver, key, and how it changes the options. Returns false
// if the value is malformed.
struct DeviceSetting {
  absl::string_view driver;
  absl::string_view key;
  const char* expected;
  bool (*apply)(const std::string& value, DriverOptions& options);
};

bool SetCount(const std::string& value, int64_t& to) {
  return absl::SimpleAtoi(value, &to) && to >= 0;
}

constexpr DeviceSetting kSettings[] = {
    {"local-task", "cores", "'physical' or 'logical'",
     [](const std::string& value, DriverOptions& options) {
       options.Of<TaskOptions>().mode = absl::StrCat(value, "_cores");
       return value == "physical" || value == "logical";
     }},
    {"local-task", "cpus", "processors, such as '0-3,8'",
     [](const std::string& value, DriverOptions& options) {
       options.Of<TaskOptions>().cpu_ids = {value};
       return !value.empty();
     }},
    {"local-task", "max_threads", "a number",
     [](const std::string& value, DriverOptions& options) {
       return SetCount(value, options.Of<TaskOptions>().max_group_count);
     }},
    {"local-task", "spin_us", "a number",
     [](const std::string& value, DriverOptions& options) {
       return SetCount(value, options.Of<TaskOptions>().spin_us);
     }},
    {"local-task", "stack_bytes", "a number",
     [](const std::string& value, DriverOptions& options) {
       return SetCount(value, options.Of<TaskOptions>().stack_bytes);
     }},
    {"local-task", "threads", "a number",
     [](const std::string& value, DriverOptions& options) {
       return SetCount(value, options.Of<TaskOptions>().group_count);
     }},
    {"vulkan", "pipeline_cache", "a folder",
     [](const std::string& value, DriverOptions& options) {
       options.Of<VulkanOptions>().cache_folder = value;
       return !value.empty();
     }},
};

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

absl::Status NoSuchSetting(absl::string_view driver, absl::string_view key) {
  std::vector<std::string> keys;
  for (const DeviceSetting& setting : kSettings) {
    if (setting.driver == driver) keys.emplace_back(setting.key);
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "The device '", driver, "' has no setting '", PlainName(key), "'",
      keys.empty() ? "; it has none."
                   : absl::StrCat("; it has ", absl::StrJoin(keys, ", "), "."),
      DidYouMean(std::string(key), keys)));
}

}  // namespace

absl::Status ApplySettings(absl::string_view driver, absl::string_view text,
                           DriverOptions& options) {
  std::set<absl::string_view> given;
  for (const absl::string_view each : absl::StrSplit(text, '&')) {
    const size_t equals = std::min(each.find('='), each.size());
    const absl::string_view key = each.substr(0, equals);
    const DeviceSetting* found = nullptr;
    for (const DeviceSetting& setting : kSettings) {
      if (setting.driver == driver && setting.key == key) found = &setting;
    }
    if (found == nullptr) return NoSuchSetting(driver, key);
    if (!given.insert(key).second) {
      return absl::InvalidArgumentError(
          absl::StrCat("The setting '", key, "' is given twice."));
    }
    const auto value = Unescape(each.substr(std::min(equals + 1, each.size())));
    if (!value || !found->apply(*value, options)) {
      return absl::InvalidArgumentError(
          absl::StrCat("The setting '", PlainName(each), "' of '", driver,
                       "' is malformed; expected ", found->expected, "."));
    }
  }
  return absl::OkStatus();
}

}  // namespace eyrie::hal
