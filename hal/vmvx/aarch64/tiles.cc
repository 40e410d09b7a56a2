// A tile for NEON: 16 of its 32 registers hold the sums.
#include "hal/vmvx/tiles.h"

namespace eyrie::hal::vmvx {
namespace {

void Tile8x8(const TileWork<float, float>& work) { VectorTile<8, 2, 4>(work); }

}  // namespace

FastTile ChooseTile() { return {{8, 8, 1}, Tile8x8}; }

}  // namespace eyrie::hal::vmvx
