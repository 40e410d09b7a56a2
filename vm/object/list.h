// vm.list: a growable array of one element type, or of values of any type.
//
// A list of numbers converts between integer widths and between f32 and f64;
// between integers and floats it gives 0, as the format defines it. A variant
// element keeps the type it was set with; new elements are zero, null or empty.
// However deep lists are in lists, they are freed one after another. Freeing a
// list takes as long as setting its references did: pages of a list that were
// never written are not looked at.
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

// What a list holds; also a row of a module's type table.
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
  const RefType* ref = nullptr;  // of kRef; null: any type

  // True if a ref of this type may be `object`, or null.
  bool Accepts(const RefObject* object) const {
    if (object == nullptr || kind == Kind::kVariant) return true;
    return kind == Kind::kRef && (ref == nullptr || ref == &object->type());
  }
  // "i8", "vm.buffer", "any".
  std::string ToString() const;

  friend bool operator==(const ElementType&, const ElementType&) = default;
};

struct ListLayout;

// Thread-compatible; owns its refs.
class List final : public ChargedObject {
 public:
  static constexpr RefType kType{"vm.list"};
  static constexpr uint64_t kMaxSize = uint64_t{1} << 28;

  // An empty list; `memory` counts it and what it grows to. RESOURCE_EXHAUSTED:
  // the capacity exceeds kMaxSize, the meter's limit or the memory there is.
  static absl::StatusOr<Ref<List>> Create(
      ElementType element, uint64_t capacity = 0,
      const std::shared_ptr<MemoryMeter>& memory = nullptr,
      PayForBytes pay = PayNothing);

  const ElementType& element_type() const { return element_; }
  uint64_t size() const { return size_; }

  // Pays for the bytes of storage that are allocated, or cleared: none if the
  // list grows within its capacity. RESOURCE_EXHAUSTED: as Create; the list is
  // unchanged. If `pay` fails while a list shrinks, its size is unchanged, and
  // some of its last elements may be zero, null or empty.
  absl::Status Reserve(uint64_t capacity, PayForBytes pay = PayNothing);
  absl::Status Resize(uint64_t size, PayForBytes pay = PayNothing);

  // An element as a number. T: int32_t, int64_t, float, double.
  // OUT_OF_RANGE: no such index. FAILED_PRECONDITION: it is a ref or empty.
  template <typename T>
  absl::Status GetNumber(uint64_t index, T& value) const;
  // FAILED_PRECONDITION: the list holds refs.
  template <typename T>
  absl::Status SetNumber(uint64_t index, T value);

  // An element as a ref, borrowed; null if empty. FAILED_PRECONDITION: it is a
  // number.
  absl::Status GetRef(uint64_t index, RefObject*& object) const;
  // The same, taken out of the list: the element is null afterwards.
  absl::Status TakeRef(uint64_t index, Ref<RefObject>& object);
  // FAILED_PRECONDITION: the list holds numbers. INVALID_ARGUMENT: the object
  // is of another type than the list's.
  absl::Status SetRef(uint64_t index, Ref<RefObject> object);

  // For hosts: an element with its own type; i8 and i16 come as i32, an empty
  // variant as a null ref. Set converts as SetNumber and SetRef do.
  absl::StatusOr<Value> Get(uint64_t index) const;
  absl::Status Set(uint64_t index, const Value& value);
  absl::Status Append(const Value& value);

  // Makes this a member of the set, unless it is one of any: before a program
  // puts a list into it.
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
  // All zero bytes: empty.
  struct Variant {
    Slot slot;
    uint8_t tag = 0;  // the kind + 1; 0: empty

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
  // While changing what the list's set looks at.
  std::unique_lock<std::mutex> Lock() const {
    if (nested_ == nullptr) [[likely]]
      return {};
    return std::unique_lock<std::mutex>(nested_->mutex());
  }
  // What is at a place, which becomes null or empty; null if it is no ref.
  RefObject* TakeAt(void* place);

  // Refs are looked for by pages of elements that were written.
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
  // Calls `visit` with each element of [begin, end) whose page was written.
  template <typename Visit>
  void VisitWritten(uint64_t begin, uint64_t end, Visit visit) const;

  // Drops the ref of an element, if it has one, and zeroes the element.
  void ClearAt(uint64_t index);
  // The same for elements in [begin, end).
  absl::Status Clear(uint64_t begin, uint64_t end, PayForBytes pay);
  void* PlaceOf(uint64_t index) const { return storage_ + index * width_; }
  // The kind of what is at a place of this list.
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
  uint64_t* marks_ = nullptr;   // of pages; behind the elements in the storage
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
    // A variant begins with its slot, which is null if empty.
    RefObject* object = *static_cast<RefObject* const*>(place);
    if (object != nullptr) visit(object);
  });
}

}  // namespace eyrie::vm

#endif  // EYRIE_VM_OBJECT_LIST_H_
