// Bodies of buffer instructions.
//
// Offsets and lengths of loads, stores and fills count elements of their type;
// all others count bytes. All accesses are bounds-checked. Instructions that
// work on many bytes take fuel in proportion, because otherwise a program
// without loops could run for days.
#ifndef EYRIE_VM_RUN_EXEC_BUFFER_H_
#define EYRIE_VM_RUN_EXEC_BUFFER_H_

#include <cstdint>
#include <utility>

#include "vm/object/buffer.h"
#include "vm/run/decode.h"

namespace eyrie::vm {

// Returns the operand as a buffer. If it is not a buffer, records an error and
// returns null.
EYRIE_VM_INLINE Buffer* AsBuffer(Machine& m, RefObject* object) {
  Buffer* buffer = RefCast<Buffer>(object);
  if (buffer == nullptr) [[unlikely]]
    m.NotA(Buffer::kType, object);
  return buffer;
}

EYRIE_VM_INLINE bool ReturnBuffer(Machine& m,
                                  absl::StatusOr<Ref<Buffer>> buffer,
                                  RefObject*& result) {
  if (!buffer.ok()) [[unlikely]]
    return m.Fail(std::move(buffer).status());
  ReplaceRef(result, buffer->release());
  return true;
}

EYRIE_VM_INLINE bool ExecBufferAlloc(Machine& m, int64_t length,
                                     int32_t alignment, RefObject*& result) {
  return ReturnBuffer(m,
                      Buffer::Allocate(static_cast<uint64_t>(length),
                                       static_cast<uint64_t>(alignment),
                                       m.state->memory(), m.payer()),
                      result);
}

EYRIE_VM_INLINE bool ExecBufferClone(Machine& m, RefObject* source,
                                     int64_t offset, int64_t length,
                                     int32_t alignment, RefObject*& result) {
  Buffer* buffer = AsBuffer(m, source);
  if (buffer == nullptr) [[unlikely]]
    return false;
  absl::StatusOr<std::span<const uint8_t>> range = buffer->Range(
      static_cast<uint64_t>(offset), static_cast<uint64_t>(length));
  if (!range.ok()) [[unlikely]]
    return m.Fail(std::move(range).status());
  return ReturnBuffer(m,
                      Buffer::Copy(*range, static_cast<uint64_t>(alignment),
                                   m.state->memory(), m.payer()),
                      result);
}

EYRIE_VM_INLINE bool ExecBufferLength(Machine& m, RefObject* object,
                                      int64_t& result) {
  Buffer* buffer = AsBuffer(m, object);
  if (buffer == nullptr) [[unlikely]]
    return false;
  result = static_cast<int64_t>(buffer->size());
  return true;
}

EYRIE_VM_INLINE bool ExecBufferCopy(Machine& m, RefObject* source,
                                    int64_t source_offset, RefObject* target,
                                    int64_t target_offset, int64_t length) {
  Buffer* from = AsBuffer(m, source);
  if (from == nullptr) [[unlikely]]
    return false;
  Buffer* to = AsBuffer(m, target);
  return to != nullptr &&
         m.Check(Buffer::CopyBytes(*from, static_cast<uint64_t>(source_offset),
                                   *to, static_cast<uint64_t>(target_offset),
                                   static_cast<uint64_t>(length), m.payer()));
}

EYRIE_VM_INLINE bool ExecBufferCompare(Machine& m, RefObject* left,
                                       int64_t left_offset, RefObject* right,
                                       int64_t right_offset, int64_t length,
                                       int32_t& result) {
  Buffer* a = AsBuffer(m, left);
  if (a == nullptr) [[unlikely]]
    return false;
  Buffer* b = AsBuffer(m, right);
  if (b == nullptr) [[unlikely]]
    return false;
  absl::StatusOr<bool> equal =
      Buffer::Compare(*a, static_cast<uint64_t>(left_offset), *b,
                      static_cast<uint64_t>(right_offset),
                      static_cast<uint64_t>(length), m.payer());
  if (!equal.ok()) [[unlikely]]
    return m.Fail(std::move(equal).status());
  result = *equal;
  return true;
}

EYRIE_VM_INLINE bool ExecBufferHash(Machine& m, RefObject* object,
                                    int64_t offset, int64_t length,
                                    int64_t& result) {
  Buffer* buffer = AsBuffer(m, object);
  if (buffer == nullptr) [[unlikely]]
    return false;
  absl::StatusOr<uint64_t> hash = buffer->Hash(
      static_cast<uint64_t>(offset), static_cast<uint64_t>(length), m.payer());
  if (!hash.ok()) [[unlikely]]
    return m.Fail(std::move(hash).status());
  result = static_cast<int64_t>(*hash);
  return true;
}

template <typename Element, typename T>
EYRIE_VM_INLINE bool BufferLoad(Machine& m, RefObject* object, int64_t index,
                                T& result) {
  Buffer* buffer = AsBuffer(m, object);
  if (buffer == nullptr) [[unlikely]]
    return false;
  const auto at = static_cast<uint64_t>(index);
  Element element;
  if (!buffer->Load(at, element)) [[unlikely]] {
    return m.Fail(buffer->LoadError(at, sizeof(Element)));
  }
  // Signed elements are sign-extended; they are not characters.
  result = static_cast<T>(element);  // NOLINT(bugprone-signed-char-misuse)
  return true;
}

template <typename Element, typename T>
EYRIE_VM_INLINE bool BufferStore(Machine& m, RefObject* object, int64_t index,
                                 T value) {
  Buffer* buffer = AsBuffer(m, object);
  if (buffer == nullptr) [[unlikely]]
    return false;
  const auto at = static_cast<uint64_t>(index);
  if (!buffer->Store(at, static_cast<Element>(value))) [[unlikely]] {
    return m.Fail(buffer->StoreError(at, sizeof(Element)));
  }
  return true;
}

template <typename Element, typename T>
EYRIE_VM_INLINE bool BufferFill(Machine& m, RefObject* object, int64_t index,
                                int64_t count, T value) {
  Buffer* buffer = AsBuffer(m, object);
  return buffer != nullptr &&
         m.Check(buffer->Fill(static_cast<uint64_t>(index),
                              static_cast<uint64_t>(count),
                              static_cast<Element>(value), m.payer()));
}

#define EYRIE_VM_LOAD_OP(name, Element, T)                                 \
  EYRIE_VM_INLINE bool ExecBufferLoad##name(Machine& m, RefObject* buffer, \
                                            int64_t index, T& result) {    \
    return BufferLoad<Element>(m, buffer, index, result);                  \
  }
#define EYRIE_VM_STORE_OPS(name, Element, T)                                  \
  EYRIE_VM_INLINE bool ExecBufferStore##name(Machine& m, RefObject* buffer,   \
                                             int64_t index, T value) {        \
    return BufferStore<Element>(m, buffer, index, value);                     \
  }                                                                           \
  EYRIE_VM_INLINE bool ExecBufferFill##name(                                  \
      Machine& m, RefObject* buffer, int64_t index, int64_t count, T value) { \
    return BufferFill<Element>(m, buffer, index, count, value);               \
  }
EYRIE_VM_LOAD_OP(I8U, uint8_t, int32_t)
EYRIE_VM_LOAD_OP(I8S, int8_t, int32_t)
EYRIE_VM_LOAD_OP(I16U, uint16_t, int32_t)
EYRIE_VM_LOAD_OP(I16S, int16_t, int32_t)
EYRIE_VM_LOAD_OP(I32, int32_t, int32_t)
EYRIE_VM_LOAD_OP(I64, int64_t, int64_t)
EYRIE_VM_LOAD_OP(F32, float, float)
EYRIE_VM_LOAD_OP(F64, double, double)
EYRIE_VM_STORE_OPS(I8, int8_t, int32_t)
EYRIE_VM_STORE_OPS(I16, int16_t, int32_t)
EYRIE_VM_STORE_OPS(I32, int32_t, int32_t)
EYRIE_VM_STORE_OPS(I64, int64_t, int64_t)
EYRIE_VM_STORE_OPS(F32, float, float)
EYRIE_VM_STORE_OPS(F64, double, double)
#undef EYRIE_VM_LOAD_OP
#undef EYRIE_VM_STORE_OPS

}  // namespace eyrie::vm

#endif  // EYRIE_VM_RUN_EXEC_BUFFER_H_
