// The microkernels of imports.def that are not elementwise.
//
// Arguments, and the bits of `flags`, are those of the compiler's import
// declarations. INVALID_ARGUMENT: no kernel supports the types or flags, or the
// tiles do not match. OUT_OF_RANGE, PERMISSION_DENIED: see strided.h. Otherwise
// fail as ModuleState::Work does.
// Tested by module_test.cc, tiles_test.cc.
#ifndef EYRIE_HAL_VMVX_MICROKERNELS_H_
#define EYRIE_HAL_VMVX_MICROKERNELS_H_

#include <cstdint>
#include <tuple>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "vm/module/module.h"
#include "vm/object/buffer.h"

namespace eyrie::hal::vmvx {

absl::Status FillX32(vm::ModuleState&, int32_t value, vm::Buffer& out,
                     int64_t out_offset, int64_t out_row_stride, int64_t size0,
                     int64_t size1);

// mmt4d.cc: out[i][j][i0][j0] += lhs[i][k][i0][k0] * rhs[j][k][j0][k0], or
// `=` without the accumulate flag. Rows of tiles begin `row_stride` elements
// apart. The tiles of a row are contiguous.
absl::Status Mmt4d(vm::ModuleState&, vm::Buffer& lhs, int64_t lhs_offset,
                   int64_t lhs_row_stride, vm::Buffer& rhs, int64_t rhs_offset,
                   int64_t rhs_row_stride, vm::Buffer& out, int64_t out_offset,
                   int64_t out_row_stride, int64_t m, int64_t n, int64_t k,
                   int32_t m0, int32_t n0, int32_t k0, int32_t flags);
// Returns the tile sizes with which Mmt4d is fast on this machine, for the
// operand and the operation in `flags`. They do not change during a process.
absl::StatusOr<std::tuple<int64_t, int64_t>> QueryTileSizes(vm::ModuleState&,
                                                            int64_t size0,
                                                            int64_t size1,
                                                            int32_t flags);

// pack.cc: Pack copies a matrix to tiles, padded with the low bits of
// `padding`. Unpack copies tiles to a matrix. The tiles of a row are
// contiguous.
absl::Status Pack(vm::ModuleState&, vm::Buffer& in, int64_t in_offset,
                  int64_t in_stride0, int64_t in_stride1, vm::Buffer& out,
                  int64_t out_offset, int64_t out_stride0, int64_t out_stride1,
                  int64_t in_size0, int64_t in_size1, int64_t out_size0,
                  int64_t out_size1, int64_t out_size2, int64_t out_size3,
                  int64_t padding, int32_t flags);
absl::Status Unpack(vm::ModuleState&, vm::Buffer& in, int64_t in_offset,
                    int64_t in_stride0, int64_t in_stride1, vm::Buffer& out,
                    int64_t out_offset, int64_t out_stride0,
                    int64_t out_stride1, int64_t in_size0, int64_t in_size1,
                    int64_t in_size2, int64_t in_size3, int64_t out_size0,
                    int64_t out_size1, int32_t flags);

// Pack and unpack for releases 20230524 to 20240621, which pass no inner
// strides: the rows of the matrix are dense.
absl::Status PackRows(vm::ModuleState&, vm::Buffer& in, int64_t in_offset,
                      int64_t in_stride0, vm::Buffer& out, int64_t out_offset,
                      int64_t out_stride0, int64_t in_size0, int64_t in_size1,
                      int64_t out_size0, int64_t out_size1, int64_t out_size2,
                      int64_t out_size3, int64_t padding, int32_t flags);
absl::Status UnpackRows(vm::ModuleState&, vm::Buffer& in, int64_t in_offset,
                        int64_t in_stride0, vm::Buffer& out, int64_t out_offset,
                        int64_t out_stride0, int64_t in_size0, int64_t in_size1,
                        int64_t in_size2, int64_t in_size3, int64_t out_size0,
                        int64_t out_size1, int32_t flags);

}  // namespace eyrie::hal::vmvx

#endif  // EYRIE_HAL_VMVX_MICROKERNELS_H_
