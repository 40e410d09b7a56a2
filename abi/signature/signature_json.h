// Writes a signature as JSON, for `eyrie dump --json` and the C API.
//
// Tested by signature_test.cc, tools/module_text_test.cc.
#ifndef EYRIE_ABI_SIGNATURE_SIGNATURE_JSON_H_
#define EYRIE_ABI_SIGNATURE_SIGNATURE_JSON_H_

#include <string>

#include "abi/signature/signature.h"

namespace eyrie::abi {

// Returns one line: {"source", "text", "arguments": [{"name", "keyword",
// "type", "storage_of"}], "results", "results_are_slots", "doc"}. Types are
// objects with "kind" and the members of that kind: "dtype", "rank", "shape"
// with null for unknown dimensions, "element", "items".
std::string SignatureJson(const Signature& signature);

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_SIGNATURE_SIGNATURE_JSON_H_
