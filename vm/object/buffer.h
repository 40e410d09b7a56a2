// vm.buffer: a range of bytes that modules and native functions share.
//
// Strings, rodata and scratch memory of compiled programs are these. Reading
// is always allowed; writing only if the buffer is mutable. Nothing here reads
// or writes out of bounds, whatever the offsets. Work on many bytes is paid for
// once it is certain that its ranges fit, and stops where `pay` says so.
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

// The count is safe across threads; the bytes are not synchronized.
class Buffer final : public ChargedObject {
 public:
  static constexpr RefType kType{"vm.buffer"};
  static constexpr uint64_t kDefaultAlignment = 64;
  static constexpr uint64_t kMaxAlignment = 1 << 20;
  static constexpr uint64_t kMaxSize = uint64_t{1} << 38;

  // Zeroed, mutable bytes. INVALID_ARGUMENT: the alignment is no power of two
  // or above kMaxAlignment (0 means the default). RESOURCE_EXHAUSTED: the size
  // exceeds kMaxSize, the limit of `memory`, which counts it, or what there is.
  static absl::StatusOr<Ref<Buffer>> Allocate(
      uint64_t size, uint64_t alignment = kDefaultAlignment,
      const std::shared_ptr<MemoryMeter>& memory = nullptr,
      PayForBytes pay = PayNothing);

  // A mutable copy.
  static absl::StatusOr<Ref<Buffer>> Copy(
      std::span<const uint8_t> bytes, uint64_t alignment = kDefaultAlignment,
      const std::shared_ptr<MemoryMeter>& memory = nullptr,
      PayForBytes pay = PayNothing);
  static absl::StatusOr<Ref<Buffer>> CopyText(
      absl::string_view text,
      const std::shared_ptr<MemoryMeter>& memory = nullptr);

  // Reports whether the bytes are still those that `owner` promised. Must be
  // thread-safe.
  using CheckBytes = absl::Status (*)(const void* owner,
                                      std::span<const uint8_t> bytes);

  // Returns a read-only buffer over bytes that live as long as `owner`, which
  // the buffer keeps. `file` is the mapped file that holds the bytes and that
  // `owner` keeps, or null. `check` is called by CheckOrigin(), or null.
  static Ref<Buffer> Borrow(std::span<const uint8_t> bytes,
                            std::shared_ptr<const void> owner,
                            const MappedFile* file = nullptr,
                            CheckBytes check = nullptr);
  static Ref<Buffer> BorrowMutable(std::span<uint8_t> bytes,
                                   std::shared_ptr<const void> owner);

  // Bytes that its maker lends for a while: none at first. Whoever keeps a
  // reference sees what is lent at the time.
  static Ref<Buffer> Window();
  // Of a Window, on the thread that uses it.
  void Lend(std::span<uint8_t> bytes, bool is_mutable) {
    data_ = bytes.data();
    size_ = bytes.size();
    mutable_ = is_mutable;
  }

  uint64_t size() const { return size_; }
  bool is_mutable() const { return mutable_; }
  const uint8_t* data() const { return data_; }
  std::span<const uint8_t> bytes() const { return {data_, size_}; }
  // The mapped file that the bytes are part of, or null.
  const MappedFile* file() const { return file_; }
  // Returns the error of the check that was given to Borrow(): DATA_LOSS if the
  // bytes of a module's file do not have the checksum that the file says.
  absl::Status CheckOrigin() const {
    return check_ == nullptr ? absl::OkStatus() : check_(owner_.get(), bytes());
  }
  absl::string_view text() const {
    return {reinterpret_cast<const char*>(data_), size_};
  }

  // The bytes for writing. PERMISSION_DENIED: the buffer is read-only.
  absl::StatusOr<std::span<uint8_t>> MutableBytes();

  // A part of the bytes. OUT_OF_RANGE: it exceeds the size; the Mutable form
  // also as MutableBytes.
  absl::StatusOr<std::span<const uint8_t>> Range(uint64_t offset,
                                                 uint64_t length) const;
  absl::StatusOr<std::span<uint8_t>> MutableRange(uint64_t offset,
                                                  uint64_t length);

  // The T at index `element`, counted in Ts. False if out of bounds.
  template <typename T>
  bool Load(uint64_t element, T& value) const {
    if (element >= size_ / sizeof(T)) [[unlikely]]
      return false;
    std::memcpy(&value, data_ + element * sizeof(T), sizeof(T));
    return true;
  }
  // False if out of bounds or read-only; StoreError says which.
  template <typename T>
  bool Store(uint64_t element, T value) {
    if (element >= size_ / sizeof(T) || !mutable_) [[unlikely]]
      return false;
    std::memcpy(data_ + element * sizeof(T), &value, sizeof(T));
    return true;
  }
  absl::Status LoadError(uint64_t element, uint64_t width) const;
  absl::Status StoreError(uint64_t element, uint64_t width) const;

  // Sets `count` Ts from index `element` on, both counted in Ts.
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

  // Copies bytes to another or the same buffer; ranges may overlap.
  static absl::Status CopyBytes(const Buffer& source, uint64_t source_offset,
                                Buffer& target, uint64_t target_offset,
                                uint64_t length, PayForBytes pay = PayNothing);
  // Whether two ranges of bytes are equal.
  static absl::StatusOr<bool> Compare(const Buffer& left, uint64_t left_offset,
                                      const Buffer& right,
                                      uint64_t right_offset, uint64_t length,
                                      PayForBytes pay = PayNothing);
  // SipHash-2-4 of a range, with the key 000102…0f.
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
  std::shared_ptr<const void> owner_;  // of borrowed bytes
  const MappedFile* file_ = nullptr;
  CheckBytes check_ = nullptr;
};

// SipHash-2-4 with the key 000102…0f.
class SipHash24State {
 public:
  // All pieces but the last must be of a multiple of 8 bytes.
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
  uint64_t last_ = 0;  // bytes that fill no word

  static constexpr uint64_t kKey0 = 0x0706050403020100;
  static constexpr uint64_t kKey1 = 0x0f0e0d0c0b0a0908;
};
uint64_t SipHash24(std::span<const uint8_t> bytes);

}  // namespace eyrie::vm

#endif  // EYRIE_VM_OBJECT_BUFFER_H_
