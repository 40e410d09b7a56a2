// Reads and writes NumPy's .npy arrays. Reads all versions of the format;
// writes version 1, or 2 if the header is longer than 65,535 bytes.
//
// A file may hold several arrays, one after another. Arrays in Fortran order
// and big-endian elements are converted. Records, strings, objects and dates
// are UNIMPLEMENTED.
// Tested by npy_test.cc.
#ifndef EYRIE_ABI_TENSOR_NPY_H_
#define EYRIE_ABI_TENSOR_NPY_H_

#include <cstdint>
#include <span>
#include <string>

#include "abi/tensor/tensor_text.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/byte_reader.h"

namespace eyrie::abi {

// An array in a file, before any conversion.
struct NpyArray {
  TensorSpec spec;
  bool fortran_order = false;
  bool big_endian = false;
  std::span<const uint8_t> bytes;  // borrowed

  // Writes the elements to `target` in row-major order and little-endian.
  // `target` must have as many bytes as `bytes`.
  void CopyTo(std::span<uint8_t> target) const;
};

// Reads the array at the reader's position and advances the reader past it.
// OUT_OF_RANGE: the file is truncated. INVALID_ARGUMENT: the data is malformed,
// or not .npy. UNIMPLEMENTED: tensors have no such element type.
absl::StatusOr<NpyArray> ReadNpy(ByteReader& reader);

// Reads only the header, and leaves `bytes` empty. Advances the reader to the
// elements. Fails as ReadNpy does.
absl::StatusOr<NpyArray> ReadNpyHeader(ByteReader& reader);

// Returns all bytes before the elements: magic number, version and header,
// padded to a multiple of 64 bytes. Types that NumPy has no name for (bf16, the
// floats and integers of fewer bits) are written as raw bytes, '|V1' or '<V2',
// as NumPy's own extensions do.
std::string NpyHeader(const TensorSpec& spec);

// Appends a tensor's elements as .npy has them: those narrower than a byte take
// the low bits of one each, as in the package ml_dtypes.
void AppendNpyElements(const TensorSpec& spec, std::span<const uint8_t> bytes,
                       std::string& out);

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_TENSOR_NPY_H_
