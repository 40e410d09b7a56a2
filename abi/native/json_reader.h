// Reads the members of a JSON object in a manifest by name. Errors say where
// they are.
// Tested by manifest_test.cc.
#ifndef EYRIE_ABI_NATIVE_JSON_READER_H_
#define EYRIE_ABI_NATIVE_JSON_READER_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/json.h"

namespace eyrie::native {

// Borrows the JSON. A getter returns its default if the member is absent.
class JsonReader {
 public:
  // `where` names the object in messages. INVALID_ARGUMENT: the value is not an
  // object, or has a member twice.
  static absl::StatusOr<JsonReader> Open(const Json& json, std::string where);

  const std::string& where() const { return where_; }

  // Returns the member, or nullptr, and marks its name as known.
  const Json* Find(absl::string_view key);
  absl::StatusOr<std::string> GetString(absl::string_view key,
                                        absl::string_view otherwise = "");
  absl::StatusOr<bool> GetBool(absl::string_view key, bool otherwise);
  absl::StatusOr<int64_t> GetInt(absl::string_view key, int64_t otherwise);
  // INVALID_ARGUMENT: the object has a member that no getter has asked for.
  absl::Status Finish() const;

  // Returns the error: The "key" of function 'f' is the number 7; a string is
  // expected.
  absl::Status WrongKind(absl::string_view key, const Json& value,
                         absl::string_view expected) const;

 private:
  JsonReader(const Json& json, std::string where)
      : json_(&json), where_(std::move(where)) {}

  const Json* json_;
  std::string where_;
  std::vector<std::string> known_;
};

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_JSON_READER_H_
