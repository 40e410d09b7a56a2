// Encodes arrays of the host as tensors: in place, copied, packed or converted.
//
// Tested by abi/call/invoker_test.cc, tests/conformance/abi/abi_test.cc.
#ifndef EYRIE_ABI_VALUE_ARRAY_ENCODER_H_
#define EYRIE_ABI_VALUE_ARRAY_ENCODER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "abi/signature/signature.h"
#include "abi/value/convert.h"
#include "abi/value/host_value.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "base/memory_meter.h"
#include "base/ref.h"
#include "hal/buffer_view.h"
#include "hal/device.h"
#include "vm/isa/value.h"

namespace eyrie::abi {

// How the arrays of a call, arguments and results, were passed.
struct CallStatistics {
  uint32_t lent = 0;       // used in place
  uint32_t copied = 0;     // byte by byte
  uint32_t packed = 0;     // copied from strides or nested lists
  uint32_t converted = 0;  // to another element type
  uint64_t bytes_copied = 0;

  // Counts a result that was read in place, and was then copied.
  void CountCopy(uint64_t bytes) {
    if (lent > 0) --lent;
    ++copied;
    bytes_copied += bytes;
  }
};

// The place of an error in a value: "['a'][2]".
class ValuePath {
 public:
  const std::string& text() const { return text_; }
  void Set(std::string text) { text_ = std::move(text); }
  // Adds an outer key or index if the status is not OK. Returns the status.
  absl::Status Add(absl::string_view key, absl::Status status);
  absl::Status Add(size_t index, absl::Status status);

 private:
  std::string text_;
};

// Returns an INVALID_ARGUMENT error: "value is given; type is expected."
absl::Status NotExpected(const HostValue& value, const Type& type);
// Returns the shape of nested lists, from the first item of each, up to the
// type's rank. Dimensions below an empty list are the type's, or 0 if it does
// not say.
std::vector<int64_t> NestedShape(const HostValue& value, const Type& type);
// Returns the items of a nested array's row, which must have `count` of them.
absl::Status TakeRow(const HostValue& value, int64_t count,
                     const HostValue::Items*& items);

// Encodes the arrays of one call. Thread-compatible.
class ArrayEncoder {
 public:
  // As Encoder; `memory` and `path`, which gets the places of errors, must
  // outlive this.
  ArrayEncoder(hal::Device* device, CallStatistics* statistics,
               const std::shared_ptr<MemoryMeter>& memory,
               std::vector<Ref<hal::BufferView>>* spares, ValuePath& path)
      : device_(device),
        statistics_(statistics),
        memory_(memory),
        spares_(spares),
        path_(path) {}

  // Tells that the next arrays receive results.
  void set_is_storage(bool is) { is_storage_ = is; }
  // See Encoder.
  void set_elements_may_change(bool may) { elements_may_change_ = may; }
  absl::Status CreateStorage(const Type& result, const Type& argument,
                             vm::Slot& slot);

  // Stores the tensor of an array, of nested lists, or of a tensor. Fails as
  // Encoder::Encode.
  absl::Status Encode(const HostValue& value, const Type& type,
                      Ref<RefObject>& object);
  // Stores its buffer instead, of any element type and shape.
  absl::Status EncodeBuffer(const HostValue& value, Ref<RefObject>& object);

 private:
  absl::Status GivenArray(const HostArray& array, const Type& type,
                          Ref<RefObject>& object);
  absl::Status NestedArray(const HostValue& value, const Type& type,
                           Ref<RefObject>& object);
  absl::Status Fill(const HostValue& value, hal::ElementType type,
                    std::span<const int64_t> shape, uint8_t*& target);
  absl::Status FillFrom(const HostArray& array, hal::ElementType type,
                        std::span<const int64_t> shape, uint8_t*& target);
  absl::Status CheckGiven(const HostArray& array, const Type& type,
                          hal::ElementType to, BufferUse use) const;
  absl::Status CheckRange(std::span<const uint8_t> elements,
                          const HostArray& array, hal::ElementType to);
  absl::Status Lend(const HostArray& array, hal::ElementType type,
                    Ref<RefObject>& object);
  bool TakeSpare(hal::ElementType type, std::span<const int64_t> shape,
                 Ref<hal::BufferView>& view);
  void KeepSpare(const Ref<hal::BufferView>& view);
  // Creates an array, of zeros if `owner` is 0. The caller must fill it if
  // `owner` is hal::kOverwritten.
  absl::Status NewArray(hal::ElementType type, std::span<const int64_t> shape,
                        uint64_t owner, Ref<hal::BufferView>& view,
                        std::span<uint8_t>& target);

  hal::Device* const device_;
  CallStatistics* const statistics_;
  const std::shared_ptr<MemoryMeter>& memory_;
  std::vector<Ref<hal::BufferView>>* spares_;
  ValuePath& path_;
  size_t next_spare_ = 0;
  bool is_storage_ = false;
  bool elements_may_change_ = false;
};

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_VALUE_ARRAY_ENCODER_H_
