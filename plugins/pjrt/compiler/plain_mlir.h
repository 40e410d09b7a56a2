// Turns the printed attributes and types of VHLO, StableHLO's serialized form,
// into those of StableHLO: #vhlo.integer_v1<2 : i64> into 2 : i64.
//
// The texts come from another process, which may be broken: any text is turned
// or refused, without recursion.
// Tested by custom_call_text_test.cc, testing/signature_fuzz.cc.
#ifndef EYRIE_PLUGINS_PJRT_COMPILER_PLAIN_MLIR_H_
#define EYRIE_PLUGINS_PJRT_COMPILER_PLAIN_MLIR_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace eyrie::pjrt {

// Returns the text. Text without VHLO stays as it is. UNIMPLEMENTED: an
// attribute or a type that is not known. INTERNAL: brackets do not match.
absl::StatusOr<std::string> PlainMlir(absl::string_view text);

}  // namespace eyrie::pjrt

#endif  // EYRIE_PLUGINS_PJRT_COMPILER_PLAIN_MLIR_H_
