// The JSON records of `iree.abi` and `d`, before they are compared with a
// function.
//
// Tested by signature_test.cc, json_fuzz.cc.
#ifndef EYRIE_ABI_RECORDS_H_
#define EYRIE_ABI_RECORDS_H_

#include <optional>
#include <string>
#include <vector>

#include "abi/signature.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace eyrie::abi {

struct Records {
  struct Record {
    std::string name;  // of a "named" one
    bool named = false;
    Type type;
  };
  // nullopt: the object has no such list.
  std::optional<std::vector<Record>> arguments;
  std::optional<std::vector<Record>> results;
  std::string doc;
};

// INVALID_ARGUMENT: malformed, with the byte. Members of the object, names of
// primitive types and tags of compound ones that are not known are tolerated.
absl::StatusOr<Records> ParseRecords(absl::string_view json);

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_RECORDS_H_
