// A tile of single numbers: 16 of the 32 registers for floats hold the sums.
// The vectors of the extension V have no fixed length, so GCC does not form
// them here.
#include "hal/vmvx/tiles.h"

namespace eyrie::hal::vmvx {
namespace {

void Tile4x4(const TileWork<float, float>& work) { VectorTile<4, 4, 1>(work); }

}  // namespace

FastTile ChooseTile() { return {{4, 4, 1}, Tile4x4}; }

}  // namespace eyrie::hal::vmvx
