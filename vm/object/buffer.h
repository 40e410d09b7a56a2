// vm.buffer: a range of bytes that modules and native functions share.
//
// Compiled programs use buffers for strings, rodata and scratch memory. Reading
// is always allowed; writing only if the buffer is mutable. All offsets are
// bounds-checked. Operations on many bytes call `pay` after checking the range,
// and stop with its error.
// Tested by list_buffer_test.cc, tests/vm/rows_test.cc.
#ifndef EYRIE_VM_OBJECT_BUFFER_H_
#define EYRIE_VM_OBJECT_BUFFER_H_

#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/charged_object.h"
#include "base/memory_meter.h"
#include "base/ref.h"
#include "vm/limits/pay.h"

namespace eyrie {
class MappedFile;
}

namespace eyrie::vm {

struct BufferLayout;

// The reference count is thread-safe; access to the bytes is not synchronized.
class Buffer final : public ChargedObject {
 public:
  static constexpr RefType kType{"vm.buffer"};
  static constexpr uint64_t kDefaultAlignment = 64;
  static constexpr uint64_t kMaxAlignment = 1 << 20;
  static constexpr uint64_t kMaxSize = uint64_t{1} << 38;

  // Allocates zeroed, mutable bytes. An alignment of 0 means the default.
  // Charges `memory` if it is not null. Returns INVALID_ARGUMENT if the
  // alignment is not a power of two or exceeds kMaxAlignment, and
  // RESOURCE_EXHAUSTED if the size exceeds kMaxSize, the limit of `memory`, or
  // the available memory.
  static absl::StatusOr<Ref<Buffer>> Allocate(
      uint64_t size, uint64_t alignment = kDefaultAlignment,
      const std::shared_ptr<MemoryMeter>& memory = nullptr,
      PayForBytes pay = PayNothing);

  // Allocates a mutable copy.
  static absl::StatusOr<Ref<Buffer>> Copy(
      std::span<const uint8_t> bytes, uint64_t alignment = kDefaultAlignment,
      const std::shared_ptr<MemoryMeter>& memory = nullptr,
      PayForBytes pay = PayNothing);
  static absl::StatusOr<Ref<Buffer>> CopyText(
      absl::string_view text,
      const std::shared_ptr<MemoryMeter>& memory = nullptr);

  // Returns an error if the bytes are no longer those that `owner` promised.
  // Must be thread-safe.
  using CheckBytes = absl::Status (*)(const void* owner,
                                      std::span<const uint8_t> bytes);

  // Returns a read-only buffer over bytes that are valid as long as `owner`,
  // which the buffer retains. `file` is the mapped file that contains the
  // bytes, kept alive by `owner`, or null. `check`, which may be null, is
  // called by CheckOrigin().
  static Ref<Buffer> Borrow(std::span<const uint8_t> bytes,
                            std::shared_ptr<const void> owner,
                            const MappedFile* file = nullptr,
                            CheckBytes check = nullptr);
  static Ref<Buffer> BorrowMutable(std::span<uint8_t> bytes,
                                   std::shared_ptr<const void> owner);

  // Returns a buffer without bytes of its own, for Lend.
  static Ref<Buffer> Window();
  // Makes a Window() show `bytes`, which must stay valid until the next Lend.
  // All holders of the buffer see the change. Must be called on the thread that
  // uses the buffer.
  void Lend(std::span<uint8_t> bytes, bool is_mutable) {
    data_ = bytes.data();
    size_ = bytes.size();
    mutable_ = is_mutable;
  }

  uint64_t size() const { return size_; }
  bool is_mutable() const { return mutable_; }
  const uint8_t* data() const { return data_; }
  std::span<const uint8_t> bytes() const { return {data_, size_}; }
  // Returns the mapped file that contains the bytes, or null.
  const MappedFile* file() const { return file_; }
  // Calls the check that was given to Borrow() and returns its error:
  // INVALID_ARGUMENT if bytes of a module's file do not match their checksum.
  absl::Status CheckOrigin() const {
    return check_ == nullptr ? absl::OkStatus() : check_(owner_.get(), bytes());
  }
  absl::string_view text() const {
    return {reinterpret_cast<const char*>(data_), size_};
  }

  // Returns the bytes for writing. Returns PERMISSION_DENIED if the buffer is
  // read-only.
  absl::StatusOr<std::span<uint8_t>> MutableBytes();

  // Returns a part of the bytes, or OUT_OF_RANGE if it exceeds the size.
  // MutableRange also returns the error of MutableBytes.
  absl::StatusOr<std::span<const uint8_t>> Range(uint64_t offset,
                                                 uint64_t length) const;
  absl::StatusOr<std::span<uint8_t>> MutableRange(uint64_t offset,
                                                  uint64_t length);

  // Loads the T at index `element`, counted in Ts. Returns false if the index
  // is out of bounds.
  template <typename T>
  bool Load(uint64_t element, T& value) const {
    if (element >= size_ / sizeof(T)) [[unlikely]]
      return false;
    std::memcpy(&value, data_ + element * sizeof(T), sizeof(T));
    return true;
  }
  // Stores a T at index `element`. Returns false if the index is out of bounds
  // or the buffer is read-only; StoreError returns which.
  template <typename T>
  bool Store(uint64_t element, T value) {
    if (element >= size_ / sizeof(T) || !mutable_) [[unlikely]]
      return false;
    std::memcpy(data_ + element * sizeof(T), &value, sizeof(T));
    return true;
  }
  absl::Status LoadError(uint64_t element, uint64_t width) const;
  absl::Status StoreError(uint64_t element, uint64_t width) const;

  // Sets `count` Ts, starting at index `element`. Both count Ts.
  template <typename T>
  absl::Status Fill(uint64_t element, uint64_t count, T value,
                    PayForBytes pay = PayNothing) {
    uint8_t* begin = nullptr;
    absl::Status status = CheckFill(element, count, sizeof(T), begin);
    if (!status.ok()) [[unlikely]]
      return status;
    return DoInPieces(count * sizeof(T), pay,
                      [&](uint64_t at, uint64_t length) {
                        for (uint64_t i = 0; i < length; i += sizeof(T)) {
                          std::memcpy(begin + at + i, &value, sizeof(T));
                        }
                      });
  }

  // Copies bytes to the same or another buffer. The ranges may overlap.
  static absl::Status CopyBytes(const Buffer& source, uint64_t source_offset,
                                Buffer& target, uint64_t target_offset,
                                uint64_t length, PayForBytes pay = PayNothing);
  // Reports whether two ranges of bytes are equal.
  static absl::StatusOr<bool> Compare(const Buffer& left, uint64_t left_offset,
                                      const Buffer& right,
                                      uint64_t right_offset, uint64_t length,
                                      PayForBytes pay = PayNothing);
  // Returns the SipHash-2-4 of a range, with the key 000102…0f.
  absl::StatusOr<uint64_t> Hash(uint64_t offset, uint64_t length,
                                PayForBytes pay = PayNothing) const;

 private:
  friend struct BufferLayout;  // for compiled code

  Buffer(uint8_t* data, uint64_t size, bool is_mutable)
      : ChargedObject(kType), data_(data), size_(size), mutable_(is_mutable) {}
  ~Buffer() override;

  absl::Status CheckFill(uint64_t element, uint64_t count, uint64_t width,
                         uint8_t*& begin);
  absl::Status ReadOnlyError() const;

  uint8_t* data_;
  uint64_t size_;
  bool mutable_;
  void* storage_ = nullptr;            // owned, from malloc
  std::shared_ptr<const void> owner_;  // keeps borrowed bytes alive
  const MappedFile* file_ = nullptr;
  CheckBytes check_ = nullptr;
};

// SipHash-2-4 with the key 000102…0f.
class SipHash24State {
 public:
  // Every piece except the last must be a multiple of 8 bytes.
  void Add(std::span<const uint8_t> bytes);
  uint64_t Finish();

 private:
  void Rounds(int count);
  void Absorb(uint64_t word);

  uint64_t v0_ = 0x736f6d6570736575 ^ kKey0;
  uint64_t v1_ = 0x646f72616e646f6d ^ kKey1;
  uint64_t v2_ = 0x6c7967656e657261 ^ kKey0;
  uint64_t v3_ = 0x7465646279746573 ^ kKey1;
  uint64_t size_ = 0;
  uint64_t last_ = 0;  // the incomplete last word

  static constexpr uint64_t kKey0 = 0x0706050403020100;
  static constexpr uint64_t kKey1 = 0x0f0e0d0c0b0a0908;
};
uint64_t SipHash24(std::span<const uint8_t> bytes);

}  // namespace eyrie::vm

#endif  // EYRIE_VM_OBJECT_BUFFER_H_
