// Parses the JSON records of the attributes `iree.abi` and `d`. They are not
// yet compared with the function.
//
// Tested by signature_test.cc, abi/call/testing/json_fuzz.cc.
#ifndef EYRIE_ABI_SIGNATURE_RECORDS_H_
#define EYRIE_ABI_SIGNATURE_RECORDS_H_

#include <optional>
#include <string>
#include <vector>

#include "abi/signature/signature.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace eyrie::abi {

struct Records {
  struct Record {
    std::string name;  // if `named`
    bool named = false;
    Type type;
  };
  // nullopt: the object does not have this list.
  std::optional<std::vector<Record>> arguments;
  std::optional<std::vector<Record>> results;
  std::string doc;
};

// Parses the records. Ignores unknown members of the object, and reads types
// with unknown names or tags as unknown types. INVALID_ARGUMENT: the JSON is
// malformed; the message gives the byte offset.
absl::StatusOr<Records> ParseRecords(absl::string_view json);

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_SIGNATURE_RECORDS_H_
