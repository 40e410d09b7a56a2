// vm.list: a growable array of one element type, or of values of any type.
//
// Lists of numbers convert between integer widths and between f32 and f64.
// Conversion between integers and floats returns 0, as the format defines. A
// variant element keeps the type of the value it was set to. New elements are
// zero, null or empty. Nested lists are freed without recursion, at any depth.
// Freeing a list of references does not read pages that were never written, so
// it is not slower than filling it was.
// Tested by list_buffer_test.cc, tests/vm/rows_test.cc.
#ifndef EYRIE_VM_OBJECT_LIST_H_
#define EYRIE_VM_OBJECT_LIST_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/charged_object.h"
#include "base/memory_meter.h"
#include "base/ref.h"
#include "vm/isa/value.h"
#include "vm/limits/pay.h"
#include "vm/object/nested_lists.h"

namespace eyrie::vm {

// The type of a list's elements. Also used for rows of a module's type table.
struct ElementType {
  enum class Kind : uint8_t {
    kI8,
    kI16,
    kI32,
    kI64,
    kF32,
    kF64,
    kRef,
    kVariant,
  };
  Kind kind = Kind::kVariant;
  const RefType* ref = nullptr;  // for kRef; null for any type

  // Reports whether a ref of this type may hold `object`, which may be null.
  bool Accepts(const RefObject* object) const {
    if (object == nullptr || kind == Kind::kVariant) return true;
    return kind == Kind::kRef && (ref == nullptr || ref == &object->type());
  }
  // Returns text such as "i8", "vm.buffer" or "any".
  std::string ToString() const;

  friend bool operator==(const ElementType&, const ElementType&) = default;
};

struct ListLayout;

// Thread-compatible; owns its refs.
class List final : public ChargedObject {
 public:
  static constexpr RefType kType{"vm.list"};
  static constexpr uint64_t kMaxSize = uint64_t{1} << 28;

  // Creates an empty list. Charges `memory`, if it is not null, now and when
  // the list grows. Returns RESOURCE_EXHAUSTED if the capacity exceeds
  // kMaxSize, the meter's limit or the available memory.
  static absl::StatusOr<Ref<List>> Create(
      ElementType element, uint64_t capacity = 0,
      const std::shared_ptr<MemoryMeter>& memory = nullptr,
      PayForBytes pay = PayNothing);

  const ElementType& element_type() const { return element_; }
  uint64_t size() const { return size_; }

  // Both call `pay` with the bytes of storage that they allocate or clear; none
  // if the list grows within its capacity. They return RESOURCE_EXHAUSTED like
  // Create; the list is unchanged then. If `pay` fails while a list shrinks,
  // its size is unchanged, but some of its last elements may be zero, null or
  // empty.
  absl::Status Reserve(uint64_t capacity, PayForBytes pay = PayNothing);
  absl::Status Resize(uint64_t size, PayForBytes pay = PayNothing);

  // Gets an element as a number. T may be int32_t, int64_t, float or double.
  // Returns OUT_OF_RANGE if the index is not less than the size, as all
  // functions with an index do, and FAILED_PRECONDITION if the element is a ref
  // or empty.
  template <typename T>
  absl::Status GetNumber(uint64_t index, T& value) const;
  // Returns FAILED_PRECONDITION if the list holds refs.
  template <typename T>
  absl::Status SetNumber(uint64_t index, T value);

  // Gets an element as a borrowed ref; null if the element is empty. Returns
  // FAILED_PRECONDITION if it is a number.
  absl::Status GetRef(uint64_t index, RefObject*& object) const;
  // Moves an element's ref out of the list, which leaves the element null.
  // Fails as GetRef does.
  absl::Status TakeRef(uint64_t index, Ref<RefObject>& object);
  // Returns FAILED_PRECONDITION if the list holds numbers, and INVALID_ARGUMENT
  // if the object does not have the list's element type.
  absl::Status SetRef(uint64_t index, Ref<RefObject> object);

  // For hosts: Get returns an element with its own type, i8 and i16 as i32, and
  // an empty variant as a null ref. Set and Append convert like SetNumber and
  // SetRef.
  absl::StatusOr<Value> Get(uint64_t index) const;
  absl::Status Set(uint64_t index, const Value& value);
  absl::Status Append(const Value& value);

  // Adds this list to `set`, unless it is in a set already. Must be called
  // before a program puts a list into this one.
  void JoinNested(const std::shared_ptr<NestedLists>& set) {
    if (nested_ == nullptr) {
      NestedLists::Add(set, this, kNestedAccess, nested_);
    }
  }
  // Calls `visit` for every element that is a ref and not null.
  template <typename Visit>
  void VisitRefs(Visit visit) const;

 private:
  friend struct ListLayout;  // for compiled code
  using Kind = ElementType::Kind;
  // An element of a variant list. If all bytes are zero, it is empty.
  struct Variant {
    Slot slot;
    uint8_t tag = 0;  // the kind + 1; 0 if empty

    Kind kind() const {
      return tag == 0 ? Kind::kVariant : static_cast<Kind>(tag - 1);
    }
    void set_kind(Kind kind) { tag = static_cast<uint8_t>(kind) + 1; }
  };

  static const NestedLists::ListAccess kNestedAccess;

  explicit List(ElementType element);
  ~List() override;
  void OnLastRef() override;

  bool HoldsRefs() const { return element_.kind >= Kind::kRef; }
  // Must be held while elements change that the list's set may visit.
  std::unique_lock<std::mutex> Lock() const {
    if (nested_ == nullptr) [[likely]]
      return {};
    return std::unique_lock<std::mutex>(nested_->mutex());
  }
  // Clears an element and returns the ref it held, or null if it held none.
  RefObject* TakeAt(void* place);

  // Pages of elements that were written are marked, to find refs fast.
  static constexpr uint64_t kPage = 512;  // elements
  static uint64_t MarkBytes(uint64_t capacity) {
    return (capacity + kPage * 64 - 1) / (kPage * 64) * 8;
  }
  uint64_t StorageBytes(uint64_t capacity) const {
    return capacity * width_ + (HoldsRefs() ? MarkBytes(capacity) : 0);
  }
  void MarkWritten(uint64_t index) {
    marks_[index / (kPage * 64)] |= uint64_t{1} << (index / kPage % 64);
  }
  bool IsWritten(uint64_t index) const {
    return (marks_[index / (kPage * 64)] >> (index / kPage % 64) & 1) != 0;
  }
  // Calls `visit` with each element of [begin, end) in a written page.
  template <typename Visit>
  void VisitWritten(uint64_t begin, uint64_t end, Visit visit) const;

  // Drops the ref of an element, if there is one, and zeroes the element.
  void ClearAt(uint64_t index);
  // Drops the refs of the elements in [begin, end), and zeroes the elements.
  absl::Status Clear(uint64_t begin, uint64_t end, PayForBytes pay);
  void* PlaceOf(uint64_t index) const { return storage_ + index * width_; }
  // Returns the kind of the element at `place`.
  Kind KindAt(const void* place) const {
    return element_.kind == Kind::kVariant
               ? static_cast<const Variant*>(place)->kind()
               : element_.kind;
  }
  static bool IsNumber(Kind kind) { return kind < Kind::kRef; }
  absl::Status NoSuchIndex(uint64_t index) const;
  absl::Status NotANumber(uint64_t index) const;

  ElementType element_;
  uint32_t width_;
  uint64_t size_ = 0;
  uint64_t capacity_ = 0;
  uint8_t* storage_ = nullptr;  // from malloc, zeroed beyond size_
  uint64_t* marks_ = nullptr;   // of pages; after the elements in storage_
  std::unique_ptr<NestedLists::Member> nested_;
  List* next_dying_ = nullptr;
};

template <typename Visit>
void List::VisitWritten(uint64_t begin, uint64_t end, Visit visit) const {
  constexpr uint64_t kWord = kPage * 64;
  while (begin < end) {
    if (marks_[begin / kWord] == 0) {
      begin = (begin / kWord + 1) * kWord;
    } else if (!IsWritten(begin)) {
      begin = (begin / kPage + 1) * kPage;
    } else {
      const uint64_t last = (begin / kPage + 1) * kPage;
      for (; begin < end && begin < last; ++begin) visit(begin);
    }
  }
}

template <typename Visit>
void List::VisitRefs(Visit visit) const {
  if (!HoldsRefs()) return;
  VisitWritten(0, size_, [&](uint64_t i) {
    const void* place = PlaceOf(i);
    if (IsNumber(KindAt(place))) return;
    // A variant begins with its slot, which is null if it is empty.
    RefObject* object = *static_cast<RefObject* const*>(place);
    if (object != nullptr) visit(object);
  });
}

}  // namespace eyrie::vm

#endif  // EYRIE_VM_OBJECT_LIST_H_
