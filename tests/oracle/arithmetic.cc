#include "tests/oracle/arithmetic.h"

#include <bit>
#include <cmath>
#include <type_traits>

#include "absl/numeric/int128.h"
#include "absl/status/status.h"
#include "tests/oracle/op_table.h"

namespace eyrie::tests {
namespace {

using absl::int128;
using vm::Op;
using Bits = const uint64_t*;
using Result = absl::StatusOr<uint64_t>;

absl::Status ByZero() { return absl::InvalidArgumentError("division by zero"); }
absl::Status TooLarge() { return absl::OutOfRangeError("not representable"); }

// Conversions of W-bit integers.
template <int W>
int128 Unsigned(uint64_t bits) {
  return W == 64 ? int128(bits) : int128(bits % (uint64_t{1} << (W % 64)));
}
template <int W>
int128 Signed(uint64_t bits) {
  const int128 value = Unsigned<W>(bits);
  const int128 half = int128(1) << (W - 1);
  return value < half ? value : value - half - half;
}
template <int W>
uint64_t Wrap(int128 value) {
  const uint64_t low = absl::Int128Low64(value);
  return W == 64 ? low : low % (uint64_t{1} << (W % 64));
}

// Instructions on W-bit integers.
template <int W>
struct Integer {
  static int128 S(uint64_t bits) { return Signed<W>(bits); }
  static int128 U(uint64_t bits) { return Unsigned<W>(bits); }
  static uint64_t Cut(int128 value) { return Wrap<W>(value); }

  static Result Add(Bits x) { return Cut(S(x[0]) + S(x[1])); }
  static Result Sub(Bits x) { return Cut(S(x[0]) - S(x[1])); }
  static Result Mul(Bits x) { return Cut(S(x[0]) * S(x[1])); }
  static Result Fma(Bits x) { return Cut(S(x[0]) * S(x[1]) + S(x[2])); }
  static Result DivS(Bits x) {
    if (S(x[1]) == 0) return ByZero();
    const int128 quotient = S(x[0]) / S(x[1]);
    if (S(Cut(quotient)) != quotient) return TooLarge();
    return Cut(quotient);
  }
  static Result DivU(Bits x) {
    if (U(x[1]) == 0) return ByZero();
    return Cut(U(x[0]) / U(x[1]));
  }
  static Result RemS(Bits x) {
    if (S(x[1]) == 0) return ByZero();
    return Cut(S(x[0]) - S(x[0]) / S(x[1]) * S(x[1]));
  }
  static Result RemU(Bits x) {
    if (U(x[1]) == 0) return ByZero();
    return Cut(U(x[0]) - U(x[0]) / U(x[1]) * U(x[1]));
  }
  static Result Abs(Bits x) { return Cut(S(x[0]) < 0 ? -S(x[0]) : S(x[0])); }
  static Result MinS(Bits x) { return S(x[0]) <= S(x[1]) ? x[0] : x[1]; }
  static Result MinU(Bits x) { return U(x[0]) <= U(x[1]) ? x[0] : x[1]; }
  static Result MaxS(Bits x) { return S(x[0]) >= S(x[1]) ? x[0] : x[1]; }
  static Result MaxU(Bits x) { return U(x[0]) >= U(x[1]) ? x[0] : x[1]; }
  static Result Not(Bits x) { return Cut(-1 - S(x[0])); }
  static Result And(Bits x) { return x[0] & x[1]; }
  static Result Or(Bits x) { return x[0] + x[1] - (x[0] & x[1]); }
  static Result Xor(Bits x) { return (x[0] | x[1]) - (x[0] & x[1]); }
  static Result Ctlz(Bits x) {
    uint64_t zeros = 0;
    for (int bit = W - 1; bit >= 0 && (x[0] >> bit) % 2 == 0; --bit) ++zeros;
    return zeros;
  }

  // Shift amounts count modulo the width.
  static int Amount(uint64_t bits) {
    return static_cast<int>((Signed<32>(bits) % W + W) % W);
  }
  static Result Shl(Bits x) {
    uint64_t value = x[0];
    for (int i = Amount(x[1]); i > 0; --i) value = Cut(U(value) * 2);
    return value;
  }
  static Result ShrU(Bits x) {
    int128 value = U(x[0]);
    for (int i = Amount(x[1]); i > 0; --i) value /= 2;
    return Cut(value);
  }
  static Result ShrS(Bits x) {
    int128 value = S(x[0]);  // halves round down
    for (int i = Amount(x[1]); i > 0; --i) {
      value = (value - (value % 2 != 0 && value < 0 ? 1 : 0)) / 2;
    }
    return Cut(value);
  }

  static Result Eq(Bits x) { return x[0] == x[1]; }
  static Result Ne(Bits x) { return x[0] != x[1]; }
  static Result LtS(Bits x) { return S(x[0]) < S(x[1]); }
  static Result LtU(Bits x) { return U(x[0]) < U(x[1]); }
  static Result Nz(Bits x) { return x[0] != 0; }
};

// Instructions on W-bit floats.
template <int W>
struct Float {
  using T = std::conditional_t<W == 32, float, double>;
  using Raw = std::conditional_t<W == 32, uint32_t, uint64_t>;
  static constexpr int kFraction = W == 32 ? 23 : 52;
  static constexpr uint64_t kSign = uint64_t{1} << (W - 1);
  static constexpr uint64_t kInfinity = (kSign - 1) >> kFraction << kFraction;

  static T V(uint64_t bits) { return std::bit_cast<T>(Raw(bits)); }
  static double D(uint64_t bits) { return V(bits); }
  // Encodes an exact f64, or one that rounds to f32 like the exact value.
  static uint64_t B(double value) {
    return std::bit_cast<Raw>(static_cast<T>(value));
  }

  static uint64_t Magnitude(uint64_t bits) { return bits & (kSign - 1); }
  static bool IsNan(uint64_t bits) { return Magnitude(bits) > kInfinity; }
  // Orders bits as the numbers; both zeros are 0. The operands must not be NaN.
  static int128 Key(uint64_t bits) {
    const int128 key = Magnitude(bits);
    return (bits & kSign) != 0 ? -key : key;
  }
  static bool Unordered(Bits x) { return IsNan(x[0]) || IsNan(x[1]); }
  static bool Less(uint64_t a, uint64_t b) {
    return !IsNan(a) && !IsNan(b) && Key(a) < Key(b);
  }
  static bool Equal(Bits x) { return !Unordered(x) && Key(x[0]) == Key(x[1]); }

  static Result Add(Bits x) { return B(D(x[0]) + D(x[1])); }
  static Result Sub(Bits x) { return B(D(x[0]) - D(x[1])); }
  static Result Mul(Bits x) { return B(D(x[0]) * D(x[1])); }
  static Result Div(Bits x) { return B(D(x[0]) / D(x[1])); }
  static Result Sqrt(Bits x) { return B(std::sqrt(D(x[0]))); }
  static Result Rsqrt(Bits x) {
    const uint64_t root = B(std::sqrt(D(x[0])));
    return B(1.0 / D(root));
  }
  // Rounds the product, then the sum.
  static Result Fma(Bits x) {
    const uint64_t product = B(D(x[0]) * D(x[1]));
    return B(D(product) + D(x[2]));
  }
  // Returns x - n * y, where n is the integer nearest to x / y, ties to even.
  static Result Rem(Bits x) {
    const T y = std::fabs(V(x[1]));
    if (Unordered(x) || std::isinf(V(x[0])) || y == 0) {
      return B(std::nan(""));
    }
    if (std::isinf(y)) return x[0];
    T rest = std::fabs(V(x[0]));
    if (y <= V(kInfinity - 1) / 2) rest = std::fmod(rest, y + y);
    // Twice the remainder may overflow, and half of y may underflow, so this
    // compares the remainder with the rest of y.
    auto above_half = [&](bool or_equal) {
      const T other = y - rest;
      return rest > other || (or_equal && rest == other);
    };
    if (above_half(false)) {
      rest -= y;
      if (rest >= 0 && above_half(true)) rest -= y;
    }
    const uint64_t bits = B(rest);
    if (Magnitude(bits) == 0) return x[0] & kSign;
    return bits ^ (x[0] & kSign);
  }
  static Result Abs(Bits x) { return Magnitude(x[0]); }
  static Result Neg(Bits x) { return x[0] ^ kSign; }
  static Result Min(Bits x) { return Less(x[1], x[0]) ? x[1] : x[0]; }
  static Result Max(Bits x) { return Less(x[0], x[1]) ? x[1] : x[0]; }

  // Rounds by a rule. The rule takes the integer part of the magnitude, its
  // fraction and whether the value is negative. It returns 1 to increment the
  // magnitude.
  template <typename Rule>
  static uint64_t RoundBy(uint64_t bits, Rule rule) {
    const T magnitude = V(Magnitude(bits));
    if (!(magnitude < T(uint64_t{1} << kFraction))) return bits;
    const auto whole = static_cast<uint64_t>(magnitude);
    const T rest = magnitude - static_cast<T>(whole);
    const bool negative = (bits & kSign) != 0;
    const uint64_t rounded = whole + (rule(whole, rest, negative) ? 1 : 0);
    return B(static_cast<double>(rounded)) | (bits & kSign);
  }
  static Result Ceil(Bits x) {
    return RoundBy(x[0], [](uint64_t, T rest, bool negative) {
      return rest > 0 && !negative;
    });
  }
  static Result Floor(Bits x) {
    return RoundBy(x[0], [](uint64_t, T rest, bool negative) {
      return rest > 0 && negative;
    });
  }
  static Result Round(Bits x) {
    return RoundBy(x[0], [](uint64_t, T rest, bool) { return rest >= T(0.5); });
  }
  static Result RoundEven(Bits x) {
    return RoundBy(x[0], [](uint64_t whole, T rest, bool) {
      return rest > T(0.5) || (rest == T(0.5) && whole % 2 == 1);
    });
  }

  static Result EqO(Bits x) { return Equal(x); }
  static Result EqU(Bits x) { return Unordered(x) || Equal(x); }
  static Result Ne(Bits x) { return !Equal(x); }
  static Result LtO(Bits x) { return Less(x[0], x[1]); }
  static Result LtU(Bits x) { return Unordered(x) || Less(x[0], x[1]); }
  static Result LteO(Bits x) { return Less(x[0], x[1]) || Equal(x); }
  static Result LteU(Bits x) { return !Less(x[1], x[0]); }
  static Result Nan(Bits x) { return IsNan(x[0]); }

  template <T (*kFunction)(T)>
  static Result Of(Bits x) {
    return std::bit_cast<Raw>(kFunction(V(x[0])));
  }
  template <T (*kFunction)(T, T)>
  static Result Of(Bits x) {
    return std::bit_cast<Raw>(kFunction(V(x[0]), V(x[1])));
  }

  // Rounds an integer to the nearest float, without the processor's conversion.
  static uint64_t Nearest(int128 integer) {
    if (integer == 0) return 0;
    const uint64_t sign = integer < 0 ? kSign : 0;
    const int128 magnitude = integer < 0 ? -integer : integer;
    int top = 0;
    while ((magnitude >> (top + 1)) != 0) ++top;
    int128 fraction = magnitude;
    int exponent = top + (W == 32 ? 127 : 1023);
    if (top <= kFraction) {
      fraction = magnitude << (kFraction - top);
    } else {
      const int dropped = top - kFraction;
      fraction = magnitude >> dropped;
      const int128 rest = magnitude - (fraction << dropped);
      const int128 half = int128(1) << (dropped - 1);
      if (rest > half || (rest == half && fraction % 2 != 0)) ++fraction;
    }
    // A fraction that rounds up to the next power of two increments the
    // exponent.
    return sign + (static_cast<uint64_t>(exponent - 1) << kFraction) +
           absl::Int128Low64(fraction);
  }
  template <int N>
  static Result FromS(Bits x) {
    return Nearest(Signed<N>(x[0]));
  }
  template <int N>
  static Result FromU(Bits x) {
    return Nearest(Unsigned<N>(x[0]));
  }

  // Rounds halves away from zero. The result must be an N-bit integer.
  template <int N, bool kSigned>
  static Result To(Bits x) {
    if (Magnitude(x[0]) >= kInfinity) return TooLarge();
    const uint64_t rounded = *Round(x);
    const double value = D(rounded);
    if (std::fabs(value) >= 0x1p65) return TooLarge();
    const int128 integer(value);
    const int128 back =
        kSigned ? Signed<N>(Wrap<N>(integer)) : Unsigned<N>(Wrap<N>(integer));
    if (back != integer) return TooLarge();
    return Wrap<N>(integer);
  }
};

template <int kFrom, int kTo>
Result Truncate(Bits x) {
  return Wrap<kTo>(Signed<kFrom>(x[0]));
}
template <int kFrom, int kTo>
Result ExtendS(Bits x) {
  return Wrap<kTo>(Signed<kFrom>(x[0]));
}
template <int kFrom, int kTo>
Result ExtendU(Bits x) {
  return Wrap<kTo>(Unsigned<kFrom>(x[0]));
}
Result Narrow(Bits x) { return Float<32>::B(Float<64>::D(x[0])); }
Result Widen(Bits x) { return Float<64>::B(Float<32>::D(x[0])); }
Result Same(Bits x) { return x[0]; }
Result Zero(Bits) { return 0; }
Result Select(Bits x) { return x[0] != 0 ? x[1] : x[2]; }

#define INTEGER_ROWS(I, W)                                                    \
  {Op::kAdd##I, Integer<W>::Add}, {Op::kSub##I, Integer<W>::Sub},             \
      {Op::kMul##I, Integer<W>::Mul}, {Op::kDiv##I##S, Integer<W>::DivS},     \
      {Op::kDiv##I##U, Integer<W>::DivU}, {Op::kRem##I##S, Integer<W>::RemS}, \
      {Op::kRem##I##U, Integer<W>::RemU}, {Op::kFma##I, Integer<W>::Fma},     \
      {Op::kAbs##I, Integer<W>::Abs}, {Op::kMin##I##S, Integer<W>::MinS},     \
      {Op::kMin##I##U, Integer<W>::MinU}, {Op::kMax##I##S, Integer<W>::MaxS}, \
      {Op::kMax##I##U, Integer<W>::MaxU}, {Op::kNot##I, Integer<W>::Not},     \
      {Op::kAnd##I, Integer<W>::And}, {Op::kOr##I, Integer<W>::Or},           \
      {Op::kXor##I, Integer<W>::Xor}, {Op::kCtlz##I, Integer<W>::Ctlz},       \
      {Op::kShl##I, Integer<W>::Shl}, {Op::kShr##I##S, Integer<W>::ShrS},     \
      {Op::kShr##I##U, Integer<W>::ShrU}, {Op::kCmpEq##I, Integer<W>::Eq},    \
      {Op::kCmpNe##I, Integer<W>::Ne}, {Op::kCmpLt##I##S, Integer<W>::LtS},   \
      {Op::kCmpLt##I##U, Integer<W>::LtU}, {Op::kCmpNz##I, Integer<W>::Nz},   \
      {Op::kConst##I##Zero, Zero}, {Op::kConst##I, Same}, {                   \
    Op::kSelect##I, Select                                                    \
  }

#define FLOAT_ROWS(F, W)                                                       \
  {Op::kAdd##F, Float<W>::Add}, {Op::kSub##F, Float<W>::Sub},                  \
      {Op::kMul##F, Float<W>::Mul}, {Op::kDiv##F, Float<W>::Div},              \
      {Op::kRem##F, Float<W>::Rem}, {Op::kFma##F, Float<W>::Fma},              \
      {Op::kAbs##F, Float<W>::Abs}, {Op::kNeg##F, Float<W>::Neg},              \
      {Op::kCeil##F, Float<W>::Ceil}, {Op::kFloor##F, Float<W>::Floor},        \
      {Op::kRound##F, Float<W>::Round},                                        \
      {Op::kRound##F##Even, Float<W>::RoundEven},                              \
      {Op::kMin##F, Float<W>::Min}, {Op::kMax##F, Float<W>::Max},              \
      {Op::kAtan##F, Float<W>::Of<std::atan>},                                 \
      {Op::kAtan2##F, Float<W>::Of<std::atan2>},                               \
      {Op::kCos##F, Float<W>::Of<std::cos>},                                   \
      {Op::kSin##F, Float<W>::Of<std::sin>},                                   \
      {Op::kExp##F, Float<W>::Of<std::exp>},                                   \
      {Op::kExp2##F, Float<W>::Of<std::exp2>},                                 \
      {Op::kExpm1##F, Float<W>::Of<std::expm1>},                               \
      {Op::kLog##F, Float<W>::Of<std::log>},                                   \
      {Op::kLog10##F, Float<W>::Of<std::log10>},                               \
      {Op::kLog1p##F, Float<W>::Of<std::log1p>},                               \
      {Op::kLog2##F, Float<W>::Of<std::log2>},                                 \
      {Op::kPow##F, Float<W>::Of<std::pow>}, {Op::kRsqrt##F, Float<W>::Rsqrt}, \
      {Op::kSqrt##F, Float<W>::Sqrt}, {Op::kTanh##F, Float<W>::Of<std::tanh>}, \
      {Op::kErf##F, Float<W>::Of<std::erf>},                                   \
      {Op::kCmpEq##F##O, Float<W>::EqO}, {Op::kCmpEq##F##U, Float<W>::EqU},    \
      {Op::kCmpNe##F##O, Float<W>::Ne}, {Op::kCmpNe##F##U, Float<W>::Ne},      \
      {Op::kCmpLt##F##O, Float<W>::LtO}, {Op::kCmpLt##F##U, Float<W>::LtU},    \
      {Op::kCmpLte##F##O, Float<W>::LteO},                                     \
      {Op::kCmpLte##F##U, Float<W>::LteU}, {Op::kCmpNan##F, Float<W>::Nan},    \
      {Op::kCastSi32##F, Float<W>::FromS<32>},                                 \
      {Op::kCastUi32##F, Float<W>::FromU<32>},                                 \
      {Op::kCastSi64##F, Float<W>::FromS<64>},                                 \
      {Op::kCastUi64##F, Float<W>::FromU<64>},                                 \
      {Op::kCast##F##Si32, Float<W>::To<32, true>},                            \
      {Op::kCast##F##Ui32, Float<W>::To<32, false>},                           \
      {Op::kCast##F##Si64, Float<W>::To<64, true>},                            \
      {Op::kCast##F##Ui64, Float<W>::To<64, false>},                           \
      {Op::kConst##F##Zero, Zero}, {Op::kConst##F, Same}, {                    \
    Op::kSelect##F, Select                                                     \
  }

constexpr OpTable<Compute>::Row kRows[] = {
    INTEGER_ROWS(I32, 32),
    INTEGER_ROWS(I64, 64),
    FLOAT_ROWS(F32, 32),
    FLOAT_ROWS(F64, 64),
    {Op::kTruncI32I8, Truncate<32, 8>},
    {Op::kTruncI32I16, Truncate<32, 16>},
    {Op::kTruncI64I32, Truncate<64, 32>},
    {Op::kExtI8I32S, ExtendS<8, 32>},
    {Op::kExtI8I32U, ExtendU<8, 32>},
    {Op::kExtI16I32S, ExtendS<16, 32>},
    {Op::kExtI16I32U, ExtendU<16, 32>},
    {Op::kExtI32I64S, ExtendS<32, 64>},
    {Op::kExtI32I64U, ExtendU<32, 64>},
    {Op::kTruncF64F32, Narrow},
    {Op::kExtF32F64, Widen},
    {Op::kBitcastI32F32, Same},
    {Op::kBitcastF32I32, Same},
    {Op::kBitcastI64F64, Same},
    {Op::kBitcastF64I64, Same},
};
#undef INTEGER_ROWS
#undef FLOAT_ROWS

}  // namespace

Compute FindCompute(Op op) {
  static const OpTable<Compute> kTable(kRows);
  return kTable[op];
}

}  // namespace eyrie::tests
