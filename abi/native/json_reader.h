// Members of a JSON object of a manifest, each asked for by name, with errors
// that say where.
//
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

// Borrows the JSON. A getter of something absent gives its default.
class JsonReader {
 public:
  // INVALID_ARGUMENT: not an object, or a member twice.
  static absl::StatusOr<JsonReader> Open(const Json& json, std::string where);

  const std::string& where() const { return where_; }

  // The member, or null. Counts as known.
  const Json* Find(absl::string_view key);
  absl::StatusOr<std::string> GetString(absl::string_view key,
                                        absl::string_view otherwise = "");
  absl::StatusOr<bool> GetBool(absl::string_view key, bool otherwise);
  absl::StatusOr<int64_t> GetInt(absl::string_view key, int64_t otherwise);
  // INVALID_ARGUMENT: a member that nobody has asked for.
  absl::Status Finish() const;

  // "The "key" of function 'f' is the number 7; a string is expected."
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
