// Converts arguments to values.
//
// Tested by eyrie_test.py, arrays_test.py.
#include <nanobind/stl/string.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "array_from_python.h"
#include "device_array.h"
#include "errors.h"
#include "numpy_array.h"
#include "text.h"
#include "values.h"

namespace nb = nanobind;

namespace eyrie::python {
namespace {

constexpr int kMaxDepth = 128;  // of nested lists, tuples and dicts

Value From(nb::handle object, eyrie_kind_t kind, int depth);

std::vector<Value> Items(nb::handle sequence, int depth) {
  std::vector<Value> items;
  for (const nb::handle item : nb::borrow<nb::sequence>(sequence)) {
    items.push_back(From(item, EYRIE_KIND_LIST, depth + 1));
  }
  return items;
}

Value FromDict(nb::handle object, int depth) {
  std::vector<Value::Entry> entries;
  for (const auto& [key, item] : nb::borrow<nb::dict>(object)) {
    if (!PyUnicode_Check(key.ptr())) {
      RaiseArgument("The keys of a dict must be str; one is " + TypeText(key) +
                    ".");
    }
    entries.emplace_back(TextOf(key), From(item, EYRIE_KIND_DICT, depth + 1));
  }
  return Value::Dict(entries);
}

Value FromInteger(nb::handle object) {
  int overflow = 0;
  const long long number =
      PyLong_AsLongLongAndOverflow(object.ptr(), &overflow);
  if (number == -1 && PyErr_Occurred()) throw nb::python_error();
  if (overflow == 0) return Value(static_cast<int64_t>(number));
  const unsigned long long natural = PyLong_AsUnsignedLongLong(object.ptr());
  if (PyErr_Occurred()) throw nb::python_error();
  return Value(static_cast<uint64_t>(natural));
}

// A NumPy scalar, or an array of rank 0 for a number, keeps its dtype if the
// signature does not have a type for it. Otherwise it is a number, which is
// converted like a Python number.
Value FromNumpyScalar(nb::handle object, eyrie_kind_t kind, int depth) {
  if (kind == EYRIE_KIND_ANY || kind == EYRIE_KIND_REF) {
    return ArrayFromPython(CallNumpy("asarray", object));
  }
  const nb::object item = object.attr("item")();
  if (IsNumpyScalar(item.ptr())) {  // a long double or a date
    return ArrayFromPython(CallNumpy("asarray", object));
  }
  return From(item, kind, depth + 1);
}

Value FromText(PyObject* text) {
  Py_ssize_t size = 0;
  const char* const bytes = PyUnicode_AsUTF8AndSize(text, &size);
  if (bytes == nullptr) throw nb::python_error();
  return Value(std::string_view(bytes, size));
}

// Objects of the standard library, except of exact types that From knows.
// Returns false if the object is something else.
bool FromContainer(nb::handle object, int depth, Value& value) {
  PyObject* const p = object.ptr();
  if (PyRange_Check(p)) {
    value = Value::List(Items(object, depth));
  } else if (nb::hasattr(object, "__dataclass_fields__")) {
    const nb::object fields =
        nb::module_::import_("dataclasses").attr("fields")(object);
    nb::dict entries;
    for (const nb::handle field : fields) {
      const nb::object name = field.attr("name");
      entries[name] = object.attr(name);
    }
    value = FromDict(entries, depth);
  } else if (PyMapping_Check(p) && nb::hasattr(object, "keys")) {
    const nb::object entries = nb::steal(PyObject_CallFunctionObjArgs(
        reinterpret_cast<PyObject*>(&PyDict_Type), p, nullptr));
    if (!entries.is_valid()) throw nb::python_error();
    value = FromDict(entries, depth);
  } else {
    return false;
  }
  return true;
}

Value From(nb::handle object, eyrie_kind_t kind, int depth) {
  if (depth > kMaxDepth) {
    RaiseArgument("The object is nested more than 128 deep.");
  }
  PyObject* const p = object.ptr();
  if (p == Py_None) return Value();
  if (PyBool_Check(p)) return Value(p == Py_True);
  if (IsNumpyArray(p)) {
    const bool is_number = kind == EYRIE_KIND_BOOL || kind == EYRIE_KIND_INT ||
                           kind == EYRIE_KIND_FLOAT;
    return is_number && RankOf(p) == 0 ? FromNumpyScalar(object, kind, depth)
                                       : ArrayFromPython(object);
  }
  if (IsNumpyScalar(p)) return FromNumpyScalar(object, kind, depth);
  if (PyFloat_Check(p)) return Value(PyFloat_AsDouble(p));
  if (PyLong_Check(p)) return FromInteger(object);
  if (PyUnicode_Check(p)) return FromText(p);
  if (PyBytes_Check(p)) {
    return Value(std::string_view(PyBytes_AsString(p), PyBytes_Size(p)));
  }
  if (PyList_Check(p)) return Value::List(Items(object, depth));
  if (PyTuple_Check(p)) return Value::Tuple(Items(object, depth));
  if (PyDict_Check(p)) return FromDict(object, depth);
  if (const Value* value = DeviceArrayValue(object)) {
    Value lent = *value;
    lent.Lend();
    return lent;
  }
  if (nb::isinstance<Lent>(object)) {
    const nb::object& inner = nb::cast<Lent&>(object).object;
    const Value* const own = ResultValue(inner);
    Value value = own ? *own : From(inner, kind, depth + 1);
    value.Lend();
    return value;
  }
  if (nb::isinstance<Donated>(object)) {
    Value value = GiveAway(nb::cast<Donated&>(object).object);
    value.Lend();
    return value;
  }
  if (nb::isinstance<Reference>(object)) {
    return nb::cast<Reference&>(object).value;
  }
  if (PyComplex_Check(p)) {
    // Like a float, it is rounded to the element type that is expected.
    Value value = ArrayFromPython(CallNumpy("asarray", object));
    value.AllowLoss();
    return value;
  }
  if (PyByteArray_Check(p) && kind == EYRIE_KIND_BYTES) {
    return Value(
        std::string_view(PyByteArray_AsString(p), PyByteArray_Size(p)));
  }
  Value value;
  if (!IsArray(object) && FromContainer(object, depth, value)) return value;
  return ArrayFromPython(object);
}

}  // namespace

Value FromPython(nb::handle object, eyrie_kind_t kind) {
  Value value = From(object, kind, 0);
  if (value.kind() == EYRIE_KIND_NO_MEMORY) throw std::bad_alloc();
  return value;
}

bool SetFromPython(nb::handle object, Value& value) {
  PyObject* const p = object.ptr();
  if (IsNumpyArray(p)) {
    eyrie_array_t array = internal::NewArray();
    bool is_read_only = false;
    if (RankOf(p) == 0 || !Describe(p, array, is_read_only)) return false;
    if (value.get() == nullptr) value = Value::Adopt(eyrie_value_new_null());
    // A call that does not lend its arguments copies them, so it does not
    // matter whether they are read-only.
    if (eyrie_error_t* error = eyrie_value_set_array(value.get(), &array)) {
      Raise(Error(error));
    }
    return true;
  }
  if (PyFloat_CheckExact(p)) {
    value.Set(PyFloat_AsDouble(p));
    return true;
  }
  if (PyBool_Check(p)) {
    value.Set(p == Py_True);
    return true;
  }
  if (!PyLong_CheckExact(p)) return false;
  int overflow = 0;
  const long long number = PyLong_AsLongLongAndOverflow(p, &overflow);
  if (overflow != 0) return false;
  value.Set(static_cast<int64_t>(number));
  return true;
}

}  // namespace eyrie::python
