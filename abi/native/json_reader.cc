#include "abi/native/json_reader.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/plain_text.h"
#include "base/suggest.h"

namespace eyrie::native {

absl::StatusOr<JsonReader> JsonReader::Open(const Json& json,
                                            std::string where) {
  if (!json.is(Json::Kind::kObject)) {
    return absl::InvalidArgumentError(absl::StrCat("In the manifest, ", where,
                                                   " is ", json.Describe(),
                                                   "; an object is expected."));
  }
  std::vector<absl::string_view> keys(json.keys.begin(), json.keys.end());
  std::sort(keys.begin(), keys.end());
  const auto twice = std::adjacent_find(keys.begin(), keys.end());
  if (twice != keys.end()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "In the manifest, ", where, " has '", PlainName(*twice), "' twice."));
  }
  return JsonReader(json, std::move(where));
}

const Json* JsonReader::Find(absl::string_view key) {
  known_.emplace_back(key);
  return json_->Find(key);
}

absl::Status JsonReader::WrongKind(absl::string_view key, const Json& value,
                                   absl::string_view expected) const {
  return absl::InvalidArgumentError(
      absl::StrCat("In the manifest, \"", key, "\" of ", where_, " is ",
                   value.Describe(), "; ", expected, " is expected."));
}

absl::StatusOr<std::string> JsonReader::GetString(absl::string_view key,
                                                  absl::string_view otherwise) {
  const Json* value = Find(key);
  if (value == nullptr) return std::string(otherwise);
  if (!value->is(Json::Kind::kString)) {
    return WrongKind(key, *value, "a string");
  }
  return value->text;
}

absl::StatusOr<bool> JsonReader::GetBool(absl::string_view key,
                                         bool otherwise) {
  const Json* value = Find(key);
  if (value == nullptr) return otherwise;
  if (!value->is(Json::Kind::kBool)) {
    return WrongKind(key, *value, "true or false");
  }
  return value->boolean;
}

absl::StatusOr<int64_t> JsonReader::GetInt(absl::string_view key,
                                           int64_t otherwise) {
  const Json* value = Find(key);
  if (value == nullptr) return otherwise;
  if (!value->is(Json::Kind::kInt)) return WrongKind(key, *value, "an integer");
  return value->integer;
}

absl::Status JsonReader::Finish() const {
  for (const std::string& key : json_->keys) {
    if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("In the manifest, ", where_, " has an unknown '",
                     PlainName(key), "'.", DidYouMean(key, known_)));
  }
  return absl::OkStatus();
}

}  // namespace eyrie::native
