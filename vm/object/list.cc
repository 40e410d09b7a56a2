#include "vm/object/list.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace eyrie::vm {
namespace {

using Kind = ElementType::Kind;

absl::Status TooMany(uint64_t size) {
  return absl::ResourceExhaustedError(absl::StrCat(
      "A list of ", static_cast<int64_t>(size), " elements exceeds the limit (",
      List::kMaxSize, ") or the available memory."));
}

// Converts a number as lists define it: between integers and floats, returns 0.
template <typename To, typename From>
To Convert(From value) {
  if constexpr (std::is_integral_v<To> == std::is_integral_v<From>) {
    return static_cast<To>(value);
  } else {
    return 0;
  }
}

template <typename From>
void StoreNumber(void* place, Kind kind, From value) {
  auto store = [&]<typename To>(To converted) {
    std::memcpy(place, &converted, sizeof(To));
  };
  switch (kind) {
    case Kind::kI8:
      return store(Convert<int8_t>(value));
    case Kind::kI16:
      return store(Convert<int16_t>(value));
    case Kind::kI32:
      return store(Convert<int32_t>(value));
    case Kind::kI64:
      return store(Convert<int64_t>(value));
    case Kind::kF32:
      return store(Convert<float>(value));
    case Kind::kF64:
      return store(Convert<double>(value));
    default:
      return;
  }
}

template <typename To>
To LoadNumber(const void* place, Kind kind) {
  auto load = [&]<typename From>(From stored) {
    std::memcpy(&stored, place, sizeof(From));
    return Convert<To>(stored);
  };
  switch (kind) {
    case Kind::kI8:
      return load(int8_t{});
    case Kind::kI16:
      return load(int16_t{});
    case Kind::kI32:
      return load(int32_t{});
    case Kind::kI64:
      return load(int64_t{});
    case Kind::kF32:
      return load(float{});
    case Kind::kF64:
      return load(double{});
    default:
      return 0;
  }
}

template <typename T>
constexpr Kind KindOf() {
  if constexpr (std::is_same_v<T, int32_t>)
    return Kind::kI32;
  else if constexpr (std::is_same_v<T, int64_t>)
    return Kind::kI64;
  else if constexpr (std::is_same_v<T, float>)
    return Kind::kF32;
  else
    return Kind::kF64;
}

constexpr const char* kNames[] = {"i8",  "i16", "i32", "i64",
                                  "f32", "f64", "any", "any"};

}  // namespace

std::string ElementType::ToString() const {
  if (kind == Kind::kRef && ref != nullptr) return ref->name;
  return kNames[static_cast<int>(kind)];
}

List::List(ElementType element) : ChargedObject(kType), element_(element) {
  constexpr uint32_t kWidths[] = {1, 2, 4, 8, 4, 8, 8, sizeof(Variant)};
  width_ = kWidths[static_cast<int>(element.kind)];
}

List::~List() {
  nested_.reset();  // now the set can no longer visit the list
  VisitRefs([](RefObject* object) { object->DropRef(); });
  std::free(storage_);
}

// Frees lists in a loop: a list whose last reference is dropped while another
// one is freed is queued, since nested lists may be deeper than the stack
// allows.
void List::OnLastRef() {
  if (!HoldsRefs()) {
    delete this;
    return;
  }
  thread_local List* dying = nullptr;  // head of the queue
  thread_local bool busy = false;
  next_dying_ = std::exchange(dying, this);
  if (busy) return;
  busy = true;
  while (dying != nullptr) {
    List* list = std::exchange(dying, dying->next_dying_);
    delete list;
  }
  busy = false;
}

const NestedLists::ListAccess List::kNestedAccess = {
    .visit =
        [](const RefObject& list,
           absl::FunctionRef<void(NestedLists::Member&)> each) {
          static_cast<const List&>(list).VisitRefs([&](RefObject* object) {
            const List* held = RefCast<List>(object);
            if (held != nullptr && held->nested_ != nullptr) {
              each(*held->nested_);
            }
          });
        },
    .empty =
        [](RefObject& list) {
          static_cast<List&>(list).Resize(0).IgnoreError();
        },
};

absl::StatusOr<Ref<List>> List::Create(
    ElementType element, uint64_t capacity,
    const std::shared_ptr<MemoryMeter>& memory, PayForBytes pay) {
  const bool may_nest = element.kind >= Kind::kRef;
  ASSIGN_OR_RETURN(
      MemoryCharge charge,
      MemoryCharge::Take(
          memory, sizeof(List) + (may_nest ? sizeof(NestedLists::Member) : 0),
          "a list"));
  Ref<List> list = Ref<List>::Adopt(new List(element));
  list->Hold(std::move(charge));
  RETURN_IF_ERROR(list->Reserve(capacity, pay));
  return list;
}

RefObject* List::TakeAt(void* place) {
  const auto lock = Lock();
  if (element_.kind == Kind::kRef) {
    return std::exchange(*static_cast<RefObject**>(place), nullptr);
  }
  const Variant old = std::exchange(*static_cast<Variant*>(place), Variant{});
  return old.kind() == Kind::kRef ? old.slot.ref : nullptr;
}

void List::ClearAt(uint64_t index) {
  RefObject* object = TakeAt(PlaceOf(index));
  if (object != nullptr) object->DropRef();
}

absl::Status List::Clear(uint64_t begin, uint64_t end, PayForBytes pay) {
  // A piece for refs is smaller, since dropping one may free an object.
  constexpr uint64_t kRefsAtATime = 8192;
  const uint64_t most = HoldsRefs() ? kRefsAtATime : kPieceBytes / width_;
  // Clears from the end, so that a failure leaves the beginning intact.
  while (begin < end) {
    const uint64_t from = end - std::min(most, end - begin);
    RETURN_IF_ERROR(pay((end - from) * width_));
    if (HoldsRefs()) {
      VisitWritten(from, end, [this](uint64_t i) { ClearAt(i); });
    } else {
      std::memset(PlaceOf(from), 0, (end - from) * width_);
    }
    end = from;
  }
  return absl::OkStatus();
}

absl::Status List::Reserve(uint64_t capacity, PayForBytes pay) {
  if (capacity <= capacity_) return absl::OkStatus();
  if (capacity > kMaxSize) return TooMany(capacity);
  const uint64_t grown =
      std::min(kMaxSize, std::max({capacity, capacity_ * 2, uint64_t{8}}));
  const uint64_t bytes = StorageBytes(grown);
  RETURN_IF_ERROR(pay(bytes));
  // Charges the new storage while the old one still exists.
  RETURN_IF_ERROR(charge().Add(bytes, "a list's elements"));
  auto* storage = static_cast<uint8_t*>(std::calloc(1, bytes));
  if (storage == nullptr) {
    charge().Sub(bytes);
    return TooMany(capacity);
  }
  // The bytes were paid for above; only check for a stop.
  const auto look = [&](uint64_t) { return pay(0); };
  absl::Status copied =
      DoInPieces(size_ * width_, look, [&](uint64_t at, uint64_t length) {
        std::memcpy(storage + at, storage_ + at, length);
      });
  if (!copied.ok()) {
    std::free(storage);
    charge().Sub(bytes);
    return copied;
  }
  {
    const auto lock = Lock();
    if (HoldsRefs()) {
      auto* marks = reinterpret_cast<uint64_t*>(storage + grown * width_);
      if (capacity_ != 0) std::memcpy(marks, marks_, MarkBytes(capacity_));
      marks_ = marks;
    }
    std::swap(storage_, storage);
  }
  std::free(storage);
  charge().Sub(StorageBytes(std::exchange(capacity_, grown)));
  return absl::OkStatus();
}

absl::Status List::Resize(uint64_t size, PayForBytes pay) {
  if (size > size_) {
    RETURN_IF_ERROR(Reserve(size, pay));
  } else {
    RETURN_IF_ERROR(Clear(size, size_, pay));
  }
  const auto lock = Lock();
  size_ = size;
  return absl::OkStatus();
}

absl::Status List::NoSuchIndex(uint64_t index) const {
  return absl::OutOfRangeError(
      absl::StrCat("List index ", static_cast<int64_t>(index),
                   " exceeds the list's size (", size_, ")."));
}

absl::Status List::NotANumber(uint64_t index) const {
  return absl::FailedPreconditionError(
      absl::StrCat("Element ", index, " of a list of ", element_.ToString(),
                   " is not a number."));
}

template <typename T>
absl::Status List::GetNumber(uint64_t index, T& value) const {
  if (index >= size_) [[unlikely]]
    return NoSuchIndex(index);
  void* const place = PlaceOf(index);
  const Kind kind = KindAt(place);
  if (!IsNumber(kind)) [[unlikely]]
    return NotANumber(index);
  value = LoadNumber<T>(place, kind);
  return absl::OkStatus();
}

template <typename T>
absl::Status List::SetNumber(uint64_t index, T value) {
  if (index >= size_) [[unlikely]]
    return NoSuchIndex(index);
  void* const place = PlaceOf(index);
  if (element_.kind == Kind::kRef) [[unlikely]] {
    return absl::FailedPreconditionError(absl::StrCat(
        "A list of ", element_.ToString(), " refs cannot hold a number."));
  }
  if (element_.kind != Kind::kVariant) {
    StoreNumber(place, element_.kind, value);
    return absl::OkStatus();
  }
  ClearAt(index);
  const auto lock = Lock();
  MarkWritten(index);
  static_cast<Variant*>(place)->set_kind(KindOf<T>());
  StoreNumber(place, KindOf<T>(), value);
  return absl::OkStatus();
}

template absl::Status List::GetNumber(uint64_t, int32_t&) const;
template absl::Status List::GetNumber(uint64_t, int64_t&) const;
template absl::Status List::GetNumber(uint64_t, float&) const;
template absl::Status List::GetNumber(uint64_t, double&) const;
template absl::Status List::SetNumber(uint64_t, int32_t);
template absl::Status List::SetNumber(uint64_t, int64_t);
template absl::Status List::SetNumber(uint64_t, float);
template absl::Status List::SetNumber(uint64_t, double);

absl::Status List::GetRef(uint64_t index, RefObject*& object) const {
  if (index >= size_) [[unlikely]]
    return NoSuchIndex(index);
  void* const place = PlaceOf(index);
  const Kind kind = KindAt(place);
  if (IsNumber(kind)) [[unlikely]] {
    return absl::FailedPreconditionError(
        absl::StrCat("Element ", index, " of a list of ", element_.ToString(),
                     " is a number, not a ref."));
  }
  // A variant begins with its slot, which is null if it is empty.
  object = *static_cast<RefObject**>(place);
  return absl::OkStatus();
}

absl::Status List::TakeRef(uint64_t index, Ref<RefObject>& object) {
  RefObject* found = nullptr;
  RETURN_IF_ERROR(GetRef(index, found));
  object = Ref<RefObject>::Share(found);
  if (HoldsRefs()) ClearAt(index);
  return absl::OkStatus();
}

absl::Status List::SetRef(uint64_t index, Ref<RefObject> object) {
  if (index >= size_) [[unlikely]]
    return NoSuchIndex(index);
  void* const place = PlaceOf(index);
  if (IsNumber(element_.kind)) [[unlikely]] {
    return absl::FailedPreconditionError(
        absl::StrCat("A list of ", element_.ToString(), " cannot hold a ref."));
  }
  if (!element_.Accepts(object.get())) [[unlikely]] {
    return absl::InvalidArgumentError(absl::StrCat(
        "A ", object->type().name, " cannot be an element of a list of ",
        element_.ToString(), "."));
  }
  ClearAt(index);
  const auto lock = Lock();
  MarkWritten(index);
  if (element_.kind == Kind::kVariant) {
    static_cast<Variant*>(place)->set_kind(Kind::kRef);
  }
  *static_cast<RefObject**>(place) = object.release();
  return absl::OkStatus();
}

absl::StatusOr<Value> List::Get(uint64_t index) const {
  if (index >= size_) [[unlikely]]
    return NoSuchIndex(index);
  void* const place = PlaceOf(index);
  const Kind kind = KindAt(place);
  switch (kind) {
    case Kind::kI64:
      return Value(LoadNumber<int64_t>(place, kind));
    case Kind::kF32:
      return Value(LoadNumber<float>(place, kind));
    case Kind::kF64:
      return Value(LoadNumber<double>(place, kind));
    case Kind::kRef:
    case Kind::kVariant:
      return Value(Ref<RefObject>::Share(*static_cast<RefObject**>(place)));
    default:
      return Value(LoadNumber<int32_t>(place, kind));
  }
}

absl::Status List::Set(uint64_t index, const Value& value) {
  switch (value.type()) {
    case ValueType::kI32:
      return SetNumber(index, value.i32());
    case ValueType::kI64:
      return SetNumber(index, value.i64());
    case ValueType::kF32:
      return SetNumber(index, value.f32());
    case ValueType::kF64:
      return SetNumber(index, value.f64());
    case ValueType::kRef:
      return SetRef(index, Ref<RefObject>::Share(value.ref()));
  }
  return absl::InternalError("Unknown value type.");
}

absl::Status List::Append(const Value& value) {
  const uint64_t index = size_;
  RETURN_IF_ERROR(Resize(index + 1));
  absl::Status status = Set(index, value);
  if (!status.ok()) size_ = index;
  return status;
}

}  // namespace eyrie::vm
