// Command-line flags from one table per tool.
//
// --name=value, --name value, --name for booleans (--noname clears one); a
// list flag may be repeated. --flagfile=path reads flags from a file, one a
// line, '#' or '//' begins a comment; later flags override earlier ones. "--"
// ends the flags; what has no dashes, or is one alone, is positional. Values
// are checked when parsed; a string loses quotes around all of it. Tested by
// arg_parser_test.cc.
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
  kAction,   // --name or --name=value: a string that may be left out
  kIgnored,  // accepted for compatibility; means nothing here
};

// One row of a tool's table.
struct Flag {
  const char* name;
  FlagKind kind;
  const char* default_value;
  const char* help;  // lines separated by '\n'; "" hides the flag
};

// What was given, by name. Asking for a name that is not in the table, or as
// another kind, is a bug and ends the process.
class Arguments {
 public:
  bool GetBool(absl::string_view name) const;
  int64_t GetInt(absl::string_view name) const;
  double GetDouble(absl::string_view name) const;
  const std::string& GetString(absl::string_view name) const;
  const std::vector<std::string>& GetList(absl::string_view name) const;
  // The value of an action, nullptr if it was not given.
  const std::string* GetAction(absl::string_view name) const;
  // True if the flag stood on the command line or in a flag file.
  bool IsSet(absl::string_view name) const;

  const std::vector<std::string>& positional() const { return positional_; }
  // Flags given that mean nothing here, each once.
  std::vector<std::string> IgnoredFlags() const;

 private:
  friend class ArgParser;

  struct Setting {
    Flag flag;
    bool set = false;
    // One, but for lists; none while a flag that is no string has its default.
    std::vector<std::string> values;

    absl::string_view value() const {
      if (values.empty()) return flag.default_value;
      return values[0];
    }
  };

  const Setting* Find(absl::string_view name) const;
  const Setting& Find(absl::string_view name, FlagKind kind) const;

  std::vector<Setting> settings_;  // of every flag, as in the table
  std::string keys_;               // of their names, for Find
  std::vector<std::string> positional_;
};

// INVALID_ARGUMENT: an unknown flag (the sentence suggests the nearest), a
// value that is not of the flag's kind, or none. NOT_FOUND: no such flag file.
absl::StatusOr<Arguments> ParseArguments(std::span<const Flag> flags,
                                         std::span<const char* const> args);

// What stands for a flag of a tool: "-o" for "--output".
struct ShortName {
  absl::string_view name;
  const char* flag;
};
std::vector<const char*> WithLongNames(std::span<const char* const> args,
                                       std::span<const ShortName> names);
// An error in which flags have the names that `args` spell them with.
absl::Status WithShortNames(const absl::Status& status,
                            std::span<const char* const> args,
                            std::span<const ShortName> names);

// Flags of the public tools of all releases that concern their GPU drivers,
// thread pool, tracing, profiling and replay: rows of kind kIgnored.
std::span<const Flag> PublicToolFlags();

// The flags with their defaults, as a flag file that --flagfile reads.
std::string FlagsHelp(std::span<const Flag> flags);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_ARG_PARSER_H_
