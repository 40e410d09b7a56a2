// A module's metadata as text and as JSON.
//
// The text has the sections, order and columns of iree-dump-module's
// --output=metadata, so that scripts which read one read the other.
// Tested by module_text_test.cc.
#ifndef EYRIE_TOOLS_MODULE_TEXT_H_
#define EYRIE_TOOLS_MODULE_TEXT_H_

#include <string>

#include "base/text_stream.h"
#include "tools/json_object.h"
#include "vm/module_def.h"

namespace eyrie::tools {

// Names and values from the file are plain text (plain_text.h) in all of these.
void PrintMetadata(const vm::ModuleDef& module, TextStream& to);

// The fields of an object; exports have a "signature".
void PrintMetadataJson(const vm::ModuleDef& module, JsonObject& to);

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
