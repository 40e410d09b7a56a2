// A module's FlatBuffer as JSON, under the names of the public schema.
//
// Tested by flatbuffer_json_test.cc, testing/flatbuffer_json_fuzz.cc.
#ifndef EYRIE_TOOLS_FLATBUFFER_JSON_H_
#define EYRIE_TOOLS_FLATBUFFER_JSON_H_

#include "base/text_stream.h"
#include "vm/module/flatbuffer.h"

namespace eyrie::tools {

// Prints the root table of a verified FlatBuffer (flatbuffer.h) on one line, or
// on a line for each field if `pretty` is set. Leaves out numbers that have
// their default. Bytes that are not UTF-8 print as U+FFFD.
void PrintFlatBufferJson(const vm::fbs::Module& module, bool pretty,
                         TextStream& to);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_FLATBUFFER_JSON_H_
