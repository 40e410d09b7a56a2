// Learns the signature of a handler that is made with XLA's C++ headers.
//
// Such a handler checks its frame before it calls its function: first the
// numbers of arguments, results and attributes, then the type and rank of each.
// The errors say what was expected. Each frame here has something that the
// handler must refuse, so its function does not run. Every call is made in a
// child process, which a handler of another kind may end.
// Tested by tests/native/jaxlib/jaxlib_test.py, tools/native_test.sh.
#ifndef EYRIE_ABI_NATIVE_XLA_SIGNATURE_PROBE_H_
#define EYRIE_ABI_NATIVE_XLA_SIGNATURE_PROBE_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "abi/native/ffi_types.h"
#include "absl/status/statusor.h"
#include "eyrie/xla_ffi.h"

namespace eyrie::native {

struct ProbedBuffer {
  FfiType type = FfiType::kNone;  // kNone: any type, or not known
  int rank = -1;                  // -1: any rank, or not known
};

struct ProbedSignature {
  std::vector<ProbedBuffer> arguments;
  std::vector<ProbedBuffer> results;
  bool has_rest = false;          // takes further arguments
  bool has_rest_results = false;  // writes further results
  // Declarations in a manifest's form, without the name: ":f32", ":[s64]",
  // ":string", "={deep:pred}" for a struct. Empty: of another type.
  std::map<std::string, std::string> attributes;
  bool takes_any_attributes = false;  // or it has none
};

// Probes the handler of a stage, which must have answered ProbeHandler with the
// version 0.`minor`. A handler without arguments, results and attributes has
// nothing to refuse: it is called once. UNIMPLEMENTED: its errors are not those
// of XLA's headers. Returns the errors of CallInChild.
absl::StatusOr<ProbedSignature> ProbeSignature(eyrie_ffi_handler_t* handler,
                                               int32_t stage, int minor);

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_XLA_SIGNATURE_PROBE_H_
