// Multiplies tiled matrices. A tile is computed in registers if it has the
// shape from QueryTileSizes, else by plain loops.
#include <algorithm>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "hal/vmvx/microkernels.h"
#include "hal/vmvx/strided.h"
#include "hal/vmvx/tiles.h"

namespace eyrie::hal::vmvx {
namespace {

constexpr int32_t kTypeMask = 0xFF;
constexpr int32_t kTypeF32 = 0x01;
constexpr int32_t kTypeI8 = 0x02;
constexpr int32_t kTypeI16 = 0x07;
constexpr int32_t kAccumulate = 0x100;
// Flags that do not matter here: for intermediate rounding and for fallbacks.
constexpr int32_t kIgnored = 0x200 | 0x400;

// The multiplications, and the results, per unit of fuel. A unit is about the
// time of a branch in the interpreter.
constexpr int64_t kMultipliesPerUnit = 32;
constexpr int64_t kResultsPerUnit = 8;
// The multiplications per check of the call's budget. They take up to 2 ms, if
// all operands are far apart in memory.
constexpr int64_t kPiece = 1 << 18;
// The largest tile size. Compilers use far smaller tiles.
constexpr int64_t kMaxTile = 1 << 10;

template <typename In, typename Out>
void AnyTile(const TileWork<In, Out>& work) {
  const auto& [m, n, depth] = work.shape;
  for (int64_t i = work.rows.begin; i < work.rows.end; ++i) {
    for (int64_t j = work.columns.begin; j < work.columns.end; ++j) {
      Out sum = work.accumulate ? work.out[i * n + j] : Out{0};
      for (int64_t k = 0; k < work.count; ++k) {
        const Any<In>* lhs = work.lhs + (k * m + i) * depth;
        const Any<In>* rhs = work.rhs + (k * n + j) * depth;
        for (int64_t d = 0; d < depth; ++d) {
          // Integer sums wrap.
          if constexpr (sizeof(In) == sizeof(Out)) {
            sum += lhs[d] * rhs[d];
          } else {
            sum = static_cast<Out>(static_cast<uint32_t>(sum) +
                                   static_cast<uint32_t>(Out{lhs[d]} * rhs[d]));
          }
        }
      }
      work.out[i * n + j] = sum;
    }
  }
}

const FastTile& TileOfThisMachine() {
  static const FastTile tile = ChooseTile();
  return tile;
}

template <typename In, typename Out>
TileFunction<In, Out> FunctionFor(const TileShape& shape) {
  if constexpr (std::is_same_v<In, float>) {
    const FastTile& fast = TileOfThisMachine();
    if (shape == fast.shape) return fast.run;
  }
  return AnyTile<In, Out>;
}

// The operands of a product and its size in tiles.
struct Product {
  Operand lhs, rhs, out;
  int64_t m, n, k;
  TileShape tile;
  int32_t flags;
};

template <typename In, typename Out>
absl::Status Check(const Product& p) {
  for (const int64_t size : {p.tile.m, p.tile.n, p.tile.k}) {
    if (size >= 0 && size <= kMaxTile) continue;
    return absl::OutOfRangeError(absl::StrCat(
        "The tile size ", size, " is not from 0 to ", kMaxTile, "."));
  }
  RETURN_IF_ERROR(CheckExtent({p.m, p.n}));
  const struct {
    const Operand& operand;
    int64_t rows, tiles, size;
    uint64_t width;
    bool written;
  } kOperands[] = {
      {p.lhs, p.m, p.k, p.tile.m * p.tile.k, sizeof(In), false},
      {p.rhs, p.n, p.k, p.tile.n * p.tile.k, sizeof(In), false},
      {p.out, p.m, p.n, p.tile.m * p.tile.n, sizeof(Out), true},
  };
  for (const auto& each : kOperands) {
    Extent extent = {each.rows, 0};
    RETURN_IF_ERROR(MultiplySizes(each.tiles, each.size, extent.size1));
    if (extent.empty()) continue;
    RETURN_IF_ERROR(each.written
                        ? CheckTarget(each.operand, extent, each.width)
                        : CheckOperand(each.operand, extent, each.width));
  }
  return absl::OkStatus();
}

// The part of a product that is computed at once: all of a small tile, or a
// part of a large one.
struct Piece {
  explicit Piece(const TileShape& tile) {
    const int64_t depth = std::max<int64_t>(tile.k, 1);
    columns = std::min(tile.n, std::max<int64_t>(kPiece / depth, 1));
    rows = std::min(tile.m, std::max<int64_t>(kPiece / (depth * columns), 1));
    count = std::max<int64_t>(kPiece / (depth * columns * rows), 1);
  }
  int64_t rows, columns;
  int64_t count;  // tiles of lhs and of rhs
};

// Computes one tile of out from `total` tiles of lhs and of rhs, in pieces.
// Charges fuel for each.
template <typename In, typename Out>
absl::Status RunTile(vm::ModuleState& state, const Piece& piece,
                     TileFunction<In, Out> run, int64_t total,
                     const TileWork<In, Out>& whole) {
  const TileShape& tile = whole.shape;
  TileWork<In, Out> work = whole;
  for (int64_t i = 0; i < tile.m; i += piece.rows) {
    work.rows = {i, std::min(i + piece.rows, tile.m)};
    for (int64_t j = 0; j < tile.n; j += piece.columns) {
      work.columns = {j, std::min(j + piece.columns, tile.n)};
      const int64_t results = work.rows.size() * work.columns.size();
      work.accumulate = whole.accumulate;
      int64_t k = 0;
      do {
        work.count = std::min(piece.count, total - k);
        RETURN_IF_ERROR(state.Work(static_cast<uint32_t>(
            1 + results / kResultsPerUnit +
            work.count * tile.k * results / kMultipliesPerUnit)));
        work.lhs = whole.lhs + k * tile.m * tile.k;
        work.rhs = whole.rhs + k * tile.n * tile.k;
        run(work);
        work.accumulate = true;
        k += work.count;
      } while (k < total);
    }
  }
  return absl::OkStatus();
}

template <typename In, typename Out>
absl::Status Run(vm::ModuleState& state, const Product& p) {
  RETURN_IF_ERROR((Check<In, Out>(p)));
  const int64_t tile = p.tile.m * p.tile.n;
  // Without depth, lhs and rhs are not checked and must not be used.
  const int64_t total = p.tile.k == 0 ? 0 : p.k;
  const bool accumulate = (p.flags & kAccumulate) != 0;
  if (p.m == 0 || p.n == 0 || tile == 0) return absl::OkStatus();
  if (total == 0 && accumulate) return absl::OkStatus();  // adds nothing
  const TileFunction<In, Out> run = FunctionFor<In, Out>(p.tile);
  const Piece piece(p.tile);
  const Any<In>* lhs = total != 0 ? Begin<In>(p.lhs) : nullptr;
  const Any<In>* rhs = total != 0 ? Begin<In>(p.rhs) : nullptr;
  const int64_t lhs_stride = total != 0 ? p.lhs.stride0 : 0;
  const int64_t rhs_stride = total != 0 ? p.rhs.stride0 : 0;
  Any<Out>* out = BeginTarget<Out>(p.out);
  for (int64_t i = 0; i < p.m; ++i) {
    for (int64_t j = 0; j < p.n; ++j) {
      TileWork<In, Out> whole = {};
      whole.lhs = lhs + i * lhs_stride;
      whole.rhs = rhs + j * rhs_stride;
      whole.out = out + i * p.out.stride0 + j * tile;
      whole.shape = p.tile;
      whole.accumulate = accumulate;
      RETURN_IF_ERROR((RunTile<In, Out>(state, piece, run, total, whole)));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status Mmt4d(vm::ModuleState& state, vm::Buffer& lhs, int64_t lhs_offset,
                   int64_t lhs_row_stride, vm::Buffer& rhs, int64_t rhs_offset,
                   int64_t rhs_row_stride, vm::Buffer& out, int64_t out_offset,
                   int64_t out_row_stride, int64_t m, int64_t n, int64_t k,
                   int32_t m0, int32_t n0, int32_t k0, int32_t flags) {
  const Product product = {{"lhs", &lhs, lhs_offset, lhs_row_stride, 1},
                           {"rhs", &rhs, rhs_offset, rhs_row_stride, 1},
                           {"out", &out, out_offset, out_row_stride, 1},
                           m,
                           n,
                           k,
                           {m0, n0, k0},
                           flags};
  if ((flags & ~(kTypeMask | kAccumulate | kIgnored)) == 0) {
    switch (flags & kTypeMask) {
      case kTypeF32:
        return Run<float, float>(state, product);
      case kTypeI8:
        return Run<int8_t, int32_t>(state, product);
      case kTypeI16:
        return Run<int16_t, int32_t>(state, product);
    }
  }
  return absl::InvalidArgumentError(
      absl::StrCat("No kernel multiplies with the flags 0x",
                   absl::Hex(static_cast<uint32_t>(flags)), "."));
}

absl::StatusOr<std::tuple<int64_t, int64_t>> QueryTileSizes(vm::ModuleState&,
                                                            int64_t, int64_t,
                                                            int32_t flags) {
  // Operations are matrix products of f32, i8 and other types.
  enum { kLhs = 1, kRhs = 2, kResult = 3, kF32 = 1, kI8 = 2, kLast = 6 };
  const int32_t operation = flags >> 8;
  TileShape tile = {8, 8, 4};
  if (operation == kF32) tile = TileOfThisMachine().shape;
  if (operation == kI8) tile = {8, 8, 2};
  if (operation >= kF32 && operation <= kLast) {
    switch (flags & 0xFF) {
      case kLhs:
        return std::tuple(tile.m, tile.k);
      case kRhs:
        return std::tuple(tile.n, tile.k);
      case kResult:
        return std::tuple(tile.m, tile.n);
    }
  }
  return absl::InvalidArgumentError(
      absl::StrCat("No tile sizes are known for the flags 0x",
                   absl::Hex(static_cast<uint32_t>(flags)), "."));
}

}  // namespace eyrie::hal::vmvx
