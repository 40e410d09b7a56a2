// Conversions between Python objects and values of the C++ API.
#include "values.h"

#include <nanobind/ndarray.h>

#include <cstdint>
#include <functional>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gil.h"

namespace nb = nanobind;

namespace eyrie::python {
namespace {

constexpr int kMaxDepth = 128;  // of nested lists, tuples and dicts

// Element types with their names in NumPy and codes in DLPack. Extensions are
// in ml_dtypes, not in NumPy.
struct DtypeRow {
  const char* name;
  eyrie_dtype_t dtype;
  nb::dlpack::dtype_code code;
  bool is_extension = false;
};
using Kind = nb::dlpack::dtype_code;

const DtypeRow kDtypes[] = {
    {"bool", EYRIE_DTYPE_BOOL8, Kind::Bool},
    {"int8", EYRIE_DTYPE_SI8, Kind::Int},
    {"int16", EYRIE_DTYPE_SI16, Kind::Int},
    {"int32", EYRIE_DTYPE_SI32, Kind::Int},
    {"int64", EYRIE_DTYPE_SI64, Kind::Int},
    {"uint8", EYRIE_DTYPE_UI8, Kind::UInt},
    {"uint16", EYRIE_DTYPE_UI16, Kind::UInt},
    {"uint32", EYRIE_DTYPE_UI32, Kind::UInt},
    {"uint64", EYRIE_DTYPE_UI64, Kind::UInt},
    {"float16", EYRIE_DTYPE_F16, Kind::Float},
    {"float32", EYRIE_DTYPE_F32, Kind::Float},
    {"float64", EYRIE_DTYPE_F64, Kind::Float},
    {"complex64", EYRIE_DTYPE_C64, Kind::Complex},
    {"complex128", EYRIE_DTYPE_C128, Kind::Complex},
    {"bfloat16", EYRIE_DTYPE_BF16, Kind::Bfloat, true},
    {"float8_e5m2", EYRIE_DTYPE_F8E5M2, Kind::Float8_E5M2, true},
    {"float8_e4m3fn", EYRIE_DTYPE_F8E4M3FN, Kind::Float8_E4M3FN, true},
    {"float8_e5m2fnuz", EYRIE_DTYPE_F8E5M2FNUZ, Kind::Float8_E5M2FNUZ, true},
    {"float8_e4m3fnuz", EYRIE_DTYPE_F8E4M3FNUZ, Kind::Float8_E4M3FNUZ, true},
};

uint8_t BitsOf(eyrie_dtype_t dtype) { return dtype & 0xFF; }

const DtypeRow* FindName(std::string_view name) {
  for (const DtypeRow& row : kDtypes) {
    if (name == row.name) return &row;
  }
  return nullptr;
}

// Returns the row of an element type. Integers without a sign count as signed.
const DtypeRow* FindDtype(eyrie_dtype_t dtype) {
  if (dtype >> 24 == 0x10) {
    dtype = static_cast<eyrie_dtype_t>(dtype | 0x01000000);
  }
  for (const DtypeRow& row : kDtypes) {
    if (dtype == row.dtype) return &row;
  }
  return nullptr;
}

eyrie_dtype_t FindCode(nb::dlpack::dtype code) {
  for (const DtypeRow& row : kDtypes) {
    if (static_cast<uint8_t>(row.code) == code.code &&
        BitsOf(row.dtype) == code.bits && code.lanes == 1) {
      return row.dtype;
    }
  }
  return EYRIE_DTYPE_NONE;
}

// Returns a function that releases the owner of borrowed memory, on any thread,
// with or without the GIL.
template <typename Owner>
std::function<void()> Releaser(Owner owner) {
  auto* const kept = new Owner(std::move(owner));
  return [kept] {
    if (const WithGil acquire; acquire) delete kept;
  };
}

struct Layout {
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;  // bytes
  eyrie_array_t array = {};
  bool is_read_only = false;

  // Sets the strides of contiguous elements.
  void SetDense() {
    strides.assign(shape.size(), 0);
    int64_t step = (array.dtype & 0xFF) / 8;
    for (size_t i = shape.size(); i-- > 0; step *= shape[i]) strides[i] = step;
  }
  const eyrie_array_t& Get() {
    array.rank = shape.size();
    array.shape = shape.data();
    array.strides = strides.data();
    array.size = (array.dtype & 0xFF) / 8;
    for (const int64_t dimension : shape) array.size *= dimension;
    return array;
  }
};

template <typename Owner>
Value Borrow(Layout layout, Owner owner) {
  auto release = Releaser(std::move(owner));
  auto value = Value::Borrow(layout.Get(), release);
  if (!value) {
    release();
    Raise(value.error());
  }
  if (layout.is_read_only) value->SetReadOnly();
  return std::move(*value);
}

// Borrows a NumPy array, or another object with its array interface.
Value FromInterface(nb::handle object) {
  const nb::dict interface =
      nb::cast<nb::dict>(object.attr("__array_interface__"));
  const auto name =
      nb::cast<std::string>(nb::str(nb::getattr(object.attr("dtype"), "name")));
  const DtypeRow* const row = FindName(name);
  const auto type = nb::cast<std::string>(interface["typestr"]);
  if (row == nullptr || type[0] == '>') {
    throw nb::type_error(("Arrays of " +
                          (type[0] == '>' ? "big-endian " + name : name) +
                          " cannot be arguments.")
                             .c_str());
  }
  Layout layout;
  layout.array.dtype = row->dtype;
  for (const nb::handle dimension : nb::cast<nb::tuple>(interface["shape"])) {
    layout.shape.push_back(nb::cast<int64_t>(dimension));
  }
  const nb::object strides = interface.attr("get")("strides");
  if (strides.is_none()) {
    layout.SetDense();
  } else {
    for (const nb::handle step : nb::cast<nb::tuple>(strides)) {
      layout.strides.push_back(nb::cast<int64_t>(step));
    }
  }
  const auto data = nb::cast<nb::tuple>(interface["data"]);
  layout.array.data =
      reinterpret_cast<const void*>(nb::cast<uintptr_t>(data[0]));
  layout.is_read_only = nb::cast<bool>(data[1]);
  return Borrow(std::move(layout), nb::borrow(object));
}

// Returns the DLPack capsule of an array. Since version 1.0, DLPack states
// whether memory is read-only. An older producer may be JAX, whose arrays never
// change, so only memory of PyTorch counts as writable then.
nb::object CapsuleOf(nb::handle object, bool& may_be_written) {
  const nb::object get = object.attr("__dlpack__");
  nb::object capsule;
  try {
    capsule = get(nb::arg("max_version") = nb::make_tuple(1, 1));
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_TypeError)) throw;
    // The producer does not know the argument.
    capsule = get();
  }
  may_be_written = PyCapsule_IsValid(capsule.ptr(), "dltensor_versioned") != 0;
  if (!may_be_written) {
    const auto module =
        nb::cast<std::string>(nb::str(object.type().attr("__module__")));
    may_be_written = module == "torch" || module.starts_with("torch.");
  }
  return capsule;
}

Value FromDlpack(nb::handle object) {
  Layout layout;
  bool may_be_written = false;
  const nb::object capsule = CapsuleOf(object, may_be_written);
  nb::ndarray<> writable;  // a read-only array cannot be cast to it
  nb::ndarray<nb::ro> array;
  layout.is_read_only =
      !may_be_written || !nb::try_cast(nb::handle(capsule), writable);
  if (!layout.is_read_only) {
    array = nb::ndarray<nb::ro>(writable);
  } else if (!nb::try_cast(nb::handle(capsule), array)) {
    throw nb::type_error("The array's __dlpack__ gives nothing to read.");
  }
  if (array.device_type() != nb::device::cpu::value) {
    throw nb::type_error("The array is not in host memory.");
  }
  layout.array.dtype = FindCode(array.dtype());
  if (layout.array.dtype == EYRIE_DTYPE_NONE) {
    throw nb::type_error("Arrays of this DLPack type cannot be arguments.");
  }
  const int64_t step = (layout.array.dtype & 0xFF) / 8;
  for (size_t i = 0; i < array.ndim(); ++i) {
    layout.shape.push_back(static_cast<int64_t>(array.shape(i)));
    layout.strides.push_back(array.stride(i) * step);
  }
  layout.array.data = array.data();
  // `array` owns the producer's tensor.
  return Borrow(std::move(layout), std::move(array));
}

Value From(nb::handle object, int depth);

std::vector<Value> Items(nb::handle sequence, int depth) {
  std::vector<Value> items;
  for (const nb::handle item : nb::borrow<nb::sequence>(sequence)) {
    items.push_back(From(item, depth + 1));
  }
  return items;
}

Value FromDict(nb::handle object, int depth) {
  std::vector<Value::Entry> entries;
  for (const auto& [key, item] : nb::borrow<nb::dict>(object)) {
    if (!PyUnicode_Check(key.ptr())) {
      throw nb::type_error("Keys of dicts are str.");
    }
    entries.emplace_back(nb::cast<std::string>(key), From(item, depth + 1));
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

Value From(nb::handle object, int depth) {
  if (depth > kMaxDepth) {
    throw nb::value_error("Arguments are nested more than 128 deep.");
  }
  PyObject* const p = object.ptr();
  if (p == Py_None) return Value();
  if (PyBool_Check(p)) return Value(p == Py_True);
  if (PyFloat_Check(p)) return Value(PyFloat_AsDouble(p));
  if (PyLong_Check(p)) return FromInteger(object);
  if (PyUnicode_Check(p)) {
    Py_ssize_t size = 0;
    const char* const text = PyUnicode_AsUTF8AndSize(p, &size);
    if (text == nullptr) throw nb::python_error();
    return Value(std::string_view(text, size));
  }
  if (PyBytes_Check(p)) {
    return Value(std::string_view(PyBytes_AsString(p), PyBytes_Size(p)));
  }
  if (PyList_Check(p)) return Value::List(Items(object, depth));
  if (PyTuple_Check(p)) return Value::Tuple(Items(object, depth));
  if (PyDict_Check(p)) return FromDict(object, depth);
  if (nb::isinstance<Lent>(object)) {
    Value value = From(nb::cast<Lent&>(object).object, depth + 1);
    value.Lend();
    return value;
  }
  if (nb::isinstance<Reference>(object)) {
    return nb::cast<Reference&>(object).value;
  }
  if (nb::hasattr(object, "__array_interface__")) {
    // A NumPy scalar is converted like a Python number.
    if (nb::hasattr(object, "item") && !nb::hasattr(object, "__setitem__")) {
      return From(object.attr("item")(), depth + 1);
    }
    return FromInterface(object);
  }
  if (nb::hasattr(object, "__dlpack__")) return FromDlpack(object);
  throw nb::type_error(
      ("An object of type " +
       nb::cast<std::string>(nb::str(object.type().attr("__name__"))) +
       " cannot be an argument.")
          .c_str());
}

nb::object ArrayToPython(Value value) {
  auto* const kept = new Value(std::move(value));
  const nb::capsule owner(
      kept, [](void* data) noexcept { delete static_cast<Value*>(data); });
  const ArrayView view = Unwrap(kept->array());
  const DtypeRow* const row = FindDtype(view.dtype());
  if (row == nullptr) {
    throw nb::type_error("NumPy has no such element type.");
  }
  std::vector<size_t> shape(view.shape().begin(), view.shape().end());
  const Kind code = row->is_extension ? Kind::UInt : row->code;
  const nb::object array = nb::cast(nb::ndarray<nb::numpy>(
      const_cast<void*>(view.data()), shape.size(), shape.data(), owner,
      nullptr,
      {static_cast<uint8_t>(code), BitsOf(view.dtype()), uint16_t{1}}));
  if (!row->is_extension) return array;
  return array.attr("view")(nb::module_::import_("ml_dtypes").attr(row->name));
}

nb::object ItemsToPython(const Value& value, bool text) {
  nb::list items;
  for (size_t i = 0; i < value.size(); ++i) {
    items.append(ToPython(Value(value.item(i)), text));
  }
  if (value.kind() == EYRIE_KIND_TUPLE) return nb::tuple(items);
  return items;
}

}  // namespace

Value FromPython(nb::handle object) { return From(object, 0); }

nb::object ToPython(Value value, bool text) {
  switch (value.kind()) {
    case EYRIE_KIND_BOOL:
      return nb::cast(*value.As<bool>());
    case EYRIE_KIND_INT:
      if (const auto number = value.As<int64_t>()) return nb::cast(*number);
      return nb::cast(*value.As<uint64_t>());
    case EYRIE_KIND_FLOAT:
      return nb::cast(*value.As<double>());
    case EYRIE_KIND_BYTES: {
      const auto bytes = *value.As<std::string_view>();
      if (!text) return nb::bytes(bytes.data(), bytes.size());
      PyObject* const made = PyUnicode_DecodeUTF8(
          bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "strict");
      if (made == nullptr) throw nb::python_error();
      return nb::steal(made);
    }
    case EYRIE_KIND_ARRAY:
      return ArrayToPython(std::move(value));
    case EYRIE_KIND_LIST:
    case EYRIE_KIND_TUPLE:
      return ItemsToPython(value, text);
    case EYRIE_KIND_DICT: {
      nb::dict dict;
      for (size_t i = 0; i < value.size(); ++i) {
        dict[nb::str(value.key(i), value.key_size(i))] =
            ToPython(Value(value.item(i)), text);
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
