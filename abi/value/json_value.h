// Converts host values from and to JSON, as in --args, --kwargs and
// --output=json. docs/abi.md describes the format.
//
// Tested by tests/conformance/abi/abi_test.cc, abi/call/testing/json_fuzz.cc.
#ifndef EYRIE_ABI_VALUE_JSON_VALUE_H_
#define EYRIE_ABI_VALUE_JSON_VALUE_H_

#include <cstdint>
#include <memory>
#include <string>

#include "abi/value/host_value.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/json.h"
#include "base/memory_meter.h"
#include "base/text_stream.h"

namespace eyrie::abi {

// Whether "$npy" and "$npz" may read files.
enum class JsonFiles : uint8_t { kRefused, kRead };

// Converts JSON to a value. Arrays become lists, and objects become dicts,
// except for objects whose keys begin with '$':
//   {"$npy": "a.npy"}                      the array in a file
//   {"$npz": "a.npz", "key": "x"}          one of several arrays in a file
//   {"$dtype": "bf16", "data": [[1, 2]]}   an array; "shape" is optional
//   {"$hex": "00FF"}                       bytes
//   {"$tuple": [1, 2]}                     a tuple
//   {"$dict": {"$a": 1}}                   a dict with any keys
// "$cast": true next to an array allows conversions that lose information.
// `memory` counts the arrays of files while they live; null if nothing does.
// INVALID_ARGUMENT: a key with '$' is unknown, or its value is malformed; the
// message gives the byte offset. RESOURCE_EXHAUSTED: the limit of `memory` is
// exceeded, or as ReadMember. Otherwise fails as reading the file does.
absl::StatusOr<HostValue> FromJson(
    const Json& json, JsonFiles files,
    const std::shared_ptr<MemoryMeter>& memory = nullptr);

// Appends a value as one line of JSON, in FromJson's format, except that arrays
// are nested numbers and tuples are lists. An array without elements keeps its
// "shape", unless it is []. Numbers that JSON does not have are strings, "nan"
// or "-inf"; bytes are a string if they are UTF-8. A reference is {"$ref": "its
// type"}.
void WriteJson(const HostValue& value, TextStream& out);

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_VALUE_JSON_VALUE_H_
