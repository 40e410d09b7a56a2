// Converts results to Python objects.
//
// Tested by eyrie_test.py, arrays_test.py.
#include <cstdint>
#include <new>
#include <string_view>
#include <utility>

#include "device_array.h"
#include "text.h"
#include "values.h"

namespace nb = nanobind;

namespace eyrie::python {
namespace {

nb::object ItemsToPython(const Value& value, ResultChoice choice) {
  nb::list items;
  for (size_t i = 0; i < value.size(); ++i) {
    items.append(ToPython(Value(value.item(i)), choice));
  }
  if (value.kind() == EYRIE_KIND_TUPLE) return nb::tuple(items);
  return items;
}

nb::object BytesToPython(std::string_view bytes, bool text) {
  const auto size = static_cast<Py_ssize_t>(bytes.size());
  PyObject* const made =
      text ? PyUnicode_DecodeUTF8(bytes.data(), size, "strict")
           : PyBytes_FromStringAndSize(bytes.data(), size);
  if (made == nullptr) throw nb::python_error();
  return nb::steal(made);
}

}  // namespace

nb::object ToPython(Value value, ResultChoice choice) {
  switch (value.kind()) {
    case EYRIE_KIND_BOOL:
      return nb::cast(*value.As<bool>());
    case EYRIE_KIND_INT:
      if (const auto number = value.As<int64_t>()) return nb::cast(*number);
      return nb::cast(*value.As<uint64_t>());
    case EYRIE_KIND_FLOAT:
      return nb::cast(*value.As<double>());
    case EYRIE_KIND_BYTES:
      return BytesToPython(*value.As<std::string_view>(), choice.text);
    case EYRIE_KIND_ARRAY: {
      nb::object array = NewDeviceArray(std::move(value));
      return choice.on_device ? array : DeviceArrayToNumpy(std::move(array));
    }
    case EYRIE_KIND_LIST:
    case EYRIE_KIND_TUPLE:
      return ItemsToPython(value, choice);
    case EYRIE_KIND_DICT: {
      nb::dict dict;
      for (size_t i = 0; i < value.size(); ++i) {
        dict[StrOf({value.key(i), value.key_size(i)})] =
            ToPython(Value(value.item(i)), choice);
      }
      return dict;
    }
    case EYRIE_KIND_REF:
      return nb::cast(Reference{std::move(value)});
    case EYRIE_KIND_NO_MEMORY:
      throw std::bad_alloc();  // MemoryError
    default:
      return nb::none();
  }
}

}  // namespace eyrie::python
