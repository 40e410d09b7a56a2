// Flags from argv and flag files.
#include "tools/arg_parser.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/status_macros.h"
#include "base/suggest.h"

namespace eyrie::tools {
namespace {

constexpr int kMaxFlagFileDepth = 8;

constexpr Flag kPublicToolFlags[] = {
#define PUBLIC_FLAG(name) {#name, FlagKind::kIgnored, "", ""},
#include "tools/public_flags.def"
#undef PUBLIC_FLAG
};

std::string ToString(absl::string_view text) {
  return std::string(text.data(), text.size());
}

// True for digits alone, behind a sign or none.
bool IsDigits(absl::string_view text) {
  absl::ConsumePrefix(&text, "-");
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), absl::ascii_isdigit);
}

absl::Status CheckValue(const Flag& flag, absl::string_view value) {
  bool is_bool;
  int64_t integer;
  double number;
  const char* want = nullptr;
  if (flag.kind == FlagKind::kBool && !absl::SimpleAtob(value, &is_bool)) {
    want = "true or false";
  } else if (flag.kind == FlagKind::kInt &&
             !absl::SimpleAtoi(value, &integer)) {
    want = IsDigits(value) ? "a whole number of 64 bits" : "a whole number";
  } else if (flag.kind == FlagKind::kDouble &&
             !absl::SimpleAtod(value, &number)) {
    want = "a number";
  }
  if (want == nullptr) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "Flag --", flag.name, " takes ", want, ", not '", value, "'."));
}

[[noreturn]] void Bug(absl::string_view name) {
  std::fprintf(stderr, "eyrie: flag --%s is not in the tool's table\n",
               ToString(name).c_str());
  std::abort();
}

}  // namespace

// Parses into one Arguments.
class ArgParser {
 public:
  explicit ArgParser(std::span<const Flag> flags) : flags_(flags) {
    for (const Flag& flag : flags) {
      Arguments::Setting& setting = arguments_.settings_[flag.name];
      setting.kind = flag.kind;
      if (flag.kind != FlagKind::kList) {
        setting.values = {flag.default_value};
      }
    }
  }

  absl::Status Parse(std::span<const std::string> args, int depth);
  Arguments Take() { return std::move(arguments_); }

 private:
  const Flag* Find(absl::string_view name) const {
    for (const Flag& flag : flags_) {
      if (name == flag.name) return &flag;
    }
    return nullptr;
  }
  absl::Status Unknown(absl::string_view name) const;
  absl::Status Set(const Flag& flag, absl::string_view value, int depth);
  absl::Status ReadFlagFile(const std::string& path, int depth);

  std::span<const Flag> flags_;
  Arguments arguments_;
};

absl::Status ArgParser::Unknown(absl::string_view name) const {
  std::vector<std::string> names;
  for (const Flag& flag : flags_) names.push_back(flag.name);
  return absl::InvalidArgumentError(
      absl::StrCat("There is no flag --", name, ".", DidYouMean(name, names)));
}

absl::Status ArgParser::Set(const Flag& flag, absl::string_view value,
                            int depth) {
  if (absl::string_view(flag.name) == "flagfile") {
    return ReadFlagFile(ToString(value), depth + 1);
  }
  RETURN_IF_ERROR(CheckValue(flag, value));
  Arguments::Setting& setting = arguments_.settings_[flag.name];
  setting.set = true;
  if (flag.kind == FlagKind::kList) {
    setting.values.push_back(ToString(value));
    return absl::OkStatus();
  }
  if (flag.kind == FlagKind::kString && value.size() >= 2 &&
      value.front() == '"' && value.back() == '"') {
    value = value.substr(1, value.size() - 2);
  }
  setting.values = {ToString(value)};
  return absl::OkStatus();
}

absl::Status ArgParser::ReadFlagFile(const std::string& path, int depth) {
  if (depth > kMaxFlagFileDepth) {
    return absl::InvalidArgumentError(
        absl::StrCat("Flag files are nested deeper than ", kMaxFlagFileDepth,
                     "; the innermost is '", path, "'."));
  }
  std::ifstream file(path);
  // A directory opens, and fails at the first byte.
  if (!file || (file.peek(), file.bad())) {
    return absl::NotFoundError(
        absl::StrCat("The flag file '", path, "' cannot be read."));
  }
  std::vector<std::string> args;
  std::string line;
  while (std::getline(file, line)) {
    const absl::string_view text = absl::StripAsciiWhitespace(line);
    if (text.empty() || text.front() == '#' || absl::StartsWith(text, "//")) {
      continue;
    }
    if (!absl::StartsWith(text, "--")) {
      return absl::InvalidArgumentError(absl::StrCat(
          "The flag file '", path, "' has '", text, "', which is not a flag."));
    }
    args.push_back(ToString(text));
  }
  return Annotate(Parse(args, depth),
                  absl::StrCat("(in flag file '", path, "')"));
}

absl::Status ArgParser::Parse(std::span<const std::string> args, int depth) {
  for (size_t i = 0; i < args.size(); ++i) {
    const absl::string_view arg = args[i];
    if (arg == "--") {
      arguments_.positional_.insert(arguments_.positional_.end(),
                                    args.begin() + i + 1, args.end());
      return absl::OkStatus();
    }
    if (arg == "-h") {
      arguments_.settings_["help"].values = {"true"};
      continue;
    }
    if (!absl::StartsWith(arg, "--")) {
      arguments_.positional_.push_back(args[i]);
      continue;
    }
    const std::vector<absl::string_view> parts =
        absl::StrSplit(arg.substr(2), absl::MaxSplits('=', 1));
    const absl::string_view name = parts[0];
    const Flag* flag = Find(name);
    if (flag == nullptr && parts.size() == 1 && absl::StartsWith(name, "no")) {
      flag = Find(name.substr(2));
      if (flag == nullptr || flag->kind != FlagKind::kBool) {
        return Unknown(name);
      }
      RETURN_IF_ERROR(Set(*flag, "false", depth));
      continue;
    }
    if (flag == nullptr) return Unknown(name);
    if (parts.size() == 2) {
      RETURN_IF_ERROR(Set(*flag, parts[1], depth));
    } else if (flag->kind == FlagKind::kBool ||
               flag->kind == FlagKind::kIgnored) {
      RETURN_IF_ERROR(Set(*flag, "true", depth));
    } else if (flag->kind == FlagKind::kAction) {
      RETURN_IF_ERROR(Set(*flag, "", depth));
    } else if (i + 1 < args.size()) {
      RETURN_IF_ERROR(Set(*flag, args[++i], depth));
    } else {
      return absl::InvalidArgumentError(
          absl::StrCat("Flag --", name, " takes a value: --", name, "=..."));
    }
  }
  return absl::OkStatus();
}

const Arguments::Setting& Arguments::Find(absl::string_view name,
                                          FlagKind kind) const {
  const auto it = settings_.find(ToString(name));
  if (it == settings_.end() || it->second.kind != kind) Bug(name);
  return it->second;
}

bool Arguments::GetBool(absl::string_view name) const {
  bool value = false;
  return absl::SimpleAtob(Find(name, FlagKind::kBool).values[0], &value) &&
         value;
}

int64_t Arguments::GetInt(absl::string_view name) const {
  int64_t value = 0;
  const Setting& setting = Find(name, FlagKind::kInt);
  return absl::SimpleAtoi(setting.values[0], &value) ? value : 0;
}

double Arguments::GetDouble(absl::string_view name) const {
  double value = 0;
  const Setting& setting = Find(name, FlagKind::kDouble);
  return absl::SimpleAtod(setting.values[0], &value) ? value : 0;
}

const std::string& Arguments::GetString(absl::string_view name) const {
  return Find(name, FlagKind::kString).values[0];
}

const std::string* Arguments::GetAction(absl::string_view name) const {
  const Setting& setting = Find(name, FlagKind::kAction);
  return setting.set ? &setting.values[0] : nullptr;
}

const std::vector<std::string>& Arguments::GetList(
    absl::string_view name) const {
  return Find(name, FlagKind::kList).values;
}

bool Arguments::IsSet(absl::string_view name) const {
  const auto it = settings_.find(ToString(name));
  if (it == settings_.end()) Bug(name);
  return it->second.set;
}

std::vector<std::string> Arguments::IgnoredFlags() const {
  std::vector<std::string> names;
  for (const auto& [name, setting] : settings_) {
    if (setting.kind == FlagKind::kIgnored && setting.set) {
      names.push_back(name);
    }
  }
  return names;
}

absl::StatusOr<Arguments> ParseArguments(std::span<const Flag> flags,
                                         std::span<const char* const> args) {
  ArgParser parser(flags);
  const std::vector<std::string> list(args.begin(), args.end());
  RETURN_IF_ERROR(parser.Parse(list, 0));
  return parser.Take();
}

std::span<const Flag> PublicToolFlags() { return kPublicToolFlags; }

std::string FlagsHelp(std::span<const Flag> flags) {
  std::string text;
  for (const Flag& flag : flags) {
    const absl::string_view help = flag.help;
    if (help.empty() || flag.kind == FlagKind::kIgnored) continue;
    for (absl::string_view line : absl::StrSplit(help, '\n')) {
      absl::StrAppend(&text, "# ", line, "\n");
    }
    if (flag.kind == FlagKind::kAction) {
      absl::StrAppend(&text, "# --", flag.name, "\n\n");
      continue;
    }
    const bool unset = flag.kind == FlagKind::kList ||
                       absl::string_view(flag.default_value).empty();
    absl::StrAppend(&text, unset ? "# --" : "--", flag.name,
                    unset ? "=..." : "=", unset ? "" : flag.default_value,
                    "\n\n");
  }
  return text;
}

}  // namespace eyrie::tools
