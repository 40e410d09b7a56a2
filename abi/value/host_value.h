// Values of the host, independent of any function: numbers, bytes, arrays,
// lists, tuples, dicts, null, and opaque references.
//
// Scalars need no allocation. encoder.h converts these values to the arguments
// of a function, decoder.h converts its results to values, and json_value.h
// converts them to and from JSON.
// Tested by abi/call/invoker_test.cc.
#ifndef EYRIE_ABI_VALUE_HOST_VALUE_H_
#define EYRIE_ABI_VALUE_HOST_VALUE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/ref.h"
#include "hal/buffer_view.h"
#include "hal/device.h"
#include "hal/element_type.h"

namespace eyrie::abi {

// An array of numbers in memory, with any strides. Immutable, except by Rebind.
// The owner of borrowed elements must keep them alive, and must not write to
// them during a call.
class HostArray {
  struct Key {};  // only members of this class create arrays

 public:
  explicit HostArray(Key /*key*/) {}

  // How a call may use the elements.
  enum class Use : uint8_t {
    kCopy,       // the call gets a copy if its program might write to them
    kLend,       // the call may use them in place, and write unless read-only
    kLendConst,  // the call may use them in place; the array is read-only
  };

  // Creates an array that owns a copy of dense row-major elements.
  // INVALID_ARGUMENT: a dimension is negative, there are more than 1024
  // dimensions, or the number of bytes does not match the shape.
  // RESOURCE_EXHAUSTED: out of memory.
  static absl::StatusOr<std::shared_ptr<const HostArray>> Copy(
      hal::ElementType type, std::span<const int64_t> shape,
      std::span<const uint8_t> bytes);

  // Creates an array over elements that the caller owns. All elements must be
  // inside `bytes`; `first` is the byte offset of the element at index 0, 0 ….
  // Strides are in bytes and may be negative or zero; no strides mean dense
  // row-major. The array keeps `owner`, which may be null. INVALID_ARGUMENT: as
  // Copy, or there are not as many strides as dimensions. OUT_OF_RANGE: an
  // element is outside `bytes`. UNIMPLEMENTED: strides are given for elements
  // narrower than a byte.
  static absl::StatusOr<std::shared_ptr<const HostArray>> Borrow(
      hal::ElementType type, std::span<const int64_t> shape,
      std::span<const int64_t> strides, std::span<const uint8_t> bytes,
      size_t first = 0, std::shared_ptr<const void> owner = nullptr,
      Use use = Use::kCopy);

  // Borrows memory of unknown size: `data` is the element at index 0, 0 …,
  // and the caller must ensure that the strides stay in valid memory.
  // INVALID_ARGUMENT: as Borrow, or an offset needs more than 64 bits.
  static absl::StatusOr<std::shared_ptr<const HostArray>> BorrowAt(
      hal::ElementType type, std::span<const int64_t> shape,
      std::span<const int64_t> strides, const uint8_t* data,
      std::shared_ptr<const void> owner);

  // Replaces `array` as BorrowAt does, without an owner, and reuses its memory
  // if nothing else refers to it. The caller must keep the elements valid until
  // the array is destroyed or bound again. If this fails, `array` may only be
  // destroyed or bound again. INVALID_ARGUMENT: as BorrowAt.
  static absl::Status Rebind(std::shared_ptr<const HostArray>& array,
                             hal::ElementType type,
                             std::span<const int64_t> shape,
                             std::span<const int64_t> strides,
                             const uint8_t* data);
  // Binds the array to all bytes of a dense row-major array. INVALID_ARGUMENT:
  // as Borrow.
  static absl::Status Rebind(std::shared_ptr<const HostArray>& array,
                             hal::ElementType type,
                             std::span<const int64_t> shape,
                             std::span<const uint8_t> bytes);

  // Creates an array over a tensor on a device. UNIMPLEMENTED: the tensor is
  // not dense. FAILED_PRECONDITION: the host cannot read it.
  static absl::StatusOr<std::shared_ptr<const HostArray>> OfTensor(
      Ref<hal::BufferView> view, Use use = Use::kCopy);
  // Creates an array over a dense tensor whose elements the host can read at
  // `data`.
  static std::shared_ptr<const HostArray> OfReadable(Ref<hal::BufferView> view,
                                                     const uint8_t* data,
                                                     Use use = Use::kCopy);

  // Makes an array of a tensor, which nothing else refers to, an array of
  // another tensor of its type and shape. Saves the allocation of OfReadable.
  // Takes the reference and returns true, or returns false if it cannot.
  static bool Reuse(const std::shared_ptr<const HostArray>& array,
                    hal::BufferView* view, const uint8_t* data);

  hal::ElementType type() const { return type_; }
  std::span<const int64_t> shape() const { return shape_; }
  // In bytes, one per dimension.
  std::span<const int64_t> strides() const { return strides_; }
  bool is_dense() const { return dense_; }
  int64_t element_count() const { return count_; }
  // Returns the address of the element at index 0, 0 ….
  const uint8_t* data() const { return data_; }
  // Returns all elements of a dense array; meaningless for others.
  std::span<const uint8_t> bytes() const { return {data_, byte_length_}; }
  // The size of the packed elements.
  uint64_t byte_length() const { return byte_length_; }
  Use use() const { return use_; }
  // Reports whether writing to the elements is forbidden, whatever use() is.
  bool is_read_only() const { return read_only_; }
  // Reports whether a call may use the elements in place. Code from all
  // compiler releases may write to arguments, and modules do not say to which.
  bool may_be_used() const {
    return use_ == Use::kLendConst || (use_ == Use::kLend && !read_only_);
  }
  // The tensor that the array is over, or null.
  const Ref<hal::BufferView>& view() const { return view_; }
  // Reports whether the caller asked for elements to be converted even if that
  // loses information.
  bool casts() const { return casts_; }
  // Returns a tensor over the elements, without a copy. The array must be
  // dense, and `type` must have the same bits. The first tensor is cached, with
  // its device. Thread-safe. UNAVAILABLE: the device cannot use this memory.
  absl::StatusOr<Ref<hal::BufferView>> Import(hal::Device& device,
                                              hal::ElementType type) const;
  // Returns a tensor over the elements that exists already and that `device`
  // can use, or null. The array keeps it.
  hal::BufferView* TensorOn(hal::Device& device) const;
  // Reports whether nothing else refers to the array, which may be null. If so,
  // the caller may change it.
  static bool IsOnly(const std::shared_ptr<const HostArray>& array) {
    if (array == nullptr || array.use_count() != 1) return false;
    // Other threads may have dropped references after they read the array.
    std::atomic_thread_fence(std::memory_order_acquire);
    return true;
  }
  // Returns the same elements with casts() true.
  std::shared_ptr<const HostArray> Casting() const;
  // Returns the same elements with Use::kLend.
  std::shared_ptr<const HostArray> Lent() const;
  // Returns the same elements with Use::kLendConst. Commands of a call cannot
  // write to them; kernels are trusted not to.
  std::shared_ptr<const HostArray> LentConst() const;
  // Returns the same elements with is_read_only() true.
  std::shared_ptr<const HostArray> ReadOnly() const;
  // Returns the same elements with the dimensions in reverse order. Elements
  // must be of whole bytes.
  std::shared_ptr<const HostArray> Transposed() const;

  // Writes the elements, packed, to `target`, which has byte_length() bytes.
  void Pack(uint8_t* target) const;
  // Returns "2x3xf32".
  std::string ShapeText() const;

 private:
  struct Imported {
    Ref<hal::Device> device;
    Ref<hal::BufferView> view;
  };
  // Caches the result of Import. A copy of an array starts with an empty cache.
  struct ImportCache {
    ImportCache() = default;
    ImportCache(const ImportCache&) {}
    ~ImportCache() { delete made.load(std::memory_order_acquire); }
    mutable std::atomic<const Imported*> made{nullptr};
  };

  using Dims = absl::InlinedVector<int64_t, 4>;

  HostArray(const HostArray&) = default;
  // Returns the array, or a new one if others refer to it, without an owner, a
  // tensor or options. Its elements are not set.
  static HostArray& Unbind(std::shared_ptr<const HostArray>& array);
  void SetShape(std::span<const int64_t> shape);

  // Describe the elements, as the arguments of Borrow and BorrowAt do.
  absl::Status Set(hal::ElementType type, std::span<const int64_t> shape,
                   std::span<const int64_t> strides,
                   std::span<const uint8_t> bytes, size_t first);
  absl::Status SetAt(hal::ElementType type, std::span<const int64_t> shape,
                     std::span<const int64_t> strides, const uint8_t* data);

  hal::ElementType type_ = hal::ElementType::kNone;
  Use use_ = Use::kCopy;
  bool dense_ = true;
  bool casts_ = false;
  bool read_only_ = false;
  Dims shape_;
  Dims strides_;
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
  // `bits` is the width of the number at its source; 0 if it had none.
  struct Int {
    int64_t value;  // the bits of a uint64 if is_unsigned
    uint8_t bits = 0;
    bool is_unsigned = false;  // and greater than INT64_MAX
  };
  struct Float {
    double value;
    uint8_t bits = 0;
  };
  using Items = std::vector<HostValue>;
  using Entry = std::pair<std::string, HostValue>;
  using Entries = std::vector<Entry>;  // in order; keys may repeat

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
  // Creates a value of bytes. Text is UTF-8.
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

  // Replace the value. Fast if it was of the same kind.
  void Set(bool value) { SetTo(value); }
  void Set(Int value) { SetTo(value); }
  void Set(Float value) { SetTo(value); }
  // Sets an array as HostArray::OfReadable creates it.
  void Set(Ref<hal::BufferView> view, const uint8_t* data);

  // Returns a copy that shares the elements of arrays. RESOURCE_EXHAUSTED: out
  // of memory. (The copy constructor would end the process.)
  absl::StatusOr<HostValue> Copy() const;

  // Replaces this value by an array over the caller's memory, as
  // HostArray::Rebind does. If this fails, the value is null.
  absl::Status SetBorrowed(hal::ElementType type,
                           std::span<const int64_t> shape,
                           std::span<const int64_t> strides,
                           const uint8_t* data);
  absl::Status SetBorrowed(hal::ElementType type,
                           std::span<const int64_t> shape,
                           std::span<const uint8_t> bytes);

  Kind kind() const;
  bool is(Kind other) const { return kind() == other; }

  // Each returns the contents, or null if the value is of another kind.
  const bool* boolean() const { return std::get_if<bool>(&value_); }
  const Int* integer() const { return std::get_if<Int>(&value_); }
  const Float* number() const { return std::get_if<Float>(&value_); }
  const std::string* bytes() const { return std::get_if<std::string>(&value_); }
  const HostArray* array() const {
    const auto* held = std::get_if<ArrayPtr>(&value_);
    return held ? held->get() : nullptr;
  }
  const Items* items() const;      // lists and tuples
  const Entries* entries() const;  // dicts
  const Ref<RefObject>* ref() const {
    return std::get_if<Ref<RefObject>>(&value_);
  }

  // Reports whether this value alone refers to the memory of a tensor, which
  // calls may write to. False for other values.
  bool IsSoleOwner() const {
    const auto* held = std::get_if<ArrayPtr>(&value_);
    return held != nullptr && HostArray::IsOnly(*held) &&
           !(*held)->is_read_only() && (*held)->view() &&
           (*held)->view()->IsSoleOwner();
  }

  // Returns "the integer 300", "a list of 2" or "an array 2x3xf32".
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
  // Calls HostArray::Rebind.
  template <typename... Elements>
  absl::Status Rebind(Elements... elements);
  template <typename T>
  void SetTo(T content) {
    if (T* held = std::get_if<T>(&value_)) [[likely]] {
      *held = std::move(content);
    } else {
      value_ = std::move(content);
    }
  }

  std::variant<std::monostate, bool, Int, Float, std::string, ArrayPtr,
               SequenceOf, DictOf, Ref<RefObject>>
      value_;
};

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_VALUE_HOST_VALUE_H_
