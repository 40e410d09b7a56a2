// Tiles for AVX-512, for AVX2 with FMA, and for SSE2.
#include "hal/vmvx/tiles.h"

#include "hal/cpu/machine/cpu_features.h"

#define EYRIE_VMVX_TARGET(features) __attribute__((target(features)))

namespace eyrie::hal::vmvx {
namespace {

EYRIE_VMVX_TARGET("avx512f")
void Tile16x16(const TileWork<float, float>& work) {
  VectorTile<16, 1, 16>(work);
}
EYRIE_VMVX_TARGET("avx2,fma")
void Tile8x8(const TileWork<float, float>& work) { VectorTile<8, 1, 8>(work); }
void Tile8x4(const TileWork<float, float>& work) { VectorTile<8, 1, 4>(work); }

}  // namespace

FastTile ChooseTile() {
  // __builtin_cpu_supports would cost time at every start of a process.
  const cpu::FeatureSet machine = cpu::MachineFeatures();
  if (machine.Has(cpu::Feature::kAvx512F)) return {{16, 16, 1}, Tile16x16};
  if (machine.Has(cpu::Feature::kAvx2) && machine.Has(cpu::Feature::kFma)) {
    return {{8, 8, 1}, Tile8x8};
  }
  return {{8, 4, 1}, Tile8x4};
}

}  // namespace eyrie::hal::vmvx
