// Products of tiles of f32 in registers. Each machine has its own file,
// compiled so that a product and a sum are one fused operation if the processor
// has it.
//
// Tested by tiles_test.cc.
#ifndef EYRIE_HAL_VMVX_TILES_H_
#define EYRIE_HAL_VMVX_TILES_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "hal/vmvx/strided.h"

namespace eyrie::hal::vmvx {

struct TileShape {
  int64_t m, n, k;
  friend bool operator==(const TileShape&, const TileShape&) = default;
};

// The product of `count` lhs tiles of a row and `count` rhs tiles of a row. It
// goes to the `rows` and `columns` of one tile of out.
template <typename In, typename Out>
struct TileWork {
  const Any<In>* lhs;
  const Any<In>* rhs;
  Any<Out>* out;
  int64_t count;
  TileShape shape;
  bool accumulate;
  struct Range {
    int64_t begin, end;
    int64_t size() const { return end - begin; }
  } rows, columns;
};
template <typename In, typename Out>
using TileFunction = void (*)(const TileWork<In, Out>& work);

// The tile for f32 matrices on this machine, and its function.
struct FastTile {
  TileShape shape;
  TileFunction<float, float> run;
};
FastTile ChooseTile();

// Computes a whole tile of depth 1: kM rows of kParts vectors of kLanes each.
template <int kM, int kParts, int kLanes>
[[gnu::always_inline]] inline void VectorTile(
    const TileWork<float, float>& work) {
  typedef float Vector __attribute__((vector_size(kLanes * sizeof(float))));
  constexpr int kVectors = kM * kParts;
  Vector sums[kVectors];  // in registers: every loop over it is unrolled
#pragma GCC unroll 16
  for (ptrdiff_t i = 0; i < kVectors; ++i) {
    if (work.accumulate) {
      std::memcpy(&sums[i], work.out + i * kLanes, sizeof(Vector));
    } else {
      sums[i] = Vector{};
    }
  }
  const Any<float>* lhs = work.lhs;
  const Any<float>* rhs = work.rhs;
  for (int64_t k = 0; k < work.count; ++k) {
    Vector row[kParts];
#pragma GCC unroll 4
    for (ptrdiff_t i = 0; i < kParts; ++i) {
      std::memcpy(&row[i], rhs + i * kLanes, sizeof(Vector));
    }
#pragma GCC unroll 16
    for (int i = 0; i < kVectors; ++i)
      sums[i] += row[i % kParts] * lhs[i / kParts];
    lhs += kM;
    rhs += kParts * kLanes;
  }
#pragma GCC unroll 16
  for (ptrdiff_t i = 0; i < kVectors; ++i) {
    std::memcpy(work.out + i * kLanes, &sums[i], sizeof(Vector));
  }
}

}  // namespace eyrie::hal::vmvx

#endif  // EYRIE_HAL_VMVX_TILES_H_
