// A module's metadata as text and as JSON.
//
// The text has the sections, order and columns of iree-dump-module's
// --output=metadata, so that scripts can read both.
// Tested by module_text_test.cc.
#ifndef EYRIE_TOOLS_MODULE_TEXT_H_
#define EYRIE_TOOLS_MODULE_TEXT_H_

#include <string>

#include "base/text_stream.h"
#include "tools/json_object.h"
#include "vm/module/module_def.h"
#include "vm/module/verifier.h"

namespace eyrie::tools {

// All functions print names and values from the file as plain text
// (plain_text.h).
void PrintMetadata(const vm::ModuleDef& module, TextStream& to);

// Adds the fields to an object; exports have a "signature".
void PrintMetadataJson(const vm::ModuleDef& module,
                       const vm::VerifiedModule* verified, JsonObject& to);

// Returns the signature of each export from its best source, one per line:
// "add(x: 4xf32) -> 4xf32  [iree.abi]", followed by its doc. Unreadable records
// are reported on lines of their own. If `only` is given, returns the lines of
// that function alone, or "" if it has none. `verified` may be null; then types
// are not inferred from code.
std::string SignaturesText(const vm::ModuleDef& module,
                           const vm::VerifiedModule* verified,
                           absl::string_view only = "");

// Returns "(!vm.ref<?>, i32, tuple<i64>...) -> (i64)", or an unreadable
// convention unchanged.
std::string SignatureText(absl::string_view calling_convention);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_MODULE_TEXT_H_
