// Bodies of conversions between number types.
//
// Floats are converted to integers by rounding to nearest, with halves away
// from zero, as the format defines. NaN and values outside the integer's range
// fail. Narrow integers are kept zero-extended in i32 registers.
#ifndef EYRIE_VM_RUN_EXEC_CONVERT_H_
#define EYRIE_VM_RUN_EXEC_CONVERT_H_

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "vm/run/decode.h"

namespace eyrie::vm {

// `Carrier` is the type of the register that holds an Integer.
template <typename Integer, typename Carrier, typename Float>
EYRIE_VM_INLINE bool RoundTo(Machine& m, Float value, const char* type,
                             Carrier& result) {
  constexpr auto kMin = static_cast<Float>(std::numeric_limits<Integer>::min());
  // The greatest Integer plus one: a power of two, which any Float represents
  // exactly.
  constexpr Float kEnd =
      Float{2} * static_cast<Float>(
                     Integer{1} << (std::numeric_limits<Integer>::digits - 1));
  const Float rounded = std::round(value);
  if (!(rounded >= kMin && rounded < kEnd)) [[unlikely]] {
    return m.NotRepresentable(value, type);
  }
  result = static_cast<Carrier>(static_cast<Integer>(rounded));
  return true;
}

EYRIE_VM_INLINE int32_t ExecTruncI32I8(int32_t a) {
  return static_cast<uint8_t>(a);
}
EYRIE_VM_INLINE int32_t ExecTruncI32I16(int32_t a) {
  return static_cast<uint16_t>(a);
}
EYRIE_VM_INLINE int32_t ExecTruncI64I32(int64_t a) {
  return static_cast<int32_t>(a);
}
EYRIE_VM_INLINE int32_t ExecExtI8I32S(int32_t a) {
  return static_cast<int8_t>(a);
}
EYRIE_VM_INLINE int32_t ExecExtI8I32U(int32_t a) {
  return static_cast<uint8_t>(a);
}
EYRIE_VM_INLINE int32_t ExecExtI16I32S(int32_t a) {
  return static_cast<int16_t>(a);
}
EYRIE_VM_INLINE int32_t ExecExtI16I32U(int32_t a) {
  return static_cast<uint16_t>(a);
}
EYRIE_VM_INLINE int64_t ExecExtI32I64S(int32_t a) { return a; }
EYRIE_VM_INLINE int64_t ExecExtI32I64U(int32_t a) {
  return static_cast<uint32_t>(a);
}

EYRIE_VM_INLINE float ExecTruncF64F32(double a) {
  return static_cast<float>(a);
}
EYRIE_VM_INLINE double ExecExtF32F64(float a) { return a; }
EYRIE_VM_INLINE float ExecBitcastI32F32(int32_t a) {
  return std::bit_cast<float>(a);
}
EYRIE_VM_INLINE int32_t ExecBitcastF32I32(float a) {
  return std::bit_cast<int32_t>(a);
}
EYRIE_VM_INLINE double ExecBitcastI64F64(int64_t a) {
  return std::bit_cast<double>(a);
}
EYRIE_VM_INLINE int64_t ExecBitcastF64I64(double a) {
  return std::bit_cast<int64_t>(a);
}

#define EYRIE_VM_CAST_OPS(F, T)                                              \
  EYRIE_VM_INLINE T ExecCastSi32##F(int32_t a) { return static_cast<T>(a); } \
  EYRIE_VM_INLINE T ExecCastUi32##F(int32_t a) {                             \
    return static_cast<T>(static_cast<uint32_t>(a));                         \
  }                                                                          \
  EYRIE_VM_INLINE T ExecCastSi64##F(int64_t a) { return static_cast<T>(a); } \
  EYRIE_VM_INLINE T ExecCastUi64##F(int64_t a) {                             \
    return static_cast<T>(static_cast<uint64_t>(a));                         \
  }                                                                          \
  EYRIE_VM_INLINE bool ExecCast##F##Si32(Machine& m, T a, int32_t& result) { \
    return RoundTo<int32_t>(m, a, "si32", result);                           \
  }                                                                          \
  EYRIE_VM_INLINE bool ExecCast##F##Ui32(Machine& m, T a, int32_t& result) { \
    return RoundTo<uint32_t>(m, a, "ui32", result);                          \
  }                                                                          \
  EYRIE_VM_INLINE bool ExecCast##F##Si64(Machine& m, T a, int64_t& result) { \
    return RoundTo<int64_t>(m, a, "si64", result);                           \
  }                                                                          \
  EYRIE_VM_INLINE bool ExecCast##F##Ui64(Machine& m, T a, int64_t& result) { \
    return RoundTo<uint64_t>(m, a, "ui64", result);                          \
  }
EYRIE_VM_CAST_OPS(F32, float)
EYRIE_VM_CAST_OPS(F64, double)
#undef EYRIE_VM_CAST_OPS

}  // namespace eyrie::vm

#endif  // EYRIE_VM_RUN_EXEC_CONVERT_H_
