// Values as a host has them, whatever function they are for: numbers, bytes,
// arrays, lists, tuples, dicts, null, and references it can only pass on.
//
// Scalars need no memory of their own. marshal.h turns these into what a
// function takes, by its signature, and back; json_value.h from and to JSON.
// Tested by invoker_test.cc.
#ifndef EYRIE_ABI_HOST_VALUE_H_
#define EYRIE_ABI_HOST_VALUE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/ref.h"
#include "hal/buffer_view.h"
#include "hal/device.h"
#include "hal/element_type.h"

namespace eyrie::abi {

// Numbers in memory, at any strides. Immutable; the elements of a borrowed one
// are the owner's to keep, and to leave alone during a call.
class HostArray {
 public:
  // What a call may do with the elements.
  enum class Use : uint8_t {
    kCopy,  // it gets a copy where its program might write to them
    kLend,  // it may use them in place, and change them, unless read-only
  };

  // Elements that the array owns, dense row-major, copied. INVALID_ARGUMENT:
  // a negative dimension, more than 1024 of them, or bytes of another number
  // than the shape needs. RESOURCE_EXHAUSTED: no memory.
  static absl::StatusOr<std::shared_ptr<const HostArray>> Copy(
      hal::ElementType type, std::span<const int64_t> shape,
      std::span<const uint8_t> bytes);

  // Elements that somebody else owns: all within `bytes`, the first at `first`
  // bytes from its start, the others at byte strides, which may be negative or
  // zero; none are dense row-major. `owner` is kept, if there is one.
  // INVALID_ARGUMENT: as Copy, or another number of strides than dimensions.
  // OUT_OF_RANGE: an element outside of `bytes`. UNIMPLEMENTED: strides of
  // elements narrower than a byte.
  static absl::StatusOr<std::shared_ptr<const HostArray>> Borrow(
      hal::ElementType type, std::span<const int64_t> shape,
      std::span<const int64_t> strides, std::span<const uint8_t> bytes,
      size_t first = 0, std::shared_ptr<const void> owner = nullptr,
      Use use = Use::kCopy);

  // The same where nobody says how far the memory goes: `data` is the element
  // at index 0, 0 …, and its owner answers for where the strides lead.
  // INVALID_ARGUMENT: as Borrow, or they lead out of 64 bits.
  static absl::StatusOr<std::shared_ptr<const HostArray>> BorrowAt(
      hal::ElementType type, std::span<const int64_t> shape,
      std::span<const int64_t> strides, const uint8_t* data,
      std::shared_ptr<const void> owner);

  // A tensor on a device. FAILED_PRECONDITION: the host cannot read it.
  static absl::StatusOr<std::shared_ptr<const HostArray>> OfTensor(
      Ref<hal::BufferView> view, Use use = Use::kCopy);

  hal::ElementType type() const { return type_; }
  std::span<const int64_t> shape() const { return shape_; }
  // In bytes; as many as dimensions.
  std::span<const int64_t> strides() const { return strides_; }
  bool is_dense() const { return dense_; }
  int64_t element_count() const { return count_; }
  // The element at index 0, 0 …
  const uint8_t* data() const { return data_; }
  // All elements of a dense array.
  std::span<const uint8_t> bytes() const { return {data_, byte_length_}; }
  // Bytes that the elements take when packed.
  uint64_t byte_length() const { return byte_length_; }
  Use use() const { return use_; }
  // True if nothing may write to the elements, whatever use() says.
  bool is_read_only() const { return read_only_; }
  // Whether a call may use the elements in place. Compiled code of every
  // release writes to some of its arguments, and nothing says to which.
  bool may_be_used() const { return use_ == Use::kLend && !read_only_; }
  // The tensor this is, or null.
  const Ref<hal::BufferView>& view() const { return view_; }
  // True if a caller asked for elements to be converted, with loss if need be.
  bool casts() const { return casts_; }
  // The elements in place, as a dense tensor of a type of the same bits. Made
  // once, and kept with the device; any thread's. UNAVAILABLE: the device
  // cannot use this memory.
  absl::StatusOr<Ref<hal::BufferView>> Import(hal::Device& device,
                                              hal::ElementType type) const;
  // The same elements, to be converted.
  std::shared_ptr<const HostArray> Casting() const;
  // The same elements, to be lent.
  std::shared_ptr<const HostArray> Lent() const;
  // The same elements, not to be written.
  std::shared_ptr<const HostArray> ReadOnly() const;
  // The same elements, of whole bytes, with dimensions in reverse.
  std::shared_ptr<const HostArray> Transposed() const;

  // Writes the elements, packed, to `target`, which has byte_length() bytes.
  void Pack(uint8_t* target) const;
  // "2x3xf32"
  std::string ShapeText() const;

 private:
  struct Imported {
    Ref<hal::Device> device;
    Ref<hal::BufferView> view;
  };
  // What Import has made; a copy of an array makes its own.
  struct ImportCache {
    ImportCache() = default;
    ImportCache(const ImportCache&) {}
    ~ImportCache() { delete made.load(std::memory_order_acquire); }
    mutable std::atomic<const Imported*> made{nullptr};
  };

  HostArray() = default;
  HostArray(const HostArray&) = default;

  hal::ElementType type_ = hal::ElementType::kNone;
  Use use_ = Use::kCopy;
  bool dense_ = true;
  bool casts_ = false;
  bool read_only_ = false;
  std::vector<int64_t> shape_;
  std::vector<int64_t> strides_;
  int64_t count_ = 0;
  uint64_t byte_length_ = 0;
  const uint8_t* data_ = nullptr;
  std::shared_ptr<const void> owner_;
  Ref<hal::BufferView> view_;
  ImportCache imported_;
};

class HostValue {
 public:
  enum class Kind : uint8_t {
    kNull,
    kBool,
    kInt,
    kFloat,
    kBytes,
    kArray,
    kList,
    kTuple,
    kDict,
    kRef,
  };
  // The width is what it was in the place it came from; 0: none in particular.
  struct Int {
    int64_t value;  // the bits of a uint64 where is_unsigned
    uint8_t bits = 0;
    bool is_unsigned = false;  // and above the greatest int64
  };
  struct Float {
    double value;
    uint8_t bits = 0;
  };
  using Items = std::vector<HostValue>;
  using Entry = std::pair<std::string, HostValue>;
  using Entries = std::vector<Entry>;  // in order; a key may stand twice

  HostValue() = default;  // null
  explicit HostValue(bool value) : value_(value) {}
  explicit HostValue(int32_t value) : value_(Int{value, 32}) {}
  explicit HostValue(int64_t value) : value_(Int{value, 64}) {}
  explicit HostValue(float value) : value_(Float{value, 32}) {}
  explicit HostValue(double value) : value_(Float{value, 64}) {}
  explicit HostValue(Int value) : value_(value) {}
  explicit HostValue(Float value) : value_(value) {}
  explicit HostValue(std::shared_ptr<const HostArray> array)
      : value_(std::move(array)) {}
  explicit HostValue(Ref<RefObject> object) : value_(std::move(object)) {}
  // Bytes; text is its UTF-8.
  static HostValue Bytes(std::string bytes) {
    HostValue value;
    value.value_ = std::move(bytes);
    return value;
  }
  static HostValue List(Items items) {
    return Sequence(std::move(items), false);
  }
  static HostValue Tuple(Items items) {
    return Sequence(std::move(items), true);
  }
  static HostValue Dict(Entries entries);

  // The same value; elements of arrays are shared. RESOURCE_EXHAUSTED: no
  // memory for it, which ends the process if the constructor copies.
  absl::StatusOr<HostValue> Copy() const;

  Kind kind() const;
  bool is(Kind other) const { return kind() == other; }

  // What the value holds; null if it is of another kind.
  const bool* boolean() const { return std::get_if<bool>(&value_); }
  const Int* integer() const { return std::get_if<Int>(&value_); }
  const Float* number() const { return std::get_if<Float>(&value_); }
  const std::string* bytes() const { return std::get_if<std::string>(&value_); }
  const HostArray* array() const {
    const auto* held = std::get_if<ArrayPtr>(&value_);
    return held ? held->get() : nullptr;
  }
  const Items* items() const;      // of lists and tuples
  const Entries* entries() const;  // of dicts
  const Ref<RefObject>* ref() const {
    return std::get_if<Ref<RefObject>>(&value_);
  }

  // "the integer 300", "a list of 2", "an array 2x3xf32".
  std::string Describe() const;

 private:
  using ArrayPtr = std::shared_ptr<const HostArray>;
  struct SequenceOf {
    Items items;
    bool is_tuple = false;
  };
  struct DictOf {
    Entries entries;
  };
  static HostValue Sequence(Items items, bool is_tuple);

  std::variant<std::monostate, bool, Int, Float, std::string, ArrayPtr,
               SequenceOf, DictOf, Ref<RefObject>>
      value_;
};

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_HOST_VALUE_H_
