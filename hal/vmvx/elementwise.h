// Microkernels that compute each element of a 2-D range independently.
//
// An Op has a type T and a static Run. A binary Op also has a static Valid,
// which reports whether Run is defined for the operands. Loops are simple, so
// that the compiler can vectorise them. Tested by module_test.cc.
#ifndef EYRIE_HAL_VMVX_ELEMENTWISE_H_
#define EYRIE_HAL_VMVX_ELEMENTWISE_H_

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>

#include "absl/status/status.h"
#include "base/status_macros.h"
#include "hal/vmvx/strided.h"
#include "vm/module/module.h"
#include "vm/object/buffer.h"

namespace eyrie::hal::vmvx {

// The number of elements per unit of fuel, and per check of the call's budget.
// A unit is about the time of a branch in the interpreter: eight contiguous
// elements, or one element that needs its own cache line and perhaps page.
struct Pace {
  int64_t per_unit;
  int64_t chunk;

  // Returns the pace of loops over elements of `width` bytes. `strides` are the
  // distances between the elements of each operand, in elements.
  static Pace Of(uint64_t width, std::initializer_list<int64_t> strides) {
    constexpr uint64_t kLine = 64;  // bytes
    for (const int64_t stride : strides) {
      if (static_cast<uint64_t>(stride) >= kLine / width) return {1, 1 << 11};
    }
    return {8, 1 << 14};
  }
  // Returns the units of fuel for up to `chunk` elements.
  uint32_t Units(int64_t elements) const {
    return static_cast<uint32_t>(1 + elements / per_unit);
  }
};

#define EYRIE_VMVX_UNARY(name, type, expression) \
  struct name {                                  \
    using T = type;                              \
    static T Run(T a) { return expression; }     \
  }
EYRIE_VMVX_UNARY(AbsF32, float, std::fabs(a));
EYRIE_VMVX_UNARY(CeilF32, float, std::ceil(a));
EYRIE_VMVX_UNARY(CopyX8, uint8_t, a);
EYRIE_VMVX_UNARY(CopyX16, uint16_t, a);
EYRIE_VMVX_UNARY(CopyX32, uint32_t, a);
EYRIE_VMVX_UNARY(CopyX64, uint64_t, a);
EYRIE_VMVX_UNARY(CtlzI32, uint32_t, static_cast<uint32_t>(std::countl_zero(a)));
EYRIE_VMVX_UNARY(ExpF32, float, std::exp(a));
EYRIE_VMVX_UNARY(FloorF32, float, std::floor(a));
// Adding zero flushes subnormals. AsRead in vm/run/exec_arith.h explains why.
EYRIE_VMVX_UNARY(LogF32, float, std::log(a + 0.0f));
EYRIE_VMVX_UNARY(NegF32, float, -a);
EYRIE_VMVX_UNARY(RsqrtF32, float, 1.0f / std::sqrt(a));
#undef EYRIE_VMVX_UNARY

#define EYRIE_VMVX_BINARY(name, type, expression) \
  struct name {                                   \
    using T = type;                               \
    static bool Valid(T, T) { return true; }      \
    static T Run(T a, T b) { return expression; } \
  }
EYRIE_VMVX_BINARY(AddF32, float, a + b);
EYRIE_VMVX_BINARY(AddI32, uint32_t, a + b);
EYRIE_VMVX_BINARY(AndI32, uint32_t, a& b);
EYRIE_VMVX_BINARY(DivF32, float, a / b);
EYRIE_VMVX_BINARY(MulF32, float, a* b);
EYRIE_VMVX_BINARY(MulI32, uint32_t, a* b);
EYRIE_VMVX_BINARY(OrI32, uint32_t, a | b);
// Shifts use the low 5 bits of the count, like the processor.
EYRIE_VMVX_BINARY(ShlI32, uint32_t, a << (b & 31));
EYRIE_VMVX_BINARY(ShrsI32, int32_t, a >> (b & 31));
EYRIE_VMVX_BINARY(ShruI32, uint32_t, a >> (b & 31));
EYRIE_VMVX_BINARY(SubF32, float, a - b);
EYRIE_VMVX_BINARY(SubI32, uint32_t, a - b);
EYRIE_VMVX_BINARY(XorI32, uint32_t, a ^ b);
#undef EYRIE_VMVX_BINARY

struct DivsI32 {
  using T = int32_t;
  static bool Valid(T a, T b) {
    return b != 0 && !(a == std::numeric_limits<T>::min() && b == -1);
  }
  static T Run(T a, T b) { return a / b; }
};
struct DivuI32 {
  using T = uint32_t;
  static bool Valid(T, T b) { return b != 0; }
  static T Run(T a, T b) { return a / b; }
};

// The first element of an operand in a loop, and its stride in elements.
template <typename Pointer>
struct Walk {
  Pointer at;
  int64_t stride;
};

template <typename Op, typename T = typename Op::T>
void RunUnary(Walk<const Any<T>*> in, Walk<Any<T>*> out, int64_t count) {
  // GCC 14 for AArch64 cannot pass an element at any address to a function.
  if (in.stride == 1 && out.stride == 1) {
    for (int64_t i = 0; i < count; ++i) {
      const T value = in.at[i];
      out.at[i] = Op::Run(value);
    }
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    const T value = in.at[i * in.stride];
    out.at[i * out.stride] = Op::Run(value);
  }
}

// Returns false, without writing, if Op is not valid for some elements.
template <typename Op, typename T = typename Op::T>
bool RunBinary(Walk<const Any<T>*> lhs, Walk<const Any<T>*> rhs,
               Walk<Any<T>*> out, int64_t count) {
  bool valid = true;
  for (int64_t i = 0; i < count; ++i) {
    valid &= Op::Valid(lhs.at[i * lhs.stride], rhs.at[i * rhs.stride]);
  }
  if (!valid) return false;
  if (lhs.stride == 1 && rhs.stride == 1 && out.stride == 1) {
    for (int64_t i = 0; i < count; ++i) {
      out.at[i] = Op::Run(lhs.at[i], rhs.at[i]);
    }
    return true;
  }
  for (int64_t i = 0; i < count; ++i) {
    out.at[i * out.stride] =
        Op::Run(lhs.at[i * lhs.stride], rhs.at[i * rhs.stride]);
  }
  return true;
}

// Calls `run(row, column, count)` for pieces of rows, in order. Charges fuel
// for each piece. Stops at the first error.
template <typename Run>
absl::Status InChunks(vm::ModuleState& state, const Extent& extent,
                      const Pace& pace, Run run) {
  for (int64_t row = 0; row < extent.size0; ++row) {
    int64_t count;
    for (int64_t column = 0; column < extent.size1; column += count) {
      count = std::min(pace.chunk, extent.size1 - column);
      RETURN_IF_ERROR(state.Work(pace.Units(count)));
      RETURN_IF_ERROR(run(row, column, count));
    }
  }
  return absl::OkStatus();
}

template <typename Op>
absl::Status Unary(vm::ModuleState& state, vm::Buffer& in_buffer,
                   int64_t in_offset, int64_t in_stride0, int64_t in_stride1,
                   vm::Buffer& out_buffer, int64_t out_offset,
                   int64_t out_stride0, int64_t out_stride1, int64_t size0,
                   int64_t size1) {
  using T = typename Op::T;
  const Extent extent = {size0, size1};
  const Operand in = {"in", &in_buffer, in_offset, in_stride0, in_stride1};
  const Operand out = {"out", &out_buffer, out_offset, out_stride0,
                       out_stride1};
  RETURN_IF_ERROR(CheckExtent(extent));
  if (extent.empty()) return absl::OkStatus();
  RETURN_IF_ERROR(CheckOperand(in, extent, sizeof(T)));
  RETURN_IF_ERROR(CheckTarget(out, extent, sizeof(T)));
  const Any<T>* from = Begin<T>(in);
  Any<T>* to = BeginTarget<T>(out);
  const Pace pace = Pace::Of(sizeof(T), {in_stride1, out_stride1});
  return InChunks(
      state, extent, pace, [&](int64_t i, int64_t j, int64_t count) {
        RunUnary<Op>({from + i * in_stride0 + j * in_stride1, in_stride1},
                     {to + i * out_stride0 + j * out_stride1, out_stride1},
                     count);
        return absl::OkStatus();
      });
}

template <typename Op>
absl::Status Binary(vm::ModuleState& state, vm::Buffer& lhs_buffer,
                    int64_t lhs_offset, int64_t lhs_stride0,
                    int64_t lhs_stride1, vm::Buffer& rhs_buffer,
                    int64_t rhs_offset, int64_t rhs_stride0,
                    int64_t rhs_stride1, vm::Buffer& out_buffer,
                    int64_t out_offset, int64_t out_stride0,
                    int64_t out_stride1, int64_t size0, int64_t size1) {
  using T = typename Op::T;
  const Extent extent = {size0, size1};
  const Operand lhs = {"lhs", &lhs_buffer, lhs_offset, lhs_stride0,
                       lhs_stride1};
  const Operand rhs = {"rhs", &rhs_buffer, rhs_offset, rhs_stride0,
                       rhs_stride1};
  const Operand out = {"out", &out_buffer, out_offset, out_stride0,
                       out_stride1};
  RETURN_IF_ERROR(CheckExtent(extent));
  if (extent.empty()) return absl::OkStatus();
  RETURN_IF_ERROR(CheckOperand(lhs, extent, sizeof(T)));
  RETURN_IF_ERROR(CheckOperand(rhs, extent, sizeof(T)));
  RETURN_IF_ERROR(CheckTarget(out, extent, sizeof(T)));
  const Any<T>* left = Begin<T>(lhs);
  const Any<T>* right = Begin<T>(rhs);
  Any<T>* to = BeginTarget<T>(out);
  const Pace pace =
      Pace::Of(sizeof(T), {lhs_stride1, rhs_stride1, out_stride1});
  return InChunks(
      state, extent, pace, [&](int64_t i, int64_t j, int64_t count) {
        const bool valid = RunBinary<Op>(
            {left + i * lhs_stride0 + j * lhs_stride1, lhs_stride1},
            {right + i * rhs_stride0 + j * rhs_stride1, rhs_stride1},
            {to + i * out_stride0 + j * out_stride1, out_stride1}, count);
        if (valid) [[likely]]
          return absl::OkStatus();
        return absl::InvalidArgumentError(
            "An integer is divided by zero, or a quotient exceeds i32.");
      });
}

}  // namespace eyrie::hal::vmvx

#endif  // EYRIE_HAL_VMVX_ELEMENTWISE_H_
