// Values of calls from and to text and files: what --input, --output and
// --expected_output mean. docs/cli.md has all the rules.
//
// Tested by function_io_test.cc.
#ifndef EYRIE_ABI_FUNCTION_IO_H_
#define EYRIE_ABI_FUNCTION_IO_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "abi/declaration.h"
#include "abi/npz.h"
#include "abi/tensor_text.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/file_appender.h"
#include "base/file_writer.h"
#include "base/mapped_file.h"
#include "base/ref.h"
#include "hal/device.h"
#include "vm/isa/value.h"

namespace eyrie::abi {

// Inputs                          | Outputs
//   3.14          scalar          |   ''            dropped
//   2x2xf32=1 2   tensor          |   -             printed
//   4xf32=@a.bin  its bytes       |   @a.npy +a.npy written, appended
//   @a.npy +a.npy one array       |   @a.npz +a.npz added as arr_0, arr_1 …
//   *a.npy @a.npz all arrays      |   @a.bin +a.bin bytes alone
//   @a.npz:name   the one named   |
//   &4xf32        storage for a result
//   (null) (ignored)              zero, or a null reference
// '@' begins at the file's start, '+' and '*' where its last use ended.

// What a list of texts is read as: one row per value.
struct ValueSlot {
  vm::ValueType type = vm::ValueType::kRef;
  const DeclaredValue* declared = nullptr;  // if known
  std::string name;                         // "argument 0 ('input0')"
};

// What a plain number is for a scalar of a float type that travels as bits in
// an i32, f16 above all: "15872". With the register's name, "i32=15872", and
// as 0x3E00 it is the bits.
enum class NarrowFloats : uint8_t {
  kNumbers,  // the number
  kBits,     // the bits, as for the public tools
};

struct ParsedValue {
  vm::Value value;
  bool ignored = false;  // the text was "(ignored)"
};

// Reads texts as values, in order. A text may give several values, so fewer
// texts than slots may do; fewer values than slots are not an error here.
// Files keep their positions as long as the reader lives. Tensors are copies:
// nothing later writes to a file. Thread-compatible.
class ValueReader {
 public:
  // `flag` stands in messages before the text: "--input".
  // `memory`, if there is one, counts the tensors that are made.
  ValueReader(Ref<hal::Device> device, std::string flag,
              NarrowFloats floats = NarrowFloats::kNumbers,
              std::shared_ptr<MemoryMeter> memory = nullptr)
      : device_(std::move(device)),
        flag_(std::move(flag)),
        floats_(floats),
        memory_(std::move(memory)) {}

  // INVALID_ARGUMENT or OUT_OF_RANGE: a text that is not its slot's, or too
  // many values; UNIMPLEMENTED: a value that has no text; and files' errors.
  absl::StatusOr<std::vector<ParsedValue>> Read(
      std::span<const std::string> texts, std::span<const ValueSlot> slots);

 private:
  // An open file and how far it has been read.
  struct Source {
    std::shared_ptr<const MappedFile> file;
    size_t offset = 0;
    std::vector<NpzMember> members;  // of a .npz
    size_t next_member = 0;
    bool is_zip = false;
  };

  absl::Status ReadText(absl::string_view text,
                        std::span<const ValueSlot> slots,
                        std::vector<ParsedValue>& values);
  absl::Status ReadArrays(absl::string_view text,
                          std::span<const ValueSlot> slots,
                          std::vector<ParsedValue>& values);
  absl::Status ReadMembers(Source& source, char mode, absl::string_view member,
                           std::vector<vm::Value>& values);
  absl::StatusOr<vm::Value> CopyOf(const NpyArray& array);
  absl::StatusOr<vm::Value> ReadTensor(absl::string_view text);
  absl::StatusOr<vm::Value> ReadStorage(absl::string_view text);
  absl::StatusOr<vm::Value> ReadBytes(absl::string_view text);
  absl::StatusOr<vm::Value> ReadSingle(absl::string_view text,
                                       const ValueSlot& slot);
  absl::StatusOr<Source*> Open(absl::string_view path, bool from_start);

  Ref<hal::Device> device_;
  std::string flag_;
  NarrowFloats floats_;
  std::shared_ptr<MemoryMeter> memory_;
  std::map<std::string, Source> sources_;
};

// Reads a scalar: by its declared type if there is one, else by its register's.
absl::StatusOr<vm::Value> ParseScalar(absl::string_view text,
                                      vm::ValueType type,
                                      const DeclaredValue* declared,
                                      NarrowFloats floats);

struct PrintOptions {
  size_t max_elements = 1024;
  FloatCase float_case = FloatCase::kUpper;
  bool bytes = true;  // of buffers; false: "(no printer)", as upstream
};

// Appends "i32=7", or a reference's type name and its value on further lines:
// a tensor as its text, a list one line per element. Bytes are a quoted string
// if they are UTF-8 text, else "0x…". Lists give no more than about 16 MiB of
// text, and show nothing that is nested deeper than kMaxValueDepth; a sentence
// replaces the rest.
void AppendValue(const vm::Value& value, const PrintOptions& options,
                 std::string& out);

// Appends each value with its name, "result[0]: …", and a line feed.
void AppendValues(absl::string_view name, std::span<const vm::Value> values,
                  const PrintOptions& options, std::string& out);

// Appends "=== key ===", each tensor on a line, and an empty line.
void AppendTrace(absl::string_view key,
                 std::span<hal::BufferView* const> tensors,
                 const PrintOptions& options, std::string& out);

// INVALID_ARGUMENT: --output has not the form of one of the texts above.
absl::Status CheckOutputText(absl::string_view text);

// INVALID_ARGUMENT: the file has the name of a format (.json, .csv, .png …)
// that bytes of tensors and scalars alone are not. Buffers may hold any.
absl::Status CheckOutputFormat(absl::string_view text);

// Writes values as --output texts say. A run's values for one file are one
// record: it is appended whole (base/file_appender.h), or replaces the file
// (base/file_writer.h).
class ValueWriter {
 public:
  explicit ValueWriter(PrintOptions options) : options_(options) {}

  // Checks that all files may be written, without creating or changing one.
  // INVALID_ARGUMENT: a text has none of the forms; or a file is replaced with
  // '@' after it got another value, which would be lost; or '+' is to add to a
  // .npz that is none. Else the files' errors.
  absl::Status Prepare(std::span<const std::string> texts);

  // Adds one value to what its text names, prepared or not; printed ones go to
  // `out`. INVALID_ARGUMENT as Prepare and CheckOutputFormat, or the value has
  // no bytes.
  absl::Status Write(absl::string_view text, const vm::Value& value,
                     std::string& out);
  // Writes the files: either all new contents could be written whole, or none
  // takes its place. Else the system's errors, in its words.
  absl::Status Commit();

  // True if one of the files has FileWriter::identity().
  bool Writes(const std::string& identity) const {
    return targets_.contains(identity);
  }

 private:
  struct Target {
    std::unique_ptr<FileWriter> writer;      // '@'
    std::unique_ptr<FileAppender> appender;  // '+'
    bool is_zip = false;
    std::vector<std::string> arrays;  // of a .npz: .npy files
    std::string contents;             // of all else
  };
  absl::StatusOr<Target*> Open(absl::string_view text);
  static absl::Status Append(Target& target);

  PrintOptions options_;
  std::map<std::string, Target> targets_;  // by the file's identity, or path
  std::map<std::string, Target*> by_text_;
};

// How near values must be to what is expected.
struct Tolerance {
  bool exact = false;  // compare bytes; the rest is not used
  double f16 = 0.001;
  double f32 = 0.0001;
  double f64 = 0.0001;
  double bf16 = 0.01;
  double relative = 1e-5;
};

// Compares results with what was expected and appends a "[FAILED]" paragraph
// for each that differs. True if none does.
absl::StatusOr<bool> CompareValues(std::span<const ParsedValue> expected,
                                   std::span<const vm::Value> actual,
                                   const Tolerance& tolerance,
                                   const PrintOptions& options,
                                   std::string& out);

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_FUNCTION_IO_H_
