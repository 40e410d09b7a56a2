// Bodies of arithmetic, bitwise, comparison, selection and constant
// instructions.
//
// Integers wrap around; shift amounts are taken modulo the width; abs of the
// least integer is that integer; a remainder by -1 is 0. Division by zero and a
// quotient that does not fit fail. Minimum and maximum return the left operand
// if either is NaN.
#ifndef EYRIE_VM_RUN_EXEC_ARITH_H_
#define EYRIE_VM_RUN_EXEC_ARITH_H_

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "vm/run/decode.h"

namespace eyrie::vm {

template <typename T>
EYRIE_VM_INLINE std::make_unsigned_t<T> U(T value) {
  return static_cast<std::make_unsigned_t<T>>(value);
}

// Instructions of i32 and i64, then of f32 and f64.
template <typename T>
EYRIE_VM_INLINE bool Divide(Machine& m, T a, T b, T& result) {
  if (b == 0) [[unlikely]]
    return m.DivisionByZero();
  if (a == std::numeric_limits<T>::min() && b == -1) [[unlikely]] {
    return m.QuotientOverflows(a, sizeof(T) * 8);
  }
  result = a / b;
  return true;
}
template <typename T>
EYRIE_VM_INLINE bool DivideUnsigned(Machine& m, T a, T b, T& result) {
  if (b == 0) [[unlikely]]
    return m.DivisionByZero();
  result = static_cast<T>(U(a) / U(b));
  return true;
}
template <typename T>
EYRIE_VM_INLINE bool Remainder(Machine& m, T a, T b, T& result) {
  if (b == 0) [[unlikely]]
    return m.DivisionByZero();
  result = b == -1 ? 0 : a % b;
  return true;
}
template <typename T>
EYRIE_VM_INLINE bool RemainderUnsigned(Machine& m, T a, T b, T& result) {
  if (b == 0) [[unlikely]]
    return m.DivisionByZero();
  result = static_cast<T>(U(a) % U(b));
  return true;
}

#define EYRIE_VM_INTEGER_OPS(I, T, kMask)                                   \
  EYRIE_VM_INLINE T ExecAdd##I(T a, T b) {                                  \
    return static_cast<T>(U(a) + U(b));                                     \
  }                                                                         \
  EYRIE_VM_INLINE T ExecSub##I(T a, T b) {                                  \
    return static_cast<T>(U(a) - U(b));                                     \
  }                                                                         \
  EYRIE_VM_INLINE T ExecMul##I(T a, T b) {                                  \
    return static_cast<T>(U(a) * U(b));                                     \
  }                                                                         \
  EYRIE_VM_INLINE bool ExecDiv##I##S(Machine& m, T a, T b, T& result) {     \
    return Divide(m, a, b, result);                                         \
  }                                                                         \
  EYRIE_VM_INLINE bool ExecDiv##I##U(Machine& m, T a, T b, T& result) {     \
    return DivideUnsigned(m, a, b, result);                                 \
  }                                                                         \
  EYRIE_VM_INLINE bool ExecRem##I##S(Machine& m, T a, T b, T& result) {     \
    return Remainder(m, a, b, result);                                      \
  }                                                                         \
  EYRIE_VM_INLINE bool ExecRem##I##U(Machine& m, T a, T b, T& result) {     \
    return RemainderUnsigned(m, a, b, result);                              \
  }                                                                         \
  EYRIE_VM_INLINE T ExecFma##I(T a, T b, T c) {                             \
    return static_cast<T>(U(a) * U(b) + U(c));                              \
  }                                                                         \
  EYRIE_VM_INLINE T ExecAbs##I(T a) {                                       \
    return a < 0 ? static_cast<T>(0 - U(a)) : a;                            \
  }                                                                         \
  EYRIE_VM_INLINE T ExecMin##I##S(T a, T b) { return b < a ? b : a; }       \
  EYRIE_VM_INLINE T ExecMin##I##U(T a, T b) { return U(b) < U(a) ? b : a; } \
  EYRIE_VM_INLINE T ExecMax##I##S(T a, T b) { return a < b ? b : a; }       \
  EYRIE_VM_INLINE T ExecMax##I##U(T a, T b) { return U(a) < U(b) ? b : a; } \
  EYRIE_VM_INLINE T ExecNot##I(T a) { return ~a; }                          \
  EYRIE_VM_INLINE T ExecAnd##I(T a, T b) { return a & b; }                  \
  EYRIE_VM_INLINE T ExecOr##I(T a, T b) { return a | b; }                   \
  EYRIE_VM_INLINE T ExecXor##I(T a, T b) { return a ^ b; }                  \
  EYRIE_VM_INLINE T ExecCtlz##I(T a) { return std::countl_zero(U(a)); }     \
  EYRIE_VM_INLINE T ExecShl##I(T a, int32_t by) {                           \
    return static_cast<T>(U(a) << (by & kMask));                            \
  }                                                                         \
  EYRIE_VM_INLINE T ExecShr##I##S(T a, int32_t by) {                        \
    return a >> (by & kMask);                                               \
  }                                                                         \
  EYRIE_VM_INLINE T ExecShr##I##U(T a, int32_t by) {                        \
    return static_cast<T>(U(a) >> (by & kMask));                            \
  }                                                                         \
  EYRIE_VM_INLINE int32_t ExecCmpEq##I(T a, T b) { return a == b; }         \
  EYRIE_VM_INLINE int32_t ExecCmpNe##I(T a, T b) { return a != b; }         \
  EYRIE_VM_INLINE int32_t ExecCmpLt##I##S(T a, T b) { return a < b; }       \
  EYRIE_VM_INLINE int32_t ExecCmpLt##I##U(T a, T b) { return U(a) < U(b); } \
  EYRIE_VM_INLINE int32_t ExecCmpNz##I(T a) { return a != 0; }
EYRIE_VM_INTEGER_OPS(I32, int32_t, 31)
EYRIE_VM_INTEGER_OPS(I64, int64_t, 63)
#undef EYRIE_VM_INTEGER_OPS

// The IEEE remainder (to the nearest quotient), not fmod. A result of zero has
// the sign of the dividend; glibc's remainder loses it for some tiny divisors.
template <typename T>
EYRIE_VM_INLINE T Remainder(T a, T b) {
  const T rest = std::remainder(a, b);
  return rest == 0 ? std::copysign(rest, a) : rest;
}

// Flushes a subnormal to zero if the processor is set to do so, as it is in
// kernels. glibc's logarithms inspect the bits and would return a wrong number,
// such as -745.133, for every subnormal.
template <typename T>
EYRIE_VM_INLINE T AsRead(T a) {
  return a + T{0};
}

// The format's ordered "not equal" is true for NaN, like `!=`. fma rounds the
// product, then the sum; the build forbids the compiler to contract them.
#define EYRIE_VM_FLOAT_OPS(F, T)                                          \
  EYRIE_VM_INLINE T ExecAdd##F(T a, T b) { return a + b; }                \
  EYRIE_VM_INLINE T ExecSub##F(T a, T b) { return a - b; }                \
  EYRIE_VM_INLINE T ExecMul##F(T a, T b) { return a * b; }                \
  EYRIE_VM_INLINE T ExecDiv##F(T a, T b) { return a / b; }                \
  EYRIE_VM_INLINE T ExecRem##F(T a, T b) { return Remainder(a, b); }      \
  EYRIE_VM_INLINE T ExecFma##F(T a, T b, T c) { return a * b + c; }       \
  EYRIE_VM_INLINE T ExecAbs##F(T a) { return std::fabs(a); }              \
  EYRIE_VM_INLINE T ExecNeg##F(T a) { return -a; }                        \
  EYRIE_VM_INLINE T ExecCeil##F(T a) { return std::ceil(a); }             \
  EYRIE_VM_INLINE T ExecFloor##F(T a) { return std::floor(a); }           \
  EYRIE_VM_INLINE T ExecRound##F(T a) { return std::round(a); }           \
  EYRIE_VM_INLINE T ExecRound##F##Even(T a) { return std::nearbyint(a); } \
  EYRIE_VM_INLINE T ExecMin##F(T a, T b) { return b < a ? b : a; }        \
  EYRIE_VM_INLINE T ExecMax##F(T a, T b) { return a < b ? b : a; }        \
  EYRIE_VM_INLINE T ExecAtan##F(T a) { return std::atan(a); }             \
  EYRIE_VM_INLINE T ExecAtan2##F(T a, T b) { return std::atan2(a, b); }   \
  EYRIE_VM_INLINE T ExecCos##F(T a) { return std::cos(a); }               \
  EYRIE_VM_INLINE T ExecSin##F(T a) { return std::sin(a); }               \
  EYRIE_VM_INLINE T ExecExp##F(T a) { return std::exp(a); }               \
  EYRIE_VM_INLINE T ExecExp2##F(T a) { return std::exp2(a); }             \
  EYRIE_VM_INLINE T ExecExpm1##F(T a) { return std::expm1(a); }           \
  EYRIE_VM_INLINE T ExecLog##F(T a) { return std::log(AsRead(a)); }       \
  EYRIE_VM_INLINE T ExecLog10##F(T a) { return std::log10(AsRead(a)); }   \
  EYRIE_VM_INLINE T ExecLog1p##F(T a) { return std::log1p(a); }           \
  EYRIE_VM_INLINE T ExecLog2##F(T a) { return std::log2(AsRead(a)); }     \
  EYRIE_VM_INLINE T ExecPow##F(T a, T b) { return std::pow(a, b); }       \
  EYRIE_VM_INLINE T ExecRsqrt##F(T a) { return T{1} / std::sqrt(a); }     \
  EYRIE_VM_INLINE T ExecSqrt##F(T a) { return std::sqrt(a); }             \
  EYRIE_VM_INLINE T ExecTanh##F(T a) { return std::tanh(a); }             \
  EYRIE_VM_INLINE T ExecErf##F(T a) { return std::erf(a); }               \
  EYRIE_VM_INLINE int32_t ExecCmpEq##F##O(T a, T b) { return a == b; }    \
  EYRIE_VM_INLINE int32_t ExecCmpEq##F##U(T a, T b) {                     \
    return a == b || std::isunordered(a, b);                              \
  }                                                                       \
  EYRIE_VM_INLINE int32_t ExecCmpNe##F##O(T a, T b) { return a != b; }    \
  EYRIE_VM_INLINE int32_t ExecCmpNe##F##U(T a, T b) { return a != b; }    \
  EYRIE_VM_INLINE int32_t ExecCmpLt##F##O(T a, T b) {                     \
    return std::isless(a, b);                                             \
  }                                                                       \
  EYRIE_VM_INLINE int32_t ExecCmpLt##F##U(T a, T b) {                     \
    return !std::isgreaterequal(a, b);                                    \
  }                                                                       \
  EYRIE_VM_INLINE int32_t ExecCmpLte##F##O(T a, T b) {                    \
    return std::islessequal(a, b);                                        \
  }                                                                       \
  EYRIE_VM_INLINE int32_t ExecCmpLte##F##U(T a, T b) {                    \
    return !std::isgreater(a, b);                                         \
  }                                                                       \
  EYRIE_VM_INLINE int32_t ExecCmpNan##F(T a) { return std::isnan(a); }
EYRIE_VM_FLOAT_OPS(F32, float)
EYRIE_VM_FLOAT_OPS(F64, double)
#undef EYRIE_VM_FLOAT_OPS

// Constants and selections, for every number type.
#define EYRIE_VM_CHOICE_OPS(N, T)                                            \
  EYRIE_VM_INLINE T ExecConst##N##Zero() { return 0; }                       \
  EYRIE_VM_INLINE T ExecConst##N(T value) { return value; }                  \
  EYRIE_VM_INLINE T ExecSelect##N(int32_t condition, T a, T b) {             \
    return condition != 0 ? a : b;                                           \
  }                                                                          \
  EYRIE_VM_INLINE void ExecSwitch##N(Machine& m, int32_t index, T otherwise, \
                                     RegisterList values, T& result) {       \
    result = otherwise;                                                      \
    if (U(index) < values.size()) {                                          \
      std::memcpy(&result, &m.frame->i32[values[U(index)]], sizeof(T));      \
    }                                                                        \
  }
EYRIE_VM_CHOICE_OPS(I32, int32_t)
EYRIE_VM_CHOICE_OPS(I64, int64_t)
EYRIE_VM_CHOICE_OPS(F32, float)
EYRIE_VM_CHOICE_OPS(F64, double)
#undef EYRIE_VM_CHOICE_OPS

}  // namespace eyrie::vm

#endif  // EYRIE_VM_RUN_EXEC_ARITH_H_
