// Flags from argv and flag files.
#include "tools/arg_parser.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "base/suggest.h"
#include "tools/usage_error.h"

namespace eyrie::tools {
namespace {

constexpr int kMaxFlagFileDepth = 8;

constexpr Flag kPublicToolFlags[] = {
#define PUBLIC_FLAG(name) {#name, FlagKind::kIgnored, "", ""},
#include "tools/public_flags.def"
#undef PUBLIC_FLAG
};

// Returns a hash of the name in one byte.
char KeyOf(absl::string_view name) {
  if (name.empty()) return 0;
  return static_cast<char>(name.size() + 7 * name.front() + 31 * name.back());
}

std::string ToString(absl::string_view text) {
  return std::string(text.data(), text.size());
}

// Reports whether the text is an optional sign followed by digits.
bool IsDigits(absl::string_view text) {
  absl::ConsumePrefix(&text, "-");
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), absl::ascii_isdigit);
}

// Returns a flag's name as it was typed.
std::string Spelled(const Flag& flag, bool is_short) {
  return is_short ? flag.short_name : absl::StrCat("--", flag.name);
}

absl::Status CheckValue(const Flag& flag, bool is_short,
                        absl::string_view value) {
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
  return absl::InvalidArgumentError(
      absl::StrCat("Flag ", Spelled(flag, is_short), " takes ", want, ", not '",
                   value, "'."));
}

// Flag files are written by hand, so they are small.
constexpr size_t kMaxFlagFile = size_t{1} << 20;

absl::StatusOr<std::string> ReadSmallFile(const std::string& path) {
  std::string contents;
  bool failed = true;
  if (std::FILE* const file = std::fopen(path.c_str(), "r")) {
    contents.resize(kMaxFlagFile + 1);
    contents.resize(std::fread(contents.data(), 1, contents.size(), file));
    failed = std::ferror(file) != 0;  // a directory can be opened
    std::fclose(file);
  }
  if (failed) {
    return absl::NotFoundError(
        absl::StrCat("Cannot read the flag file '", path, "'."));
  }
  if (contents.size() <= kMaxFlagFile) return contents;
  return absl::InvalidArgumentError(absl::StrCat(
      "The flag file '", path, "' has more than ", kMaxFlagFile, " bytes."));
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
  explicit ArgParser(std::span<const Flag> flags) {
    arguments_.settings_.reserve(flags.size());
    for (const Flag& flag : flags) {
      if (flag.kind == FlagKind::kHeading) continue;
      arguments_.keys_ += KeyOf(flag.name);
      Arguments::Setting& setting = arguments_.settings_.emplace_back(
          Arguments::Setting{.flag = flag, .set = false, .values = {}});
      // GetString refers to it.
      if (flag.kind == FlagKind::kString) setting.values = {flag.default_value};
    }
  }

  absl::Status Parse(std::span<const std::string> args, int depth);
  Arguments Take() { return std::move(arguments_); }

 private:
  using Setting = Arguments::Setting;

  Setting* Find(absl::string_view name) {
    return const_cast<Setting*>(arguments_.Find(name));
  }
  // " Did you mean ...?", or nothing.
  std::string Nearest(absl::string_view name) const;
  absl::Status Unknown(absl::string_view name) const;
  absl::Status OneDash(absl::string_view name) const;
  absl::Status Set(Setting& setting, absl::string_view value, int depth);
  // Sets a flag without '=', args[i]; moves `i` to its value if that is the
  // next word.
  absl::Status SetWithout(Setting& setting, std::span<const std::string> args,
                          size_t& i, int depth);
  Setting* FindShort(absl::string_view name);
  absl::Status ReadFlagFile(const std::string& path, int depth);

  Arguments arguments_;
  bool is_placed_ = false;  // the error already names its flag file
};

std::string ArgParser::Nearest(absl::string_view name) const {
  std::vector<std::string> names;
  for (const Setting& setting : arguments_.settings_) {
    names.push_back(setting.flag.name);
  }
  return DidYouMean(name, names);
}

absl::Status ArgParser::Unknown(absl::string_view name) const {
  return absl::InvalidArgumentError(
      absl::StrCat("There is no flag --", PlainName(name), ".", Nearest(name)));
}

absl::Status ArgParser::OneDash(absl::string_view name) const {
  return absl::InvalidArgumentError(
      absl::StrCat("There is no flag -", PlainName(name),
                   "; flags begin with two dashes.", Nearest(name)));
}

absl::Status ArgParser::Set(Setting& setting, absl::string_view value,
                            int depth) {
  const Flag& flag = setting.flag;
  if (absl::string_view(flag.name) == "flagfile") {
    return ReadFlagFile(ToString(value), depth + 1);
  }
  RETURN_IF_ERROR(CheckValue(flag, setting.is_short, value));
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
  ASSIGN_OR_RETURN(const std::string contents, ReadSmallFile(path));
  std::vector<std::string> args;
  for (const absl::string_view line : absl::StrSplit(contents, '\n')) {
    const absl::string_view text = absl::StripAsciiWhitespace(line);
    if (text.empty() || text.front() == '#' || absl::StartsWith(text, "//")) {
      continue;
    }
    if (!absl::StartsWith(text, "--")) {
      return absl::InvalidArgumentError(
          absl::StrCat("The flag file '", path, "' has '", PlainName(text),
                       "', which is not a flag."));
    }
    args.push_back(ToString(text));
  }
  const absl::Status status = Parse(args, depth);
  // If flag files are nested, name only the innermost.
  if (status.ok() || is_placed_) return status;
  is_placed_ = true;
  return Annotate(status, absl::StrCat("(in flag file '", path, "')"));
}

absl::Status ArgParser::SetWithout(Setting& setting,
                                   std::span<const std::string> args, size_t& i,
                                   int depth) {
  const FlagKind kind = setting.flag.kind;
  if (kind == FlagKind::kBool || kind == FlagKind::kIgnored) {
    return Set(setting, "true", depth);
  }
  if (kind == FlagKind::kAction) return Set(setting, "", depth);
  if (i + 1 < args.size() && !absl::StartsWith(args[i + 1], "--")) {
    return Set(setting, args[++i], depth);
  }
  const std::string name = Spelled(setting.flag, setting.is_short);
  return absl::InvalidArgumentError(
      absl::StrCat("Flag ", name, " takes a value: ", name,
                   setting.is_short ? " " : "=", "..."));
}

ArgParser::Setting* ArgParser::FindShort(absl::string_view name) {
  for (Setting& setting : arguments_.settings_) {
    if (setting.flag.short_name != nullptr && setting.flag.short_name == name) {
      return &setting;
    }
  }
  return nullptr;
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
      Setting* const help = Find("help");
      if (help == nullptr) return Unknown("h");
      help->values = {"true"};
      continue;
    }
    if (arg.size() > 1 && arg[0] == '-' && absl::ascii_isalpha(arg[1])) {
      if (Setting* const setting = FindShort(arg)) {
        setting->is_short = true;
        RETURN_IF_ERROR(SetWithout(*setting, args, i, depth));
        continue;
      }
      return OneDash(arg.substr(1, arg.find('=') - 1));
    }
    if (!absl::StartsWith(arg, "--")) {
      arguments_.positional_.push_back(args[i]);
      continue;
    }
    const std::vector<absl::string_view> parts =
        absl::StrSplit(arg.substr(2), absl::MaxSplits('=', 1));
    const absl::string_view name = parts[0];
    Setting* setting = Find(name);
    if (setting == nullptr && parts.size() == 1 &&
        absl::StartsWith(name, "no")) {
      setting = Find(name.substr(2));
      if (setting == nullptr || setting->flag.kind != FlagKind::kBool) {
        return Unknown(name);
      }
      RETURN_IF_ERROR(Set(*setting, "false", depth));
      continue;
    }
    if (setting == nullptr) return Unknown(name);
    setting->is_short = false;
    if (parts.size() == 2) {
      RETURN_IF_ERROR(Set(*setting, parts[1], depth));
    } else {
      RETURN_IF_ERROR(SetWithout(*setting, args, i, depth));
    }
  }
  return absl::OkStatus();
}

const Arguments::Setting* Arguments::Find(absl::string_view name) const {
  const char key = KeyOf(name);
  for (size_t i = keys_.find(key); i != keys_.npos;
       i = keys_.find(key, i + 1)) {
    if (settings_[i].flag.name == name) return &settings_[i];
  }
  return nullptr;
}

const Arguments::Setting& Arguments::Find(absl::string_view name,
                                          FlagKind kind) const {
  const Setting* const setting = Find(name);
  if (setting == nullptr || setting->flag.kind != kind) Bug(name);
  return *setting;
}

bool Arguments::GetBool(absl::string_view name) const {
  bool value = false;
  return absl::SimpleAtob(Find(name, FlagKind::kBool).value(), &value) && value;
}

int64_t Arguments::GetInt(absl::string_view name) const {
  int64_t value = 0;
  return absl::SimpleAtoi(Find(name, FlagKind::kInt).value(), &value) ? value
                                                                      : 0;
}

double Arguments::GetDouble(absl::string_view name) const {
  double value = 0;
  return absl::SimpleAtod(Find(name, FlagKind::kDouble).value(), &value) ? value
                                                                         : 0;
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
  const Setting* const setting = Find(name);
  if (setting == nullptr) Bug(name);
  return setting->set;
}

std::string Arguments::Prefix(absl::string_view name) const {
  const Setting* const setting = Find(name);
  if (setting == nullptr) Bug(name);
  return absl::StrCat(Spelled(setting->flag, setting->is_short),
                      setting->is_short ? " " : "=");
}

std::vector<std::string> Arguments::IgnoredFlags(
    std::span<const Flag> unused) const {
  const auto is_unused = [unused](const Flag& flag) {
    return absl::c_any_of(unused, [&](const Flag& row) {
      return absl::string_view(row.name) == flag.name;
    });
  };
  std::vector<std::string> names;
  for (const Setting& setting : settings_) {
    const Flag& flag = setting.flag;
    if (!setting.set) continue;
    if (flag.kind == FlagKind::kIgnored || is_unused(flag)) {
      names.push_back(flag.name);
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

absl::StatusOr<Arguments> ParseArguments(std::span<const Flag> flags,
                                         std::span<const char* const> args) {
  ArgParser parser(flags);
  const std::vector<std::string> list(args.begin(), args.end());
  if (const absl::Status status = parser.Parse(list, 0); !status.ok()) {
    return AsUsageError(status);
  }
  return parser.Take();
}

std::span<const Flag> PublicToolFlags() { return kPublicToolFlags; }

std::string FlagsHelp(std::span<const Flag> flags) {
  std::string text;
  absl::string_view heading;  // "" if it is printed
  for (const Flag& flag : flags) {
    const absl::string_view help = flag.help;
    if (help.empty() || flag.kind == FlagKind::kIgnored) continue;
    if (flag.kind == FlagKind::kHeading) {
      heading = help;
      continue;
    }
    if (!heading.empty()) {
      absl::StrAppend(&text, "# ==== ", heading, " ====\n\n");
      heading = "";
    }
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
