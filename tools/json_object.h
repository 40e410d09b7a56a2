// An object as JSON text that is printed field by field, so that no more than
// one value of it, or of a list in it, is kept.
//
// Tested by module_text_test.cc.
#ifndef EYRIE_TOOLS_JSON_OBJECT_H_
#define EYRIE_TOOLS_JSON_OBJECT_H_

#include <cstddef>
#include <nlohmann/json.hpp>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "base/text_stream.h"

namespace eyrie::tools {

// Two spaces of indentation a level. Bytes that are not UTF-8 are replaced,
// control characters escaped. Keys are printed as they are.
class JsonObject {
 public:
  using Json = nlohmann::ordered_json;

  // Begins the object, which is `depth` levels deep. End() ends it.
  explicit JsonObject(TextStream& to, size_t depth = 0);
  JsonObject(const JsonObject&) = delete;
  JsonObject& operator=(const JsonObject&) = delete;

  void Field(absl::string_view key, const Json& value);
  // A field of `count` values, each of which is asked for when it is printed.
  void List(absl::string_view key, size_t count,
            absl::FunctionRef<Json(size_t)> make);
  // A field that `fill` adds fields to.
  void Object(absl::string_view key, absl::FunctionRef<void(JsonObject&)> fill);
  void End();

 private:
  void Key(absl::string_view key);
  // A value whose further lines are indented by `depth` levels.
  void Value(const Json& value, size_t depth);

  TextStream& to_;
  const size_t depth_;
  bool is_empty_ = true;
};

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_JSON_OBJECT_H_
