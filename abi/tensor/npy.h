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

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/byte_reader.h"
#include "hal/tensor_type.h"

namespace eyrie::abi {

// An array in a file, before any conversion.
struct NpyArray {
  hal::TensorType spec;
  bool fortran_order = false;
  bool big_endian = false;
  std::span<const uint8_t> bytes;  // borrowed

  // Gives raw bytes the type `wanted` if NpyHeader writes that type as raw
  // bytes of the same size. Otherwise does nothing.
  void TakeType(hal::ElementType wanted);
  // Writes the elements to `target` in row-major order, little-endian, and
  // packed if tensors pack them. `target` must have spec.ByteLength() bytes.
  // Fails as PackNpyElements does.
  absl::Status CopyTo(std::span<uint8_t> target) const;
};

// Reports whether bytes begin with the format's magic number.
bool LooksLikeNpy(std::span<const uint8_t> bytes);

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
std::string NpyHeader(const hal::TensorType& spec);

// Appends a tensor's elements as .npy has them: those narrower than a byte take
// the low bits of one each, as in the package ml_dtypes.
void AppendNpyElements(const hal::TensorType& spec,
                       std::span<const uint8_t> bytes, std::string& out);
// The reverse: packs elements of fewer than 8 bits that take a byte each.
// INVALID_ARGUMENT: the upper bits of a byte are neither zero nor copies of an
// integer's sign, so its element has another type.
absl::Status PackNpyElements(hal::ElementType type,
                             std::span<const uint8_t> bytes, uint8_t* target);

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_TENSOR_NPY_H_
