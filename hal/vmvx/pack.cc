// Packs and unpacks tiles, with one loop over tiles for both directions.
#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "hal/vmvx/elementwise.h"
#include "hal/vmvx/microkernels.h"
#include "hal/vmvx/strided.h"

namespace eyrie::hal::vmvx {
namespace {

constexpr int32_t kPackTypeMask = 0xFF;
constexpr int32_t kTransposeInner = 0x100;
constexpr int32_t kTransposeOuter = 0x200;

// Bytes per element, indexed by the type in the flags. 0: not a type.
constexpr uint64_t kWidths[] = {0,         /*f32*/ 4, /*i8*/ 1, /*i32*/ 4,
                                /*f16*/ 2, /*bf16*/ 2};

absl::Status ReadFlags(int32_t flags, uint64_t& width) {
  const uint32_t type = flags & kPackTypeMask;
  width = type < std::size(kWidths) ? kWidths[type] : 0;
  const int32_t known = kPackTypeMask | kTransposeInner | kTransposeOuter;
  if (width != 0 && (flags & ~known) == 0) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("No kernel packs with the flags 0x",
                   absl::Hex(static_cast<uint32_t>(flags)), "."));
}

// A dimension of the matrix, divided into `count` tiles of `size` elements. The
// strides are distances in the buffer of the tiles, in elements.
struct Cut {
  int64_t count;
  int64_t size;
  int64_t tile_stride;
  int64_t element_stride;
};

// The tiles in their buffer.
struct Tiles {
  Operand operand;
  Extent extent;  // rows of tiles
  Cut cut[2];     // by dimension of the matrix
  bool empty() const {
    return cut[0].count == 0 || cut[1].count == 0 || cut[0].size == 0 ||
           cut[1].size == 0;
  }
};

absl::Status CreateTiles(const Operand& operand, const int64_t (&sizes)[4],
                         int32_t flags, Tiles& tiles) {
  int64_t tile;
  int64_t row;
  RETURN_IF_ERROR(CheckExtent({sizes[0], sizes[1]}));
  RETURN_IF_ERROR(MultiplySizes(sizes[2], sizes[3], tile));
  RETURN_IF_ERROR(MultiplySizes(sizes[1], tile, row));
  if (operand.stride1 != tile) {
    return absl::InvalidArgumentError(
        absl::StrCat("The tiles of ", operand.name, " (", tile,
                     " elements) lie ", operand.stride1, " elements apart."));
  }
  tiles.operand = {operand.name, operand.buffer, operand.offset,
                   operand.stride0, 1};
  tiles.extent = {sizes[0], row};
  Cut outer[2] = {{sizes[0], 0, operand.stride0, 0}, {sizes[1], 0, tile, 0}};
  if ((flags & kTransposeOuter) != 0) std::swap(outer[0], outer[1]);
  std::pair<int64_t, int64_t> inner[2] = {{sizes[2], sizes[3]}, {sizes[3], 1}};
  if ((flags & kTransposeInner) != 0) std::swap(inner[0], inner[1]);
  for (int i = 0; i < 2; ++i) {
    tiles.cut[i] = {outer[i].count, inner[i].first, outer[i].tile_stride,
                    inner[i].second};
  }
  return absl::OkStatus();
}

// INVALID_ARGUMENT: the matrix has more elements than the tiles.
absl::Status CheckCovers(const Tiles& tiles, const Extent& matrix) {
  const int64_t sizes[2] = {matrix.size0, matrix.size1};
  for (int i = 0; i < 2; ++i) {
    int64_t covered;
    RETURN_IF_ERROR(
        MultiplySizes(tiles.cut[i].count, tiles.cut[i].size, covered));
    if (sizes[i] <= covered) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("Dimension ", i, " of the matrix (", sizes[i],
                     ") exceeds that of its tiles (", covered, ")."));
  }
  return absl::OkStatus();
}

// A rectangle of elements in a buffer.
template <typename Pointer>
struct Rectangle {
  Pointer at;
  int64_t stride0;
  int64_t stride1;
};

template <typename T>
void CopyPiece(const Rectangle<const Any<T>*>& from,
               const Rectangle<Any<T>*>& to, int64_t size0, int64_t size1) {
  for (int64_t i = 0; i < size0; ++i) {
    const Any<T>* source = from.at + i * from.stride0;
    Any<T>* target = to.at + i * to.stride0;
    if (from.stride1 == 1 && to.stride1 == 1) {
      for (int64_t j = 0; j < size1; ++j) target[j] = source[j];
    } else {
      for (int64_t j = 0; j < size1; ++j) {
        target[j * to.stride1] = source[j * from.stride1];
      }
    }
  }
}

// Copies a rectangle along its longer side, in pieces. Charges fuel for each.
template <typename T>
absl::Status CopyRectangle(vm::ModuleState& state,
                           Rectangle<const Any<T>*> from, Rectangle<Any<T>*> to,
                           int64_t size0, int64_t size1) {
  if (size1 < size0) {
    std::swap(size0, size1);
    std::swap(from.stride0, from.stride1);
    std::swap(to.stride0, to.stride1);
  }
  const Pace pace = Pace::Of(sizeof(T), {from.stride1, to.stride1});
  const int64_t columns = std::min(size1, pace.chunk);
  const int64_t rows = std::min(size0, pace.chunk / columns);
  for (int64_t i = 0; i < size0; i += rows) {
    const int64_t high = std::min(rows, size0 - i);
    for (int64_t j = 0; j < size1; j += columns) {
      const int64_t wide = std::min(columns, size1 - j);
      RETURN_IF_ERROR(state.Work(pace.Units(high * wide)));
      CopyPiece<T>(
          {from.at + i * from.stride0 + j * from.stride1, from.stride0,
           from.stride1},
          {to.at + i * to.stride0 + j * to.stride1, to.stride0, to.stride1},
          high, wide);
    }
  }
  return absl::OkStatus();
}

// Fills contiguous elements, in pieces. Charges fuel for each.
template <typename T>
absl::Status FillRun(vm::ModuleState& state, Any<T>* to, int64_t size,
                     T value) {
  const Pace pace = Pace::Of(sizeof(T), {1});
  return InChunks(state, {1, size}, pace,
                  [&](int64_t, int64_t begin, int64_t count) {
                    for (int64_t n = 0; n < count; ++n) to[begin + n] = value;
                    return absl::OkStatus();
                  });
}

// A tile, and the part of the matrix in it. The part may be smaller than the
// tile, or empty.
struct Tile {
  int64_t offset;        // in the tiles' buffer
  int64_t row, column;   // of the matrix
  int64_t size0, size1;  // of the part
};

// Calls `run` for each tile. `run` must charge fuel for the elements it writes.
template <typename Run>
absl::Status ForEachTile(vm::ModuleState& state, const Tiles& tiles,
                         const Extent& matrix, Run run) {
  const auto& [rows, columns] = tiles.cut;
  for (int64_t i = 0; i < rows.count; ++i) {
    for (int64_t j = 0; j < columns.count; ++j) {
      RETURN_IF_ERROR(state.Work(1));
      const int64_t row = i * rows.size;
      const int64_t column = j * columns.size;
      RETURN_IF_ERROR(run(
          Tile{i * rows.tile_stride + j * columns.tile_stride, row, column,
               std::clamp<int64_t>(matrix.size0 - row, 0, rows.size),
               std::clamp<int64_t>(matrix.size1 - column, 0, columns.size)}));
    }
  }
  return absl::OkStatus();
}

template <typename T>
absl::Status PackTiles(vm::ModuleState& state, const Operand& in,
                       const Extent& matrix, const Tiles& tiles, T padding) {
  const auto& [rows, columns] = tiles.cut;
  // The product does not overflow: CreateTiles has checked it.
  const int64_t size = rows.size * columns.size;
  return ForEachTile(state, tiles, matrix, [&](const Tile& tile) {
    Any<T>* target = BeginTarget<T>(tiles.operand) + tile.offset;
    const bool empty = tile.size0 == 0 || tile.size1 == 0;
    if (tile.size0 != rows.size || tile.size1 != columns.size) {
      RETURN_IF_ERROR(FillRun<T>(state, target, size, padding));
    }
    // An empty part has no address in the matrix.
    if (empty) return absl::OkStatus();
    return CopyRectangle<T>(
        state,
        {Begin<T>(in) + tile.row * in.stride0 + tile.column * in.stride1,
         in.stride0, in.stride1},
        {target, rows.element_stride, columns.element_stride}, tile.size0,
        tile.size1);
  });
}

template <typename T>
absl::Status UnpackTiles(vm::ModuleState& state, const Operand& out,
                         const Extent& matrix, const Tiles& tiles) {
  const auto& [rows, columns] = tiles.cut;
  return ForEachTile(state, tiles, matrix, [&](const Tile& tile) {
    if (tile.size0 == 0 || tile.size1 == 0) return absl::OkStatus();
    return CopyRectangle<T>(state,
                            {Begin<T>(tiles.operand) + tile.offset,
                             rows.element_stride, columns.element_stride},
                            {BeginTarget<T>(out) + tile.row * out.stride0 +
                                 tile.column * out.stride1,
                             out.stride0, out.stride1},
                            tile.size0, tile.size1);
  });
}

}  // namespace

absl::Status Pack(vm::ModuleState& state, vm::Buffer& in_buffer,
                  int64_t in_offset, int64_t in_stride0, int64_t in_stride1,
                  vm::Buffer& out_buffer, int64_t out_offset,
                  int64_t out_stride0, int64_t out_stride1, int64_t in_size0,
                  int64_t in_size1, int64_t out_size0, int64_t out_size1,
                  int64_t out_size2, int64_t out_size3, int64_t padding,
                  int32_t flags) {
  uint64_t width;
  RETURN_IF_ERROR(ReadFlags(flags, width));
  const Operand in = {"in", &in_buffer, in_offset, in_stride0, in_stride1};
  const Extent matrix = {in_size0, in_size1};
  Tiles tiles;
  RETURN_IF_ERROR(
      CreateTiles({"out", &out_buffer, out_offset, out_stride0, out_stride1},
                  {out_size0, out_size1, out_size2, out_size3}, flags, tiles));
  RETURN_IF_ERROR(CheckExtent(matrix));
  RETURN_IF_ERROR(CheckCovers(tiles, matrix));
  if (tiles.empty()) return absl::OkStatus();
  if (!matrix.empty()) RETURN_IF_ERROR(CheckOperand(in, matrix, width));
  RETURN_IF_ERROR(CheckTarget(tiles.operand, tiles.extent, width));
  switch (width) {
    case 1:
      return PackTiles<uint8_t>(state, in, matrix, tiles,
                                static_cast<uint8_t>(padding));
    case 2:
      return PackTiles<uint16_t>(state, in, matrix, tiles,
                                 static_cast<uint16_t>(padding));
    default:
      return PackTiles<uint32_t>(state, in, matrix, tiles,
                                 static_cast<uint32_t>(padding));
  }
}

absl::Status Unpack(vm::ModuleState& state, vm::Buffer& in_buffer,
                    int64_t in_offset, int64_t in_stride0, int64_t in_stride1,
                    vm::Buffer& out_buffer, int64_t out_offset,
                    int64_t out_stride0, int64_t out_stride1, int64_t in_size0,
                    int64_t in_size1, int64_t in_size2, int64_t in_size3,
                    int64_t out_size0, int64_t out_size1, int32_t flags) {
  uint64_t width;
  RETURN_IF_ERROR(ReadFlags(flags, width));
  const Operand out = {"out", &out_buffer, out_offset, out_stride0,
                       out_stride1};
  const Extent matrix = {out_size0, out_size1};
  Tiles tiles;
  RETURN_IF_ERROR(
      CreateTiles({"in", &in_buffer, in_offset, in_stride0, in_stride1},
                  {in_size0, in_size1, in_size2, in_size3}, flags, tiles));
  RETURN_IF_ERROR(CheckExtent(matrix));
  RETURN_IF_ERROR(CheckCovers(tiles, matrix));
  if (matrix.empty()) return absl::OkStatus();
  RETURN_IF_ERROR(CheckOperand(tiles.operand, tiles.extent, width));
  RETURN_IF_ERROR(CheckTarget(out, matrix, width));
  switch (width) {
    case 1:
      return UnpackTiles<uint8_t>(state, out, matrix, tiles);
    case 2:
      return UnpackTiles<uint16_t>(state, out, matrix, tiles);
    default:
      return UnpackTiles<uint32_t>(state, out, matrix, tiles);
  }
}

absl::Status PackRows(vm::ModuleState& state, vm::Buffer& in, int64_t in_offset,
                      int64_t in_stride0, vm::Buffer& out, int64_t out_offset,
                      int64_t out_stride0, int64_t in_size0, int64_t in_size1,
                      int64_t out_size0, int64_t out_size1, int64_t out_size2,
                      int64_t out_size3, int64_t padding, int32_t flags) {
  int64_t tile;
  RETURN_IF_ERROR(MultiplySizes(out_size2, out_size3, tile));
  return Pack(state, in, in_offset, in_stride0, 1, out, out_offset, out_stride0,
              tile, in_size0, in_size1, out_size0, out_size1, out_size2,
              out_size3, padding, flags);
}

absl::Status UnpackRows(vm::ModuleState& state, vm::Buffer& in,
                        int64_t in_offset, int64_t in_stride0, vm::Buffer& out,
                        int64_t out_offset, int64_t out_stride0,
                        int64_t in_size0, int64_t in_size1, int64_t in_size2,
                        int64_t in_size3, int64_t out_size0, int64_t out_size1,
                        int32_t flags) {
  int64_t tile;
  RETURN_IF_ERROR(MultiplySizes(in_size2, in_size3, tile));
  return Unpack(state, in, in_offset, in_stride0, tile, out, out_offset,
                out_stride0, 1, in_size0, in_size1, in_size2, in_size3,
                out_size0, out_size1, flags);
}

}  // namespace eyrie::hal::vmvx
