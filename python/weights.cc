// Makes a set of parameters of the memory of Python's objects.
#include "weights.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "errors.h"
#include "eyrie/c_value.h"
#include "text.h"
#include "values.h"

namespace eyrie::python {
namespace {

namespace nb = nanobind;

bool IsDense(const eyrie_array_t& array) {
  int64_t step = 1;
  for (size_t i = array.rank; i-- > 0;) step *= array.shape[i];
  if (step == 0) return true;
  step = static_cast<int64_t>(array.size) / step;
  for (size_t i = array.rank; i-- > 0; step *= array.shape[i]) {
    if (array.shape[i] != 1 && array.strides[i] != step) return false;
  }
  return true;
}

// Returns the bytes of a value of an object, which replaces `value` if its
// elements are not dense.
std::span<const std::byte> BytesOf(nb::handle object, Value& value) {
  if (!nb::isinstance<nb::str>(object)) value = FromPython(object);
  const void* data = nullptr;
  size_t size = 0;
  if (eyrie_value_get_bytes(value.get(), &data, &size)) {
    return {static_cast<const std::byte*>(data), size};
  }
  eyrie_array_t array = {};
  array.struct_size = sizeof(array);
  if (eyrie_error_t* error = eyrie_value_get_array(value.get(), &array)) {
    eyrie_error_free(error);
    throw nb::type_error("It is neither an array nor bytes.");
  }
  if (!IsDense(array)) {
    const nb::object dense =
        nb::module_::import_("numpy").attr("ascontiguousarray")(object);
    return BytesOf(dense, value);
  }
  return {static_cast<const std::byte*>(array.data), array.size};
}

}  // namespace

Weights::Weights(const std::vector<nb::tuple>& rows) {
  values_.reserve(rows.size());
  for (const nb::tuple& row : rows) {
    const std::string scope = TextOf(row[0]);
    const std::string key = TextOf(row[1]);
    Value& value = values_.emplace_back();
    try {
      Unwrap(set_.AddBytes(key, BytesOf(row[2], value), scope));
    } catch (nb::builtin_exception& error) {
      const std::string text = "parameters: '" + key + "': " + error.what();
      throw nb::type_error(text.c_str());
    }
  }
}

}  // namespace eyrie::python
