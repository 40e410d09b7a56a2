// The oracle's globals, refs and lists.
//
// Lists are accessed one element at a time, through the API for hosts. The
// conversions are implemented here.
// Tested by random_programs_test.cc, fixtures_test.cc.
#include <bit>
#include <cstdint>
#include <utility>

#include "absl/status/status.h"
#include "base/status_macros.h"
#include "tests/oracle/op_table.h"
#include "tests/oracle/oracle.h"
#include "vm/object/list.h"

namespace eyrie::tests {
namespace {

using vm::Buffer;
using vm::ElementType;
using vm::List;
using vm::Op;
using vm::OperandKind;
using vm::Value;
using Kind = ElementType::Kind;

absl::Status WrongRef() { return absl::InvalidArgumentError("wrong ref"); }

// Reports whether an element of the type may hold this ref.
bool MayBe(const ElementType& type, const RefObject* object) {
  if (object == nullptr || type.kind == Kind::kVariant) return true;
  if (type.kind != Kind::kRef) return false;
  return type.ref == nullptr || type.ref == &object->type();
}

// Moves the reference out, or shares it.
Ref<RefObject> TakeOrShare(Ref<RefObject>& from, bool move) {
  if (!move) return from;
  return std::exchange(from, Ref<RefObject>());
}

// Assigns the ref in `from`, which must be of the type, to `to`.
absl::Status Assign(Activation& a, Ref<RefObject>& to, uint32_t type,
                    Ref<RefObject>& from, bool move) {
  if (!MayBe(a.module->type(type), from.get())) return WrongRef();
  Ref<RefObject> value = TakeOrShare(from, move);
  to = std::move(value);
  return absl::OkStatus();
}

// Globals. The offset is an immediate or in a register.
template <bool kIndirect>
absl::StatusOr<uint32_t> Place(Activation& a, const Operand& operand,
                               uint32_t size, size_t limit) {
  const auto place =
      static_cast<uint32_t>(kIndirect ? a.Number(operand) : operand.bits);
  if (uint64_t{place} + size > limit) return PastEnd();
  return place;
}

template <bool kIndirect>
absl::Status LoadGlobal(Activation& a, const Instruction& in) {
  const uint32_t size = in.result().wide() ? 8 : 4;
  const auto& globals = a.module->globals;
  ASSIGN_OR_RETURN(const uint32_t place,
                   Place<kIndirect>(a, in.operands[0], size, globals.size()));
  uint64_t bits = 0;
  for (uint32_t i = size; i-- > 0;) bits = bits << 8 | globals[place + i];
  a.SetNumber(in.result(), bits);
  return absl::OkStatus();
}

template <bool kIndirect>
absl::Status StoreGlobal(Activation& a, const Instruction& in) {
  const uint32_t size = in.operands[1].wide() ? 8 : 4;
  auto& globals = a.module->globals;
  ASSIGN_OR_RETURN(const uint32_t place,
                   Place<kIndirect>(a, in.operands[0], size, globals.size()));
  const uint64_t bits = a.Number(in.operands[1]);
  for (uint32_t i = 0; i < size; ++i) {
    globals[place + i] = static_cast<uint8_t>(bits >> (8 * i));
  }
  return absl::OkStatus();
}

template <bool kIndirect>
absl::Status LoadGlobalRef(Activation& a, const Instruction& in) {
  auto& refs = a.module->global_refs;
  ASSIGN_OR_RETURN(const uint32_t place,
                   Place<kIndirect>(a, in.operands[0], 1, refs.size()));
  return Assign(a, a.RefAt(in.result()), in.operands[1].place(), refs[place],
                a.Moves(in.result()));
}

template <bool kIndirect>
absl::Status StoreGlobalRef(Activation& a, const Instruction& in) {
  auto& refs = a.module->global_refs;
  ASSIGN_OR_RETURN(const uint32_t place,
                   Place<kIndirect>(a, in.operands[0], 1, refs.size()));
  const Operand& value = in.operands[2];
  return Assign(a, refs[place], in.operands[1].place(), a.RefAt(value),
                a.Moves(value));
}

// Refs.
absl::Status RefZero(Activation& a, const Instruction& in) {
  a.RefAt(in.result()).reset();
  return absl::OkStatus();
}

absl::Status RefRodata(Activation& a, const Instruction& in) {
  const uint32_t ordinal = in.operands[0].place();
  Ref<Buffer>& buffer = a.module->rodata[ordinal];
  if (!buffer) {
    const vm::ModuleDef& def = a.module->def();
    buffer = BorrowRodata(def, ordinal);
  }
  a.RefAt(in.result()) = buffer;
  return absl::OkStatus();
}

absl::Status DiscardRefs(Activation& a, const Instruction& in) {
  for (uint16_t reg : in.operands[0].list) a.RefAt(reg).reset();
  return absl::OkStatus();
}

absl::Status AssignRef(Activation& a, const Instruction& in) {
  const Operand& from = in.operands[0];
  Ref<RefObject> value = TakeOrShare(a.RefAt(from), a.Moves(from));
  a.RefAt(in.result()) = std::move(value);
  return absl::OkStatus();
}

absl::Status CastAnyRef(Activation& a, const Instruction& in) {
  const Operand& from = in.operands[0];
  return Assign(a, a.RefAt(in.result()), in.operands[1].place(), a.RefAt(from),
                a.Moves(from));
}

// The ref that is not selected is released, too, if its move bit is set and the
// result did not replace it.
absl::Status SelectRef(Activation& a, const Instruction& in) {
  const bool first = a.Number(in.operands[0]) != 0;
  const Operand& chosen = in.operands[first ? 2 : 3];
  const Operand& other = in.operands[first ? 3 : 2];
  RETURN_IF_ERROR(Assign(a, a.RefAt(in.result()), in.operands[1].place(),
                         a.RefAt(chosen), a.Moves(chosen)));
  if (a.Moves(other) &&
      vm::RefIndex(other.reg()) != vm::RefIndex(in.result().reg())) {
    a.RefAt(other).reset();
  }
  return absl::OkStatus();
}

// Move bits in the list apply in every version.
absl::Status SwitchRef(Activation& a, const Instruction& in) {
  const auto& list = in.operands[3].list;
  const uint64_t index = a.Number(in.operands[0]);
  const uint16_t reg = index < list.size() ? list[index] : in.operands[2].reg();
  const bool move =
      index < list.size() ? vm::IsMove(reg) : a.Moves(in.operands[2]);
  return Assign(a, a.RefAt(in.result()), in.operands[1].place(), a.RefAt(reg),
                move);
}

absl::Status SwitchNumber(Activation& a, const Instruction& in) {
  const Operand& values = in.operands[2];
  const uint64_t index = a.Number(in.operands[0]);
  a.SetNumber(in.result(), index < values.list.size()
                               ? a.Number(values.list[index], values.wide())
                               : a.Number(in.operands[1]));
  return absl::OkStatus();
}

template <bool kEqual>
absl::Status CompareRefs(Activation& a, const Instruction& in) {
  const bool equal =
      a.RefAt(in.operands[0]).get() == a.RefAt(in.operands[1]).get();
  a.SetNumber(in.result(), equal == kEqual);
  return absl::OkStatus();
}

absl::Status TestRef(Activation& a, const Instruction& in) {
  a.SetNumber(in.result(), a.RefAt(in.operands[0]).get() != nullptr);
  return absl::OkStatus();
}

// Lists.
absl::Status ListAlloc(Activation& a, const Instruction& in) {
  const uint64_t capacity = a.Number(in.operands[1]);
  if (capacity > List::kMaxSize) return absl::ResourceExhaustedError("size");
  ASSIGN_OR_RETURN(Ref<List> list,
                   List::Create(a.module->type(in.operands[0].place())));
  a.RefAt(in.result()) = std::move(list);
  return absl::OkStatus();
}

// The capacity is not observable.
absl::Status ListReserve(Activation& a, const Instruction& in) {
  RETURN_IF_ERROR(As<List>(a, in.operands[0]));
  if (a.Number(in.operands[1]) <= List::kMaxSize) return absl::OkStatus();
  return absl::ResourceExhaustedError("size");
}

absl::Status ListSize(Activation& a, const Instruction& in) {
  ASSIGN_OR_RETURN(List * list, As<List>(a, in.operands[0]));
  a.SetNumber(in.result(), list->size());
  return absl::OkStatus();
}

absl::Status ListResize(Activation& a, const Instruction& in) {
  ASSIGN_OR_RETURN(List * list, As<List>(a, in.operands[0]));
  const uint64_t size = a.Number(in.operands[1]);
  if (size > List::kMaxSize) return absl::ResourceExhaustedError("size");
  return list->Resize(size);
}

bool IsFloat(Kind kind) { return kind == Kind::kF32 || kind == Kind::kF64; }

// Converts a number's bits between kinds. Integers keep their low bits or their
// sign. Conversions between integers and floats return 0.
uint64_t Convert(uint64_t bits, Kind from, Kind to) {
  if (IsFloat(from) != IsFloat(to)) return 0;
  if (IsFloat(from)) {
    const double value =
        from == Kind::kF64 ? std::bit_cast<double>(bits)
                           : std::bit_cast<float>(static_cast<uint32_t>(bits));
    // A NaN keeps its bits only if the kinds are equal.
    if (from == to) return bits;
    return to == Kind::kF64
               ? std::bit_cast<uint64_t>(value)
               : std::bit_cast<uint32_t>(static_cast<float>(value));
  }
  const int width = 8 << static_cast<int>(from);
  if (width < 64 && (bits >> (width - 1)) % 2 == 1) {
    bits |= ~uint64_t{0} << width;
  }
  const int to_width = 8 << static_cast<int>(to);
  return to_width == 64 ? bits : bits & ((uint64_t{1} << to_width) - 1);
}

Kind KindOf(OperandKind kind) {
  switch (kind) {
    case OperandKind::kI64:
      return Kind::kI64;
    case OperandKind::kF32:
      return Kind::kF32;
    case OperandKind::kF64:
      return Kind::kF64;
    default:
      return Kind::kI32;
  }
}

Value CreateValue(uint64_t bits, Kind kind) {
  switch (kind) {
    case Kind::kI64:
      return Value(static_cast<int64_t>(bits));
    case Kind::kF32:
      return Value(std::bit_cast<float>(static_cast<uint32_t>(bits)));
    case Kind::kF64:
      return Value(std::bit_cast<double>(bits));
    default:
      return Value(static_cast<int32_t>(
          static_cast<uint32_t>(Convert(bits, kind, Kind::kI32))));
  }
}

absl::Status ListGetNumber(Activation& a, const Instruction& in) {
  ASSIGN_OR_RETURN(List * list, As<List>(a, in.operands[0]));
  const uint64_t index = a.Number(in.operands[1]);
  if (index >= list->size()) return PastEnd();
  const Value value = *list->Get(index);
  if (value.is_ref()) return absl::FailedPreconditionError("no number");
  static constexpr Kind kKinds[] = {Kind::kI32, Kind::kI64, Kind::kF32,
                                    Kind::kF64};
  const Kind from = kKinds[static_cast<int>(value.type())];
  const auto bits =
      static_cast<uint64_t>(from == Kind::kI32 || from == Kind::kF32
                                ? static_cast<uint32_t>(value.i32())
                                : value.i64());
  a.SetNumber(in.result(), Convert(bits, from, KindOf(in.result().kind)));
  return absl::OkStatus();
}

absl::Status ListSetNumber(Activation& a, const Instruction& in) {
  ASSIGN_OR_RETURN(List * list, As<List>(a, in.operands[0]));
  const uint64_t index = a.Number(in.operands[1]);
  if (index >= list->size()) return PastEnd();
  Kind to = list->element_type().kind;
  if (to == Kind::kRef) return absl::FailedPreconditionError("of refs");
  const Kind from = KindOf(in.operands[2].kind);
  if (to == Kind::kVariant) to = from;
  return list->Set(
      index, CreateValue(Convert(a.Number(in.operands[2]), from, to), to));
}

// Returns null for a ref that is not of the requested type.
absl::Status ListGetRef(Activation& a, const Instruction& in) {
  ASSIGN_OR_RETURN(List * list, As<List>(a, in.operands[0]));
  const uint64_t index = a.Number(in.operands[1]);
  if (index >= list->size()) return PastEnd();
  const Value value = *list->Get(index);
  if (!value.is_ref()) return absl::FailedPreconditionError("a number");
  if (a.Moves(in.result()) && value.ref() != nullptr) {
    RETURN_IF_ERROR(list->Set(index, Value(Ref<RefObject>())));
  }
  const bool fits = MayBe(a.module->type(in.operands[2].place()), value.ref());
  a.RefAt(in.result()) =
      fits ? Ref<RefObject>::Share(value.ref()) : Ref<RefObject>();
  return absl::OkStatus();
}

absl::Status ListSetRef(Activation& a, const Instruction& in) {
  ASSIGN_OR_RETURN(List * list, As<List>(a, in.operands[0]));
  const Operand& from = in.operands[2];
  const uint64_t index = a.Number(in.operands[1]);
  if (index >= list->size()) return PastEnd();
  if (list->element_type().kind < Kind::kRef) {
    return absl::FailedPreconditionError("of numbers");
  }
  if (!MayBe(list->element_type(), a.RefAt(from).get())) return WrongRef();
  return list->Set(index, Value(TakeOrShare(a.RefAt(from), a.Moves(from))));
}

#define NUMBER_ROWS(N)                                                      \
  {Op::kGlobalLoad##N, LoadGlobal<false>},                                  \
      {Op::kGlobalStore##N, StoreGlobal<false>},                            \
      {Op::kGlobalLoadIndirect##N, LoadGlobal<true>},                       \
      {Op::kGlobalStoreIndirect##N, StoreGlobal<true>},                     \
      {Op::kListGet##N, ListGetNumber}, {Op::kListSet##N, ListSetNumber}, { \
    Op::kSwitch##N, SwitchNumber                                            \
  }

constexpr OpTable<Effect>::Row kObjectRows[] = {
    NUMBER_ROWS(I32),
    NUMBER_ROWS(I64),
    NUMBER_ROWS(F32),
    NUMBER_ROWS(F64),
    {Op::kGlobalLoadRef, LoadGlobalRef<false>},
    {Op::kGlobalStoreRef, StoreGlobalRef<false>},
    {Op::kGlobalLoadIndirectRef, LoadGlobalRef<true>},
    {Op::kGlobalStoreIndirectRef, StoreGlobalRef<true>},
    {Op::kConstRefZero, RefZero},
    {Op::kConstRefRodata, RefRodata},
    {Op::kDiscardRefs, DiscardRefs},
    {Op::kAssignRef, AssignRef},
    {Op::kCastAnyRef, CastAnyRef},
    {Op::kSelectRef, SelectRef},
    {Op::kSwitchRef, SwitchRef},
    {Op::kCmpEqRef, CompareRefs<true>},
    {Op::kCmpNeRef, CompareRefs<false>},
    {Op::kCmpNzRef, TestRef},
    {Op::kListAlloc, ListAlloc},
    {Op::kListReserve, ListReserve},
    {Op::kListSize, ListSize},
    {Op::kListResize, ListResize},
    {Op::kListGetRef, ListGetRef},
    {Op::kListSetRef, ListSetRef},
};
#undef NUMBER_ROWS

}  // namespace

Effect FindObjectEffect(Op op) {
  static const OpTable<Effect> kTable(kObjectRows);
  return kTable[op];
}

}  // namespace eyrie::tests
