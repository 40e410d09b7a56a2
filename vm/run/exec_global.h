// Bodies of global, ref and rodata instructions.
//
// Direct offsets and ordinals have been verified. Indirect ones, and the types
// of refs, are checked here.
#ifndef EYRIE_VM_RUN_EXEC_GLOBAL_H_
#define EYRIE_VM_RUN_EXEC_GLOBAL_H_

#include <cstdint>
#include <cstring>
#include <utility>

#include "base/checked_math.h"
#include "vm/run/decode.h"

namespace eyrie::vm {

// Moves or copies a ref that must have a type. If it fails, nothing changes.
EYRIE_VM_INLINE bool AssignTyped(Machine& m, RefObject*& to, uint32_t type,
                                 RefOperand from) {
  const ElementType& want = m.state->types[type];
  if (!want.Accepts(*from.slot)) [[unlikely]] {
    return m.WrongType(want, *from.slot);
  }
  AssignRef(to, from);
  return true;
}

#define EYRIE_VM_GLOBAL_OPS(N, T)                                             \
  EYRIE_VM_INLINE void ExecGlobalLoad##N(Machine& m, uint32_t offset,         \
                                         T& result) {                         \
    std::memcpy(&result, m.state->globals + offset, sizeof(T));               \
  }                                                                           \
  EYRIE_VM_INLINE void ExecGlobalStore##N(Machine& m, uint32_t offset,        \
                                          T value) {                          \
    std::memcpy(m.state->globals + offset, &value, sizeof(T));                \
  }                                                                           \
  EYRIE_VM_INLINE bool ExecGlobalLoadIndirect##N(Machine& m, int32_t offset,  \
                                                 T& result) {                 \
    if (!GlobalFits<T>(m, offset)) [[unlikely]]                               \
      return false;                                                           \
    ExecGlobalLoad##N(m, static_cast<uint32_t>(offset), result);              \
    return true;                                                              \
  }                                                                           \
  EYRIE_VM_INLINE bool ExecGlobalStoreIndirect##N(Machine& m, int32_t offset, \
                                                  T value) {                  \
    if (!GlobalFits<T>(m, offset)) [[unlikely]]                               \
      return false;                                                           \
    ExecGlobalStore##N(m, static_cast<uint32_t>(offset), value);              \
    return true;                                                              \
  }

template <typename T>
EYRIE_VM_INLINE bool GlobalFits(Machine& m, int32_t offset) {
  const auto at = static_cast<uint32_t>(offset);
  if (RangeFits(at, sizeof(T), m.state->global_bytes)) [[likely]]
    return true;
  return m.GlobalOutOfRange(at, sizeof(T), m.state->global_bytes);
}
EYRIE_VM_GLOBAL_OPS(I32, int32_t)
EYRIE_VM_GLOBAL_OPS(I64, int64_t)
EYRIE_VM_GLOBAL_OPS(F32, float)
EYRIE_VM_GLOBAL_OPS(F64, double)
#undef EYRIE_VM_GLOBAL_OPS

EYRIE_VM_INLINE bool ExecGlobalLoadRef(Machine& m, uint32_t global,
                                       uint32_t type, RefOperand result) {
  return AssignTyped(m, *result.slot, type,
                     {&m.state->global_refs[global], result.move});
}

EYRIE_VM_INLINE bool ExecGlobalStoreRef(Machine& m, uint32_t global,
                                        uint32_t type, RefOperand value) {
  return AssignTyped(m, m.state->global_refs[global], type, value);
}

EYRIE_VM_INLINE bool GlobalRefFits(Machine& m, int32_t global) {
  const auto ordinal = static_cast<uint32_t>(global);
  if (ordinal < m.state->global_ref_count) [[likely]]
    return true;
  return m.GlobalOutOfRange(ordinal, 0, m.state->global_ref_count);
}

EYRIE_VM_INLINE bool ExecGlobalLoadIndirectRef(Machine& m, int32_t global,
                                               uint32_t type,
                                               RefOperand result) {
  return GlobalRefFits(m, global) &&
         ExecGlobalLoadRef(m, static_cast<uint32_t>(global), type, result);
}

EYRIE_VM_INLINE bool ExecGlobalStoreIndirectRef(Machine& m, int32_t global,
                                                uint32_t type,
                                                RefOperand value) {
  return GlobalRefFits(m, global) &&
         ExecGlobalStoreRef(m, static_cast<uint32_t>(global), type, value);
}

EYRIE_VM_INLINE void ExecConstRefZero(Machine&, RefObject*& result) {
  ReplaceRef(result, nullptr);
}

EYRIE_VM_INLINE void ExecConstRefRodata(Machine& m, uint32_t rodata,
                                        RefObject*& result) {
  RefObject* buffer = m.state->Rodata(rodata);
  buffer->AddRef();
  ReplaceRef(result, buffer);
}

EYRIE_VM_INLINE void ExecDiscardRefs(Machine& m, RegisterList registers) {
  for (uint32_t i = 0; i < registers.size(); ++i) {
    ReplaceRef(m.frame->refs[RefIndex(registers[i])], nullptr);
  }
}

EYRIE_VM_INLINE void ExecAssignRef(Machine&, RefOperand source,
                                   RefObject*& result) {
  AssignRef(result, source);
}

EYRIE_VM_INLINE bool ExecCastAnyRef(Machine& m, RefOperand operand,
                                    uint32_t type, RefObject*& result) {
  return AssignTyped(m, result, type, operand);
}

// The operand that is not selected is dropped if it is a move.
EYRIE_VM_INLINE bool ExecSelectRef(Machine& m, int32_t condition, uint32_t type,
                                   RefOperand a, RefOperand b,
                                   RefObject*& result) {
  if (condition == 0) std::swap(a, b);
  if (!AssignTyped(m, result, type, a)) return false;
  if (b.move && b.slot != &result) ReplaceRef(*b.slot, nullptr);
  return true;
}

EYRIE_VM_INLINE bool ExecSwitchRef(Machine& m, int32_t index, uint32_t type,
                                   RefOperand otherwise, RegisterList values,
                                   RefObject*& result) {
  const auto chosen = static_cast<uint32_t>(index);
  if (chosen >= values.size()) return AssignTyped(m, result, type, otherwise);
  const uint16_t reg = values[chosen];
  return AssignTyped(m, result, type,
                     {&m.frame->refs[RefIndex(reg)], IsMove(reg)});
}

EYRIE_VM_INLINE int32_t ExecCmpEqRef(RefObject* a, RefObject* b) {
  return a == b;
}
EYRIE_VM_INLINE int32_t ExecCmpNeRef(RefObject* a, RefObject* b) {
  return a != b;
}
EYRIE_VM_INLINE int32_t ExecCmpNzRef(RefObject* a) { return a != nullptr; }

}  // namespace eyrie::vm

#endif  // EYRIE_VM_RUN_EXEC_GLOBAL_H_
