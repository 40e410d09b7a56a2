// Reads function signatures from MLIR text and creates a manifest.
//
//   module @plate {
//     func.func @heat(%x: memref<?xf32>, %n: index) -> f32
//         attributes {llvm.emit_c_interface} { … } }
//
// Reads only the signatures of func.func operations, in MLIR's pretty form, and
// of func, as older releases write them, with aliases of maps. Skips other text
// by matching brackets. Source of the format: MLIR's language reference.
// Tested by source_test.cc, tests/fuzz/native_fuzz.cc.
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
  std::string type;      // "(memref<?xf32>, index) -> f32", unparsed
  size_t outputs = 0;    // trailing bufferize.result arguments
  bool wrapped = false;  // has the attribute llvm.emit_c_interface
};

struct MlirSource {
  std::string name;  // of the first named module; may be empty
  // The public functions. If some are `wrapped`, only those.
  std::vector<MlirFunction> functions;
};

// INVALID_ARGUMENT: a signature cannot be parsed, or there is no function; the
// message gives the line. UNIMPLEMENTED: the text is in MLIR's generic form.
// RESOURCE_EXHAUSTED: the maps of all aliases in types exceed 1 MiB.
absl::StatusOr<MlirSource> ReadMlirSource(absl::string_view text);

// Returns a manifest of memref functions as JSON. The arguments are not
// checked.
std::string MemrefManifest(absl::string_view module,
                           std::span<const MlirFunction> functions,
                           int index_bits, bool bare_pointers);

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_MEMREF_SOURCE_H_
