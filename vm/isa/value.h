// Values of the VM: the five register types, a machine word that holds any of
// them, and a typed, owning value for callers.
//
// Tested by vm/native/native_module_test.cc.
#ifndef EYRIE_VM_ISA_VALUE_H_
#define EYRIE_VM_ISA_VALUE_H_

#include <cstdint>
#include <optional>
#include <utility>

#include "base/ref.h"

namespace eyrie::vm {

// The register types, with their letters in calling conventions.
enum class ValueType : uint8_t {
  kI32,  // i
  kI64,  // I
  kF32,  // f
  kF64,  // F
  kRef,  // r
};

constexpr char LetterOf(ValueType type) {
  return "iIfFr"[static_cast<int>(type)];
}

constexpr const char* NameOf(ValueType type) {
  constexpr const char* kNames[] = {"i32", "i64", "f32", "f64", "ref"};
  return kNames[static_cast<int>(type)];
}

// Reports whether the type uses an even pair of registers.
constexpr bool IsWide(ValueType type) {
  return type == ValueType::kI64 || type == ValueType::kF64;
}

constexpr std::optional<ValueType> ValueTypeOf(char letter) {
  switch (letter) {
    case 'i':
      return ValueType::kI32;
    case 'I':
      return ValueType::kI64;
    case 'f':
      return ValueType::kF32;
    case 'F':
      return ValueType::kF64;
    case 'r':
      return ValueType::kRef;
    default:
      return std::nullopt;
  }
}

// One argument or result of a call. It has no tag: the calling convention tells
// which member is set. Argument slots borrow their ref; result slots own it. A
// variadic span is one slot with its count (i64), followed by the slots of its
// elements.
union Slot {
  int64_t i64 = 0;
  int32_t i32;
  float f32;
  double f64;
  RefObject* ref;
};
static_assert(sizeof(Slot) == 8);

// A value with its type, which owns its reference. A reference may be null.
class Value {
 public:
  Value() : Value(int32_t{0}) {}
  explicit Value(int32_t value) : type_(ValueType::kI32) { slot_.i32 = value; }
  explicit Value(int64_t value) : type_(ValueType::kI64) { slot_.i64 = value; }
  explicit Value(float value) : type_(ValueType::kF32) { slot_.f32 = value; }
  explicit Value(double value) : type_(ValueType::kF64) { slot_.f64 = value; }
  explicit Value(Ref<RefObject> ref) : type_(ValueType::kRef) {
    slot_.ref = ref.release();
  }
  Value(const Value& other) : type_(other.type_), slot_(other.slot_) {
    if (is_ref() && slot_.ref) slot_.ref->AddRef();
  }
  Value(Value&& other) noexcept
      : type_(other.type_), slot_(std::exchange(other.slot_, Slot{})) {}
  Value& operator=(Value other) noexcept {
    std::swap(type_, other.type_);
    std::swap(slot_, other.slot_);
    return *this;
  }
  ~Value() {
    if (is_ref() && slot_.ref) slot_.ref->DropRef();
  }

  // Takes ownership of the reference in a result slot.
  static Value Adopt(ValueType type, Slot slot) {
    Value value;
    value.type_ = type;
    value.slot_ = slot;
    return value;
  }

  // Passes the slot, with its reference, to the caller.
  Slot Release() { return std::exchange(slot_, Slot{}); }

  ValueType type() const { return type_; }
  bool is_ref() const { return type_ == ValueType::kRef; }
  // Returns the slot; its ref is borrowed from this value.
  const Slot& slot() const { return slot_; }
  int32_t i32() const { return slot_.i32; }
  int64_t i64() const { return slot_.i64; }
  float f32() const { return slot_.f32; }
  double f64() const { return slot_.f64; }
  RefObject* ref() const { return is_ref() ? slot_.ref : nullptr; }

 private:
  ValueType type_;
  Slot slot_;
};

}  // namespace eyrie::vm

#endif  // EYRIE_VM_ISA_VALUE_H_
