// Prints a JSON object field by field, so that only one value at a time is in
// memory.
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

// Indents by two spaces per level. Replaces bytes that are not UTF-8, and
// escapes control characters. Keys are printed unchanged.
class JsonObject {
 public:
  using Json = nlohmann::ordered_json;

  // Begins the object, which is nested `depth` levels deep. The caller must
  // call End().
  explicit JsonObject(TextStream& to, size_t depth = 0);
  JsonObject(const JsonObject&) = delete;
  JsonObject& operator=(const JsonObject&) = delete;

  void Field(absl::string_view key, const Json& value);
  // Prints a field with a list of `count` values; `make` is called for each
  // when it is printed.
  void List(absl::string_view key, size_t count,
            absl::FunctionRef<Json(size_t)> make);
  // Prints a field with an object; `fill` adds its fields.
  void Object(absl::string_view key, absl::FunctionRef<void(JsonObject&)> fill);
  void End();

 private:
  void Key(absl::string_view key);
  // Prints a value; its lines after the first are indented by `depth` levels.
  void Value(const Json& value, size_t depth);

  TextStream& to_;
  const size_t depth_;
  bool is_empty_ = true;
};

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_JSON_OBJECT_H_
