// Parses command-line flags by one table per tool.
//
// --name=value, --name value, --name for booleans (--noname clears one); a list
// flag may be repeated. --flagfile=path reads flags from a file, one per line;
// '#' or '//' begins a comment. Later flags override earlier ones. "--" ends
// the flags. Arguments without a leading "--", including "-", are positional.
// Values are checked when parsed; double quotes around a whole string are
// removed. Tested by arg_parser_test.cc.
#ifndef EYRIE_TOOLS_ARG_PARSER_H_
#define EYRIE_TOOLS_ARG_PARSER_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace eyrie::tools {

enum class FlagKind : uint8_t {
  kBool,
  kInt,
  kDouble,
  kString,
  kList,     // strings, repeated
  kAction,   // --name or --name=value: an optional string
  kIgnored,  // accepted for compatibility, without effect
  kHeading,  // not a flag: the title, in `help`, of the rows that follow
};

// One row of a tool's table.
struct Flag {
  const char* name;
  FlagKind kind;
  const char* default_value;
  const char* help;  // lines separated by '\n'; "" hides the flag
  // A short name, such as "-o", which takes its value from the next word.
  const char* short_name = nullptr;
  // Without effect if functions are only interpreted.
  bool needs_jit = false;
};

// The first rows of most tables.
inline constexpr Flag kHelpFlag = {"help", FlagKind::kBool, "false",
                                   "Prints this."};
inline constexpr Flag kFlagfileFlag = {
    "flagfile", FlagKind::kString, "",
    "Reads flags from a file, one per line; later flags override it."};

constexpr Flag Heading(const char* title) {
  return {"", FlagKind::kHeading, "", title};
}

// The parsed values, by name. A name that is not in the table, or is of another
// kind than the getter's, is a bug and aborts the process.
class Arguments {
 public:
  bool GetBool(absl::string_view name) const;
  int64_t GetInt(absl::string_view name) const;
  double GetDouble(absl::string_view name) const;
  const std::string& GetString(absl::string_view name) const;
  const std::vector<std::string>& GetList(absl::string_view name) const;
  // Returns the value of an action, or nullptr if it was not given.
  const std::string* GetAction(absl::string_view name) const;
  // Reports whether the flag is on the command line or in a flag file.
  bool IsSet(absl::string_view name) const;
  // Returns the text before the flag's value, as it was typed: "--output=" or
  // "-o ".
  std::string Prefix(absl::string_view name) const;

  const std::vector<std::string>& positional() const { return positional_; }
  // Returns the names of given flags without effect, sorted, each once: those
  // of the kind kIgnored, and those of `unused`.
  std::vector<std::string> IgnoredFlags(
      std::span<const Flag> unused = {}) const;

 private:
  friend class ArgParser;

  struct Setting {
    Flag flag;
    bool set = false;
    bool is_short = false;  // was last set by its short name
    // Any number for a list, else at most one. Empty while a flag other than a
    // string has its default.
    std::vector<std::string> values;

    absl::string_view value() const {
      if (values.empty()) return flag.default_value;
      return values[0];
    }
  };

  const Setting* Find(absl::string_view name) const;
  const Setting& Find(absl::string_view name, FlagKind kind) const;

  std::vector<Setting> settings_;  // one per flag, in the table's order
  std::string keys_;               // a byte per name, for Find
  std::vector<std::string> positional_;
};

// Parses `args`, which do not include the program's name. INVALID_ARGUMENT: a
// flag is unknown (the message suggests the nearest), or its value is missing
// or of the wrong kind. NOT_FOUND: a flag file cannot be read.
absl::StatusOr<Arguments> ParseArguments(std::span<const Flag> flags,
                                         std::span<const char* const> args);

// Returns the flags of public_flags.def, as rows of kind kIgnored.
std::span<const Flag> PublicToolFlags();

// Returns the help of all flags and their defaults under their headings, as a
// valid flag file.
std::string FlagsHelp(std::span<const Flag> flags);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_ARG_PARSER_H_
