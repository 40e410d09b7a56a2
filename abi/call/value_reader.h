// Reads the values of calls from text and files: the formats of --input and
// --expected_output. docs/cli.md has all the rules.
//
// Tested by function_io_test.cc.
#ifndef EYRIE_ABI_CALL_VALUE_READER_H_
#define EYRIE_ABI_CALL_VALUE_READER_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "abi/signature/signature.h"
#include "abi/tensor/npz.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/mapped_file.h"
#include "base/memory_meter.h"
#include "base/ref.h"
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

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_CALL_VALUE_READER_H_
