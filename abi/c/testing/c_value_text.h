// Formats values of the C and C++ APIs as text.
#ifndef EYRIE_ABI_C_TESTING_C_VALUE_TEXT_H_
#define EYRIE_ABI_C_TESTING_C_VALUE_TEXT_H_

#include <span>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "eyrie/c.h"
#include "eyrie/result.h"
#include "eyrie/value.h"

namespace eyrie {

// Returns the arguments of a call. Borrows everything.
inline eyrie_call_args_t ArgsOf(std::span<eyrie_value_t* const> values,
                                std::span<const char* const> names = {},
                                std::span<eyrie_value_t* const> outs = {}) {
  return {sizeof(eyrie_call_args_t),
          values.data(),
          values.size(),
          names.data(),
          names.size(),
          outs.data(),
          outs.size()};
}

// Returns dimensions, element type code (hexadecimal) and size in bytes:
// "2x3x21000020=24".
inline std::string ArrayText(const eyrie_value_t* value) {
  eyrie_array_t array = {};
  array.struct_size = sizeof(array);
  if (eyrie_error_t* error = eyrie_value_get_array(value, &array)) {
    const std::string text = eyrie_error_message(error);
    eyrie_error_free(error);
    return text;
  }
  std::string text;
  for (size_t i = 0; i < array.rank; ++i) {
    absl::StrAppend(&text, array.shape[i], "x");
  }
  return absl::StrCat(text, absl::Hex(array.dtype), "=", array.size);
}

// Returns null, true, -7, 2.5f, "text", an array's text, [a, b], (a, b), {k: v}
// or <hal.buffer>.
inline std::string ValueText(const eyrie_value_t* value) {
  const eyrie_kind_t kind = eyrie_value_kind(value);
  int boolean = 0;
  int64_t integer = 0;
  uint64_t natural = 0;
  double number = 0;
  const void* data = nullptr;
  size_t size = 0;
  if (kind == EYRIE_KIND_NULL) return "null";
  if (kind == EYRIE_KIND_NO_MEMORY) return "no memory";
  if (eyrie_value_get_bool(value, &boolean)) return boolean ? "true" : "false";
  if (eyrie_value_get_i64(value, &integer)) return absl::StrCat(integer);
  if (eyrie_value_get_u64(value, &natural)) return absl::StrCat(natural);
  if (eyrie_value_get_f64(value, &number)) return absl::StrCat(number, "f");
  if (eyrie_value_get_bytes(value, &data, &size)) {
    return "\"" + std::string(static_cast<const char*>(data), size) + "\"";
  }
  if (kind == EYRIE_KIND_ARRAY) return ArrayText(value);
  if (kind == EYRIE_KIND_REF) {
    return absl::StrCat("<", eyrie_value_ref_type(value), ">");
  }
  std::string text;
  for (size_t i = 0; i < eyrie_value_count(value); ++i) {
    const char* key = eyrie_value_key(value, i, nullptr);
    absl::StrAppend(&text, i ? ", " : "", key ? key : "", key ? ": " : "",
                    ValueText(eyrie_value_item(value, i)));
  }
  const bool tuple = kind == EYRIE_KIND_TUPLE;
  return kind == EYRIE_KIND_DICT ? "{" + text + "}"
         : tuple                 ? "(" + text + ")"
                                 : "[" + text + "]";
}

// Returns "3: The sentence.", or "OK" for NULL. Frees the error.
inline std::string ErrorText(eyrie_error_t* error) {
  if (error == nullptr) return "OK";
  std::string text =
      absl::StrCat(eyrie_error_code(error), ": ", eyrie_error_message(error));
  eyrie_error_free(error);
  return text;
}

// Returns the elements of an array of f32, "1 2 3", or the error's sentence.
inline std::string Floats(ValueView value) {
  const auto elements = value.elements<float>();
  if (!elements) return elements.error().message();
  std::string text;
  for (const float element : *elements) {
    absl::StrAppend(&text, text.empty() ? "" : " ", element);
  }
  return text;
}

// Returns "OK", or the error in ErrorText's form.
template <typename T>
std::string Text(const Result<T>& result) {
  if (result.ok()) return "OK";
  return absl::StrCat(result.error().code(), ": ", result.error().message());
}

// Returns the results of a call, separated by spaces, or its error.
inline std::string Text(const Result<std::vector<Value>>& results) {
  if (!results.ok()) return Text<std::vector<Value>>(results);
  std::string text;
  for (const Value& value : *results) {
    absl::StrAppend(&text, text.empty() ? "" : " ", ValueText(value.get()));
  }
  return text;
}

// Returns an error's text without the places in the module.
inline std::string FirstLine(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

}  // namespace eyrie

#endif  // EYRIE_ABI_C_TESTING_C_VALUE_TEXT_H_
