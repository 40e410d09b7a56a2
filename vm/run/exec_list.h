// Bodies of list instructions. Indices and sizes are unsigned. Instructions
// that resize lists take fuel for the bytes that they allocate and clear.
#ifndef EYRIE_VM_RUN_EXEC_LIST_H_
#define EYRIE_VM_RUN_EXEC_LIST_H_

#include <cstdint>
#include <utility>

#include "vm/object/list.h"
#include "vm/run/decode.h"

namespace eyrie::vm {

// Returns the operand as a list. If it is not a list, records an error and
// returns null.
EYRIE_VM_INLINE List* AsList(Machine& m, RefObject* object) {
  List* list = RefCast<List>(object);
  if (list == nullptr) [[unlikely]]
    m.NotA(List::kType, object);
  return list;
}

EYRIE_VM_INLINE bool ExecListAlloc(Machine& m, uint32_t type, int32_t capacity,
                                   RefObject*& result) {
  absl::StatusOr<Ref<List>> list =
      List::Create(m.state->types[type], static_cast<uint64_t>(capacity),
                   m.state->memory(), m.payer());
  if (!list.ok()) [[unlikely]]
    return m.Fail(std::move(list).status());
  ReplaceRef(result, list->release());
  return true;
}

EYRIE_VM_INLINE bool ExecListReserve(Machine& m, RefObject* object,
                                     int32_t capacity) {
  List* list = AsList(m, object);
  return list != nullptr &&
         m.Check(list->Reserve(static_cast<uint64_t>(capacity), m.payer()));
}

EYRIE_VM_INLINE bool ExecListSize(Machine& m, RefObject* object,
                                  int32_t& result) {
  List* list = AsList(m, object);
  if (list == nullptr) [[unlikely]]
    return false;
  result = static_cast<int32_t>(list->size());
  return true;
}

EYRIE_VM_INLINE bool ExecListResize(Machine& m, RefObject* object,
                                    int32_t size) {
  List* list = AsList(m, object);
  return list != nullptr &&
         m.Check(list->Resize(static_cast<uint64_t>(size), m.payer()));
}

template <typename T>
EYRIE_VM_INLINE bool ListGet(Machine& m, RefObject* object, int32_t index,
                             T& result) {
  List* list = AsList(m, object);
  return list != nullptr &&
         m.Check(list->GetNumber(static_cast<uint64_t>(index), result));
}
template <typename T>
EYRIE_VM_INLINE bool ListSet(Machine& m, RefObject* object, int32_t index,
                             T value) {
  List* list = AsList(m, object);
  return list != nullptr &&
         m.Check(list->SetNumber(static_cast<uint64_t>(index), value));
}

#define EYRIE_VM_LIST_OPS(N, T)                                    \
  EYRIE_VM_INLINE bool ExecListGet##N(Machine& m, RefObject* list, \
                                      int32_t index, T& result) {  \
    return ListGet(m, list, index, result);                        \
  }                                                                \
  EYRIE_VM_INLINE bool ExecListSet##N(Machine& m, RefObject* list, \
                                      int32_t index, T value) {    \
    return ListSet(m, list, index, value);                         \
  }
EYRIE_VM_LIST_OPS(I32, int32_t)
EYRIE_VM_LIST_OPS(I64, int64_t)
EYRIE_VM_LIST_OPS(F32, float)
EYRIE_VM_LIST_OPS(F64, double)
#undef EYRIE_VM_LIST_OPS

// If the element has another type than requested, the result is null, as the
// format defines.
EYRIE_VM_INLINE bool ExecListGetRef(Machine& m, RefObject* object,
                                    int32_t index, uint32_t type,
                                    RefOperand result) {
  List* list = AsList(m, object);
  if (list == nullptr) [[unlikely]]
    return false;
  const auto at = static_cast<uint64_t>(index);
  RefObject* found = nullptr;
  if (result.move) {
    Ref<RefObject> taken;
    if (!m.Check(list->TakeRef(at, taken))) return false;
    found = taken.release();
  } else {
    if (!m.Check(list->GetRef(at, found))) return false;
    if (found != nullptr) found->AddRef();
  }
  if (!m.state->types[type].Accepts(found)) {
    found->DropRef();
    found = nullptr;
  }
  ReplaceRef(*result.slot, found);
  return true;
}

EYRIE_VM_INLINE bool ExecListSetRef(Machine& m, RefObject* object,
                                    int32_t index, RefOperand value) {
  List* list = AsList(m, object);
  if (list == nullptr) [[unlikely]]
    return false;
  if (RefCast<List>(*value.slot) != nullptr) {
    list->JoinNested(m.state->nested_lists());
  }
  if (!m.Check(list->SetRef(static_cast<uint64_t>(index),
                            Ref<RefObject>::Share(*value.slot)))) {
    return false;
  }
  if (value.move) ReplaceRef(*value.slot, nullptr);
  return true;
}

}  // namespace eyrie::vm

#endif  // EYRIE_VM_RUN_EXEC_LIST_H_
