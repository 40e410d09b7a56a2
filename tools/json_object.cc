// Indents what nlohmann/json prints.
#include "tools/json_object.h"

#include <string>

#include "absl/strings/str_replace.h"
#include "base/plain_text.h"

namespace eyrie::tools {
namespace {

// Returns the separator of values: a new line, indented to this depth.
std::string NewLine(size_t depth) { return "\n" + std::string(2 * depth, ' '); }

}  // namespace

JsonObject::JsonObject(TextStream& to, size_t depth) : to_(to), depth_(depth) {
  to_.Add("{");
}

void JsonObject::Key(absl::string_view key) {
  to_.Add(is_empty_ ? "" : ",", NewLine(depth_ + 1), "\"", key, "\": ");
  is_empty_ = false;
}

void JsonObject::Value(const Json& value, size_t depth) {
  if (!to_.ok()) return;
  // Line breaks in strings are escaped.
  to_.Add(
      absl::StrReplaceAll(EscapeJsonControls(value.dump(
                              2, ' ', false, Json::error_handler_t::replace)),
                          {{"\n", NewLine(depth)}}));
}

void JsonObject::Field(absl::string_view key, const Json& value) {
  Key(key);
  Value(value, depth_ + 1);
}

void JsonObject::List(absl::string_view key, size_t count,
                      absl::FunctionRef<Json(size_t)> make) {
  Key(key);
  if (count == 0) return to_.Add("[]");
  to_.Add("[");
  for (size_t i = 0; i < count && to_.ok(); ++i) {
    to_.Add(i == 0 ? "" : ",", NewLine(depth_ + 2));
    Value(make(i), depth_ + 2);
  }
  to_.Add(NewLine(depth_ + 1), "]");
}

void JsonObject::Object(absl::string_view key,
                        absl::FunctionRef<void(JsonObject&)> fill) {
  Key(key);
  JsonObject object(to_, depth_ + 1);
  fill(object);
  object.End();
}

void JsonObject::End() {
  to_.Add(is_empty_ ? "" : NewLine(depth_), "}", depth_ == 0 ? "\n" : "");
}

}  // namespace eyrie::tools
