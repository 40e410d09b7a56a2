// A signature as JSON: what `eyrie dump --json` and the C API print of it.
//
// Tested by signature_test.cc, tools/module_text_test.cc.
#ifndef EYRIE_ABI_SIGNATURE_JSON_H_
#define EYRIE_ABI_SIGNATURE_JSON_H_

#include <string>

#include "abi/signature.h"

namespace eyrie::abi {

// One line: {"source", "text", "arguments": [{"name", "keyword", "type",
// "storage_of"}], "results", "results_are_slots", "doc"}. Types are objects
// with "kind" and what it has: "dtype", "rank", "shape" with null for
// dimensions that are not known, "element", "items".
std::string SignatureJson(const Signature& signature);

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_SIGNATURE_JSON_H_
