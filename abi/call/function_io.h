// Reads and writes the values of calls as text and files: the formats of
// --input, --output and --expected_output. docs/cli.md has all the rules.
//
// Tested by function_io_test.cc.
#ifndef EYRIE_ABI_CALL_FUNCTION_IO_H_
#define EYRIE_ABI_CALL_FUNCTION_IO_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "abi/signature/signature.h"
#include "abi/tensor/npz.h"
#include "abi/tensor/tensor_text.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/file_appender.h"
#include "base/file_writer.h"
#include "base/mapped_file.h"
#include "base/ref.h"
#include "hal/buffer_view.h"
#include "hal/device.h"
#include "vm/isa/value.h"

namespace eyrie::abi {

class Callable;

// Inputs                          | Outputs
//   3.14          scalar          |   ''            dropped
//   2x2xf32=1 2   tensor          |   -             printed
//   4xf32=@a.bin  its bytes       |   @a.npy +a.npy written, appended
//   @a.npy +a.npy one array       |   @a.npz +a.npz added as arr_0, arr_1 …
//   *a.npy @a.npz all arrays      |   @a.bin +a.bin bytes alone
//   @a.npz:name   the one named   |
//   &4xf32        storage for a result
//   (null) (ignored)              zero, or a null reference
// '@' reads from the start of the file; '+' and '*' continue after the last
// read.

// The expected type of one value. ValueReader::Read takes one slot per value.
struct ValueSlot {
  vm::ValueType type = vm::ValueType::kRef;
  const Type* declared = nullptr;  // null: nothing is declared
  std::string name;                // "argument 0 ('input0')"
  // The result that the value is compared with; null for arguments.
  const vm::Value* result = nullptr;
};

// Returns the slots of a function's arguments, which must outlive them.
std::vector<ValueSlot> ArgumentSlots(const Callable& function);

// How to read a plain number, such as "15872", for an f16 or another narrow
// float that is passed as bits in an i32. A number after the register's type,
// "i32=15872", or in hexadecimal, 0x3E00, always gives the bits.
enum class NarrowFloats : uint8_t {
  kNumbers,  // the number
  kBits,     // the bits, as the public tools do
};

struct ParsedValue {
  vm::Value value;
  bool ignored = false;  // the text was "(ignored)"
};

// Moves the values out of what was read.
std::vector<vm::Value> ValuesOf(std::vector<ParsedValue> parsed);

// Reads texts as values, in order. One text may give several values. Returns
// fewer values than slots if the texts give fewer. Remembers the position in
// each file until it is destroyed. Tensors are copies, so later writes to a
// file do not change them. Thread-compatible.
class ValueReader {
 public:
  // Messages name `flag` before the text: "--input". `memory` counts the
  // tensors; null if nothing does.
  ValueReader(Ref<hal::Device> device, std::string flag,
              NarrowFloats floats = NarrowFloats::kNumbers,
              std::shared_ptr<MemoryMeter> memory = nullptr)
      : device_(std::move(device)),
        flag_(std::move(flag)),
        floats_(floats),
        memory_(std::move(memory)) {}

  // INVALID_ARGUMENT or OUT_OF_RANGE: a text does not match its slot, or there
  // are too many values. UNIMPLEMENTED: the slot's type has no text form.
  // NOT_FOUND: a .npz has no array of this name. Otherwise fails as opening a
  // file does.
  absl::StatusOr<std::vector<ParsedValue>> Read(
      std::span<const std::string> texts, std::span<const ValueSlot> slots);

 private:
  // An open file, and the position up to which it was read.
  struct Source {
    std::shared_ptr<const MappedFile> file;
    size_t offset = 0;
    std::vector<ZipMember> members;  // of a .npz
    size_t next_member = 0;
    bool is_zip = false;
  };

  absl::Status ReadText(absl::string_view text,
                        std::span<const ValueSlot> slots,
                        std::vector<ParsedValue>& values);
  absl::Status ReadArrays(absl::string_view text,
                          std::span<const ValueSlot> slots,
                          std::vector<ParsedValue>& values);
  absl::Status ReadMembers(absl::string_view path, Source& source, char mode,
                           absl::string_view member,
                           std::span<const ValueSlot> slots,
                           std::vector<ParsedValue>& values);
  absl::StatusOr<vm::Value> ReadMember(const ZipMember& member,
                                       const ValueSlot& slot);
  // Checks that `count` arrays of a file fit the first of the free slots.
  absl::Status CheckSlots(absl::string_view path, size_t count,
                          std::span<const ValueSlot> slots) const;
  absl::StatusOr<vm::Value> CopyOf(NpyArray array, const ValueSlot& slot);
  bool IsArrayFile(absl::string_view text, const ValueSlot& slot) const;
  absl::Status CheckRaw(absl::string_view path, const Source& source) const;
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
  uint64_t inflated_ = 0;  // bytes of deflated arrays, if memory_ is null
  std::map<std::string, Source> sources_;
};

// Reads a scalar of the declared type if the register can hold it, else of the
// register's type. `declared` may be null. INVALID_ARGUMENT: the text is not
// such a number.
absl::StatusOr<vm::Value> ParseScalar(absl::string_view text,
                                      vm::ValueType type, const Type* declared,
                                      NarrowFloats floats);

// The public tools print all rows of an empty tensor; Eyrie at most these.
inline constexpr size_t kMostEmptyRows = size_t{1} << 20;

struct PrintOptions {
  size_t max_elements = 1024;
  size_t max_empty_rows = 1024;  // brackets without elements
  FloatCase float_case = FloatCase::kUpper;
  bool bytes = true;  // print buffers' bytes; else "(no printer)"
};

// Appends a scalar as "i32=7", or a reference as its type's name, with its
// value on further lines: a tensor as its text, a list with one line per
// element. Bytes are a quoted string if they are UTF-8 text, else "0x…". Lists
// are cut off after about 16 MiB of text and below kMaxValueDepth, with a
// sentence that says so.
void AppendValue(const vm::Value& value, const PrintOptions& options,
                 std::string& out);

// Appends each value with its name, "result[0]: …", and a line feed.
void AppendValues(absl::string_view name, std::span<const vm::Value> values,
                  const PrintOptions& options, std::string& out);

// Appends "=== key ===", each tensor on a line, and an empty line.
void AppendTrace(absl::string_view key,
                 std::span<hal::BufferView* const> tensors,
                 const PrintOptions& options, std::string& out);

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

// The allowed difference between actual and expected values: absolute per type,
// and relative to the expected value.
struct Tolerance {
  bool exact = false;  // compare bytes; ignore the rest
  double f16 = 0.001;
  double f32 = 0.0001;
  double f64 = 0.0001;
  double bf16 = 0.01;
  double relative = 1e-5;
};

// How results differ from the expected values.
struct Comparison {
  bool same = true;
  std::string text;  // a "[FAILED]" paragraph for each result that differs
  // A sentence for each tensor with elements that differ: their number, the
  // largest error and its place.
  std::vector<std::string> details;
};

// Compares results with the expected values. Fails if a tensor cannot be read.
absl::StatusOr<Comparison> CompareValues(std::span<const ParsedValue> expected,
                                         std::span<const vm::Value> actual,
                                         const Tolerance& tolerance,
                                         const PrintOptions& options);

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_CALL_FUNCTION_IO_H_
