// Host values from and to JSON: what --args, --kwargs and --output=json read
// and write. docs/abi.md has the forms.
//
// Tested by tests/conformance/abi/abi_test.cc, json_fuzz.cc.
#ifndef EYRIE_ABI_JSON_VALUE_H_
#define EYRIE_ABI_JSON_VALUE_H_

#include <cstdint>
#include <memory>
#include <string>

#include "abi/host_value.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/json.h"
#include "base/memory_meter.h"
#include "base/text_stream.h"

namespace eyrie::abi {

// Whether "$npy" and "$npz" may name files.
enum class JsonFiles : uint8_t { kRefused, kRead };

// Numbers, booleans, null and strings are themselves; arrays are lists,
// objects dicts, but for those whose keys begin with '$':
//   {"$npy": "a.npy"}                      the array of a file
//   {"$npz": "a.npz", "key": "x"}          one of several
//   {"$dtype": "bf16", "data": [[1, 2]]}   an array; "shape" may be given
//   {"$hex": "00FF"}                       bytes
//   {"$tuple": [1, 2]}                     a tuple
// "$cast": true beside an array lets its elements be converted with loss.
// `memory`, if there is one, counts the arrays of files while they live.
// INVALID_ARGUMENT: another key with '$', or not what it needs, with the byte.
// RESOURCE_EXHAUSTED: the meter's limit is passed, or as ReadMember has it.
absl::StatusOr<HostValue> FromJson(
    const Json& json, JsonFiles files,
    const std::shared_ptr<MemoryMeter>& memory = nullptr);

// One line: FromJson's forms, but arrays are nested numbers and tuples lists.
// What JSON has no number for is a string, "nan" or "-inf"; bytes are a string
// if they are UTF-8. A reference is {"$ref": "its type"}.
void WriteJson(const HostValue& value, TextStream& out);
void AppendJson(const HostValue& value, std::string& out);

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_JSON_VALUE_H_
