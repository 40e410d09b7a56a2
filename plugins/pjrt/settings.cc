// Reads the options of a client.
#include "plugins/pjrt/settings.h"

#include <cstdlib>
#include <limits>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "plugins/pjrt/given.h"

namespace eyrie::pjrt {
namespace {

struct Row {
  const char* name;
  const char* variable;
};

constexpr Row kRows[] = {
#define SETTING(name, variable, description) {#name, variable},
#include "plugins/pjrt/settings.def"
};

absl::Status Wrong(const char* name, absl::string_view value,
                   absl::string_view want) {
  return absl::InvalidArgumentError(absl::StrCat("The option ", name, " is \"",
                                                 PlainText(value, 256),
                                                 "\"; it must be ", want, "."));
}

// Sets a member of the settings to a value that was given as text.
absl::Status Set(std::string& member, const char*, absl::string_view text) {
  member = std::string(text);
  return absl::OkStatus();
}

absl::Status Set(int64_t& member, const char* name, absl::string_view text) {
  int64_t number = 0;
  if (!absl::SimpleAtoi(text, &number) || number < 0 ||
      number > std::numeric_limits<int32_t>::max()) {
    return Wrong(name, text, "a whole number from 0 to 2147483647");
  }
  member = number;
  return absl::OkStatus();
}

absl::Status Set(bool& member, const char* name, absl::string_view text) {
  if (text != "0" && text != "1" && text != "true" && text != "false") {
    return Wrong(name, text, "0, 1, true or false");
  }
  member = text == "1" || text == "true";
  return absl::OkStatus();
}

absl::Status SetByName(Settings& settings, absl::string_view name,
                       absl::string_view text) {
#define SETTING(setting, variable, description) \
  if (name == #setting) return Set(settings.setting, #setting, text);
#include "plugins/pjrt/settings.def"
  std::string known;
  for (const Row& row : kRows) {
    absl::StrAppend(&known, known.empty() ? "" : ", ", row.name);
  }
  return absl::InvalidArgumentError(
      absl::StrCat("There is no option \"", PlainText(name, 256),
                   "\"; the options are ", known, "."));
}

absl::StatusOr<std::string> TextOf(const NamedValue& option) {
  switch (option.type) {
    case NamedType::kString: {
      ASSIGN_OR_RETURN(
          const absl::string_view text,
          TextIn(option.string_value, option.value_size, "string_value"));
      return std::string(text);
    }
    case NamedType::kInt64:
      return absl::StrCat(option.int64_value);
    case NamedType::kBool:
      return std::string(option.bool_value != 0 ? "1" : "0");
    case NamedType::kFloat:
      return absl::StrCat(option.float_value);
    case NamedType::kInt64List:
      break;
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "The option \"",
      PlainText(absl::string_view(option.name, option.name_size), 256),
      "\" is a list, or of an unknown type."));
}

absl::Status CheckCount(const Settings& settings) {
  if (settings.device_count >= 1 && settings.device_count <= 64) {
    return absl::OkStatus();
  }
  return Wrong("device_count", absl::StrCat(settings.device_count), "1 to 64");
}

}  // namespace

absl::StatusOr<Settings> ReadSettings(const NamedValue* list, size_t count) {
  Settings settings;
  for (const Row& row : kRows) {
    const char* const value = std::getenv(row.variable);
    if (value == nullptr || value[0] == '\0') continue;
    RETURN_IF_ERROR(Annotate(SetByName(settings, row.name, value),
                             absl::StrCat("(from ", row.variable, ")")));
  }
  ASSIGN_OR_RETURN(const std::vector<NamedValue> options,
                   StructsIn(list, count, sizeof(NamedValue), "NamedValue"));
  for (const NamedValue& option : options) {
    ASSIGN_OR_RETURN(const absl::string_view name,
                     TextIn(option.name, option.name_size, "name"));
    ASSIGN_OR_RETURN(const std::string text, TextOf(option));
    RETURN_IF_ERROR(SetByName(settings, name, text));
  }
  RETURN_IF_ERROR(CheckCount(settings));
  return settings;
}

std::string TopologyText(const Settings& settings) {
  return absl::StrCat("device_count=", settings.device_count,
                      " device=", settings.device);
}

absl::StatusOr<Settings> ReadTopologyText(absl::string_view text) {
  absl::string_view rest = text;
  const size_t blank = text.find(' ');
  if (!absl::ConsumePrefix(&rest, "device_count=") ||
      blank == absl::string_view::npos) {
    return absl::InvalidArgumentError("This is no topology of this plug-in.");
  }
  Settings settings;
  RETURN_IF_ERROR(Set(settings.device_count, "device_count",
                      rest.substr(0, rest.find(' '))));
  RETURN_IF_ERROR(CheckCount(settings));
  rest = text.substr(blank + 1);
  if (!absl::ConsumePrefix(&rest, "device=")) {
    return absl::InvalidArgumentError("This is no topology of this plug-in.");
  }
  settings.device = std::string(rest);
  return settings;
}

}  // namespace eyrie::pjrt
