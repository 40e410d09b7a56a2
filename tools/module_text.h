// A module's metadata as text and as JSON.
//
// The text has the sections, order and columns of iree-dump-module's
// --output=metadata, so that scripts which read one read the other.
// Tested by module_text_test.cc.
#ifndef EYRIE_TOOLS_MODULE_TEXT_H_
#define EYRIE_TOOLS_MODULE_TEXT_H_

#include <string>

#include "vm/module_def.h"

namespace eyrie::tools {

// Names and values from the file are plain text (plain_text.h) in all of these.
std::string MetadataText(const vm::ModuleDef& module);

// One object; exports have a "signature". Two spaces of indentation. Bytes that
// are not UTF-8 are replaced, control characters escaped.
std::string MetadataJson(const vm::ModuleDef& module);

// What each export takes and returns by the best source it has, one a line:
// "add(x: 4xf32) -> 4xf32  [iree.abi]", with its doc below. Records that
// cannot be read are said on a line of their own. Of one function if it is
// named, which may have no line.
std::string SignaturesText(const vm::ModuleDef& module,
                           absl::string_view only = "");

// "(!vm.ref<?>, i32, tuple<i64>...) -> (i64)"; an unreadable convention as is.
std::string SignatureText(absl::string_view calling_convention);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_MODULE_TEXT_H_
