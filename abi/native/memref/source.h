// The functions of an MLIR module's text, and the manifest that they make.
//
//   module @plate {
//     func.func @heat(%x: memref<?xf32>, %n: index) -> f32
//         attributes {llvm.emit_c_interface} { … } }
// Reads the signatures of func.func operations alone, in the form that MLIR
// prints, and what is before and behind them only as far as brackets, strings
// and comments go. Source of the format: MLIR's language reference and its
// func dialect. Tested by source_test.cc, abi/native/native_fuzz.cc.
#ifndef EYRIE_ABI_NATIVE_MEMREF_SOURCE_H_
#define EYRIE_ABI_NATIVE_MEMREF_SOURCE_H_

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace eyrie::native {

struct MlirFunction {
  std::string name;
  std::string type;      // "(memref<?xf32>, index) -> f32", not yet parsed
  size_t outputs = 0;    // arguments at the end that are bufferize.result
  bool wrapped = false;  // has the attribute llvm.emit_c_interface
};

struct MlirSource {
  std::string name;  // of the first module that has one; else empty
  // Those that are not private. If some are `wrapped`, only these.
  std::vector<MlirFunction> functions;
};

// INVALID_ARGUMENT: a signature that cannot be read, or no function at all; the
// sentence gives the line. UNIMPLEMENTED: MLIR's generic form.
absl::StatusOr<MlirSource> ReadMlirSource(absl::string_view text);

// The manifest of memref functions: JSON, of which nothing is checked.
std::string MemrefManifest(absl::string_view module,
                           std::span<const MlirFunction> functions,
                           int index_bits);

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_MEMREF_SOURCE_H_
