// The memory of a loaded library. Its segments bound the pointers in its tables
// and hold its code.
//
// Thread-compatible; immutable once loaded.
#ifndef EYRIE_HAL_CPU_IMAGE_H_
#define EYRIE_HAL_CPU_IMAGE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/byte_reader.h"
#include "base/checked_math.h"
#include "hal/cpu/code_scan.h"
#include "hal/cpu/machine/instruction_set.h"

namespace eyrie::hal::cpu {

class Image {
 public:
  // One loaded segment.
  struct Range {
    std::span<const uint8_t> bytes;
    bool executable;
  };

  virtual ~Image() = default;
  Image(const Image&) = delete;
  Image& operator=(const Image&) = delete;

  // The machine of its code.
  const InstructionSet& instruction_set() const { return *instruction_set_; }

  // The loaded segments, in ascending order of address. perf and gdb count
  // addresses from the first one.
  std::span<const Range> ranges() const { return ranges_; }

  // The difference between addresses in memory and in the file.
  uint64_t bias() const { return bias_; }

  // Functions that the caller must run before any other, in this order.
  std::span<const uint64_t> initializers() const { return initializers_; }

  // Addresses in the code that relocations have written, for example in tables
  // of functions. Empty if the system's linker has loaded the library.
  std::span<const uint64_t> code_pointers() const { return code_pointers_; }

  // An exported function.
  struct Function {
    uint64_t address;
    uint64_t size;  // bytes; 0 if unknown
  };

  // Finds an exported function in the code. NOT_FOUND: the library does not
  // export this name. INVALID_ARGUMENT: it is not a function in the code.
  virtual absl::StatusOr<Function> FindFunction(
      absl::string_view name) const = 0;

  // Scans the executable segments.
  CodeScan ScanCode() const;

  // Reports whether [address, address + size) is loaded, in one segment.
  bool Contains(uint64_t address, uint64_t size) const;
  // Reports whether the address is in an executable segment.
  bool IsCode(uint64_t address) const;

  // Copies the T at a pointer that the library holds. INVALID_ARGUMENT: it
  // points outside the image; `what` names it.
  template <typename T>
  absl::StatusOr<T> Read(const void* pointer, absl::string_view what) const {
    const uint64_t address = reinterpret_cast<uintptr_t>(pointer);
    if (!Contains(address, sizeof(T))) return Outside(what);
    return LoadLittleEndian<T>(pointer);
  }
  // Reads element `index` of an array of T, as Read does.
  template <typename T>
  absl::StatusOr<T> ReadElement(const T* array, uint32_t index,
                                absl::string_view what) const {
    const uint64_t address = reinterpret_cast<uintptr_t>(array);
    const uint64_t offset = uint64_t{index} * sizeof(T);
    if (!Contains(address, CheckedAdd(offset, sizeof(T)).value_or(~0ull))) {
      return Outside(what);
    }
    return LoadLittleEndian<T>(reinterpret_cast<const uint8_t*>(array) +
                               offset);
  }
  // Returns the string at a pointer that the library holds, or "" for null.
  // INVALID_ARGUMENT: it begins outside the image, or does not end in its
  // segment.
  absl::StatusOr<absl::string_view> ReadString(const char* string,
                                               absl::string_view what) const;

 protected:
  Image() = default;

  const InstructionSet* instruction_set_ = &ThisInstructionSet();
  uint64_t bias_ = 0;
  std::vector<Range> ranges_;
  std::vector<uint64_t> initializers_;
  std::vector<uint64_t> code_pointers_;

 private:
  const Range* Find(uint64_t address) const;
  static absl::Status Outside(absl::string_view what) {
    return absl::InvalidArgumentError(
        absl::StrCat("The executable's ", what, " lies outside its image."));
  }
};

}  // namespace eyrie::hal::cpu

#endif  // EYRIE_HAL_CPU_IMAGE_H_
