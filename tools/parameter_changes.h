// The changes that `eyrie params convert` makes to parameters.
//
// Tested by cli_test.txt.
#ifndef EYRIE_TOOLS_PARAMETER_CHANGES_H_
#define EYRIE_TOOLS_PARAMETER_CHANGES_H_

#include <map>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "hal/element_type.h"
#include "hal/parameters/irpa_writer.h"
#include "tools/arg_parser.h"

namespace eyrie::tools {

// Returns a number of an element type as a pattern; no text is one byte of
// zeros. INVALID_ARGUMENT: not such a number. UNIMPLEMENTED: the type is not a
// whole number of bytes.
absl::StatusOr<hal::Splat> ParseSplat(absl::string_view number,
                                      hal::ElementType type);

// The changes of --exclude, --rename, --splat and --strip.
class ParameterChanges {
 public:
  // INVALID_ARGUMENT: a malformed value, or a name that occurs twice.
  static absl::StatusOr<ParameterChanges> Read(const Arguments& arguments);

  // Changes one parameter. Returns false if it is excluded. INVALID_ARGUMENT,
  // UNIMPLEMENTED: an invalid number.
  absl::StatusOr<bool> Apply(hal::ParameterSource& source);
  // NOT_FOUND: a flag names a parameter that does not exist.
  absl::Status CheckAllUsed() const;

 private:
  struct Change {
    std::string flag;   // as given
    std::string value;  // the new name, or "f32=4.5"; may be empty for splats
    bool used = false;
  };
  using Table = std::map<std::string, Change>;  // by the parameter's name

  // Reads a list of NAME, or of NAME=VALUE.
  static absl::Status ReadTable(const Arguments& arguments, const char* flag,
                                bool has_value, Table& table);
  // Returns the change for a name, or null. Marks it as used.
  static const Change* Find(Table& table, const std::string& name);

  Table exclude_;
  Table rename_;
  Table splat_;  // by the names after renaming
  bool strip_ = false;
};

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_PARAMETER_CHANGES_H_
