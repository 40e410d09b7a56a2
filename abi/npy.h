// NumPy's .npy arrays: read in all of the format's versions, written as
// version 1 (2 where the header is longer than 65,535 bytes).
//
// A file may hold several arrays one behind the other. Fortran order and
// big-endian elements are converted. Records, strings, objects and dates are
// UNIMPLEMENTED.
// Tested by npy_test.cc.
#ifndef EYRIE_ABI_NPY_H_
#define EYRIE_ABI_NPY_H_

#include <cstdint>
#include <span>
#include <string>

#include "abi/tensor_text.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/byte_reader.h"

namespace eyrie::abi {

// An array in a file, its elements still as they are there.
struct NpyArray {
  TensorSpec spec;
  bool fortran_order = false;
  bool big_endian = false;
  std::span<const uint8_t> bytes;  // borrowed

  // Writes the elements, row-major and little-endian, to `target`, which has
  // as many bytes.
  void CopyTo(std::span<uint8_t> target) const;
};

// Reads the array at the reader's place and moves behind it.
// OUT_OF_RANGE: the file ends. INVALID_ARGUMENT: damaged, or no .npy.
// UNIMPLEMENTED: a kind of element that tensors do not have.
absl::StatusOr<NpyArray> ReadNpy(ByteReader& reader);

// Reads what comes before the elements, whose bytes stay empty, and moves
// behind it.
absl::StatusOr<NpyArray> ReadNpyHeader(ByteReader& reader);

// Everything before the elements: magic number, version and header, padded to
// a multiple of 64 bytes. UNIMPLEMENTED: elements narrower than a byte.
// Types NumPy has no name for (bf16, the 8-bit floats) are written as raw
// bytes, '|V1' or '<V2', as NumPy's own extensions do.
absl::StatusOr<std::string> NpyHeader(const TensorSpec& spec);

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_NPY_H_
