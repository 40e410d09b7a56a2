// Writes the values of calls to files, as --output says. docs/cli.md has all
// the rules.
//
// Tested by value_writer_test.cc.
#ifndef EYRIE_ABI_CALL_VALUE_WRITER_H_
#define EYRIE_ABI_CALL_VALUE_WRITER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "abi/call/value_text.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/file_appender.h"
#include "base/file_writer.h"
#include "vm/isa/value.h"

namespace eyrie::abi {

// The format that the name of an output file asks for.
enum class OutputFormat : uint8_t {
  kBytes,  // the bytes of a value alone
  kNpy,
  kNpz,
  kOther,  // not written: .json, .csv, .png …
};

// Reports whether the file in "a.npy" or "a.npz:name" has arrays by its name.
bool NamesArrays(absl::string_view path);

// Checks that a text is empty, "-", "@file" or "+file". INVALID_ARGUMENT: it is
// not.
absl::Status CheckOutputText(absl::string_view text);

// Checks that the file's name does not promise another format (.json, .csv,
// .png …) than the bytes of a tensor or scalar. Buffers may hold any format and
// need no check. INVALID_ARGUMENT: it does.
absl::Status CheckOutputFormat(absl::string_view text);

// Appends a value as a .npy file: scalars have rank 0, buffers are arrays of
// i8. INVALID_ARGUMENT: it is a list or another object.
absl::Status AppendNpy(const vm::Value& value, std::string& out);

// Writes values as --output says. All values that a run writes to one file are
// one record, which is appended at once (base/file_appender.h) or replaces the
// file (base/file_writer.h).
class ValueWriter {
 public:
  explicit ValueWriter(PrintOptions options) : options_(options) {}

  // Checks that all files can be written, without creating or changing one.
  // INVALID_ARGUMENT: a text has an unknown form; '@' would replace a file that
  // another value goes to; or '+' would add to a file that is not a .npz.
  // Otherwise fails as opening the files does.
  absl::Status Prepare(std::span<const std::string> texts);

  // Adds a value to its file, or appends it to `out` if the text is "-".
  // Prepare need not know the text. INVALID_ARGUMENT: as Prepare and
  // CheckOutputFormat, or the value cannot be written as bytes.
  absl::Status Write(absl::string_view text, const vm::Value& value,
                     std::string& out);
  // Writes the files. No file is replaced unless the new contents of all were
  // written completely. Fails with the system's errors.
  absl::Status Commit();

  // Reports whether one of the files has this FileWriter::identity().
  bool Writes(const std::string& identity) const {
    return targets_.contains(identity);
  }

 private:
  struct Target {
    std::unique_ptr<FileWriter> writer;      // '@'
    std::unique_ptr<FileAppender> appender;  // '+'
    OutputFormat format = OutputFormat::kBytes;
    std::vector<std::string> arrays;  // .npy files for a .npz
    std::string contents;             // for other files
    bool is_zip() const { return format == OutputFormat::kNpz; }
  };
  absl::StatusOr<Target*> Open(absl::string_view text);
  static absl::Status Append(Target& target);

  PrintOptions options_;
  std::map<std::string, Target> targets_;  // by the file's identity, or path
  std::map<std::string, Target*> by_text_;
};

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_CALL_VALUE_WRITER_H_
