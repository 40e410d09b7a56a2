// Reads arrays by NumPy's C API, DLPack, or any protocol that NumPy knows.
//
// Tested by arrays_test.py.
#include "array_from_python.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "device_array.h"
#include "errors.h"
#include "gil.h"
#include "numpy_array.h"

namespace nb = nanobind;

namespace eyrie::python {
namespace {

template <typename Owner>
Value Borrow(const eyrie_array_t& array, bool is_read_only, Owner owner) {
  auto* const kept = new Owner(std::move(owner));
  eyrie_value_t* made = nullptr;
  // Values are freed on any thread, with or without the GIL; `kept` is freed,
  // too, if this fails.
  eyrie_error_t* const error = eyrie_value_new_borrowed(
      &array,
      [](void* user) {
        if (const WithGil acquire; acquire) delete static_cast<Owner*>(user);
      },
      kept, &made);
  if (error != nullptr) Raise(Error(error));
  Value value = Value::Adopt(made);
  if (is_read_only) value.SetReadOnly();
  return value;
}

// Returns the type of 4 or 2 bits that ml_dtypes gives this name, or
// EYRIE_DTYPE_NONE.
eyrie_dtype_t FindNarrow(const std::string& name) {
  if (name == "int2") return static_cast<eyrie_dtype_t>(0x10000002);
  if (name == "uint2") return static_cast<eyrie_dtype_t>(0x12000002);
  if (name == "int4") return static_cast<eyrie_dtype_t>(0x10000004);
  if (name == "uint4") return static_cast<eyrie_dtype_t>(0x12000004);
  if (name == "float4_e2m1fn") return EYRIE_DTYPE_F4E2M1FN;
  return EYRIE_DTYPE_NONE;
}

// Reports whether an array of another package has elements of 4 or 2 bits.
bool HasNarrowElements(nb::handle object) {
  const nb::object dtype = nb::getattr(object, "dtype", nb::none());
  return FindNarrow(nb::cast<std::string>(nb::str(dtype))) != EYRIE_DTYPE_NONE;
}

// Packs elements of 4 or 2 bits, which NumPy stores in a byte each: the first
// one in the lowest bits of a byte.
Value FromNarrow(nb::handle object, eyrie_dtype_t dtype) {
  // ascontiguousarray would make an array of rank 0 one of rank 1.
  const nb::object wide = nb::module_::import_("numpy").attr("asarray")(
      object, nb::arg("order") = "C");
  eyrie_array_t array = internal::NewArray();
  bool is_read_only = false;
  const nb::object bytes = wide.attr("view")("uint8");
  Describe(bytes.ptr(), array, is_read_only);
  size_t count = 1;
  for (size_t i = 0; i < array.rank; ++i) count *= array.shape[i];
  const size_t bits = dtype & 0xFF;
  std::vector<std::byte> packed((count * bits + 7) / 8);
  const auto mask = static_cast<std::byte>((1 << bits) - 1);
  const auto* const elements = static_cast<const std::byte*>(array.data);
  for (size_t i = 0; i < count; ++i) {
    packed[i * bits / 8] |= (elements[i] & mask) << (i * bits % 8);
  }
  return Unwrap(
      Value::Array(dtype, std::span(array.shape, array.rank), packed));
}

Value FromNumpy(nb::handle object) {
  if (IsMasked(object.ptr())) {
    RaiseArgument(
        "A masked array cannot be an argument; pass x.filled(value).");
  }
  eyrie_array_t array = internal::NewArray();
  bool is_read_only = false;
  if (Describe(object.ptr(), array, is_read_only)) {
    return Borrow(array, is_read_only, nb::borrow(object));
  }
  const std::string dtype = DtypeText(object.ptr());
  const eyrie_dtype_t narrow = FindNarrow(dtype);
  if (narrow != EYRIE_DTYPE_NONE) return FromNarrow(object, narrow);
  if (dtype.starts_with("big-endian")) {
    const nb::object native =
        object.attr("astype")(object.attr("dtype").attr("newbyteorder")("="));
    if (Describe(native.ptr(), array, is_read_only)) {
      return Borrow(array, true, native);
    }
  }
  // NumPy reads the elements of ml_dtypes from files as raw bytes.
  const bool is_raw = dtype == "void8" || dtype == "void16";
  RaiseArgument("Arrays of " + dtype + " cannot be arguments" +
                (is_raw ? std::string("; x.view(ml_dtypes.") +
                              (dtype == "void8" ? "int4" : "bfloat16") +
                              "), for example, gives them a type."
                        : "."));
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
  bool may_be_written = false;
  const nb::object capsule = CapsuleOf(object, may_be_written);
  nb::ndarray<> writable;  // a read-only array cannot be cast to it
  nb::ndarray<nb::ro> array;
  const bool is_read_only =
      !may_be_written || !nb::try_cast(nb::handle(capsule), writable);
  if (!is_read_only) {
    array = nb::ndarray<nb::ro>(writable);
  } else if (!nb::try_cast(nb::handle(capsule), array)) {
    RaiseArgument("The __dlpack__ of the " + TypeText(object) +
                  " returns no tensor that can be read.");
  }
  if (array.device_type() != nb::device::cpu::value) {
    RaiseArgument("The " + TypeText(object) +
                  " is not in host memory; copy it to the CPU first.");
  }
  eyrie_array_t given = internal::NewArray();
  given.dtype = array.dtype().lanes == 1
                    ? FindDtype(array.dtype().code, array.dtype().bits)
                    : EYRIE_DTYPE_NONE;
  if (given.dtype == EYRIE_DTYPE_NONE) {
    RaiseArgument("The element type of the " + TypeText(object) +
                  " cannot be that of an argument.");
  }
  const int64_t step = (given.dtype & 0xFF) / 8;
  std::vector<int64_t> shape, strides;
  for (size_t i = 0; i < array.ndim(); ++i) {
    shape.push_back(static_cast<int64_t>(array.shape(i)));
    strides.push_back(array.stride(i) * step);
  }
  given.rank = shape.size();
  given.shape = shape.data();
  given.strides = strides.data();
  given.data = array.data();
  given.size = static_cast<size_t>(step);  // of a tensor of rank 0
  return Borrow(given, is_read_only, std::move(array));  // owns the tensor
}

// Reports whether NumPy can make an array of the object without guessing.
bool IsArrayLike(nb::handle object) {
  return PyObject_CheckBuffer(object.ptr()) != 0 ||
         nb::hasattr(object, "__array_interface__") ||
         nb::hasattr(object, "__array_struct__") ||
         nb::hasattr(object, "__array__");
}

}  // namespace

std::string TypeText(nb::handle object) {
  return nb::cast<std::string>(nb::str(object.type().attr("__name__")));
}

bool IsArray(nb::handle object) {
  return IsNumpyArray(object.ptr()) || nb::hasattr(object, "__dlpack__") ||
         IsArrayLike(object);
}

Value ArrayFromPython(nb::handle object) {
  if (IsNumpyArray(object.ptr())) return FromNumpy(object);
  if (nb::hasattr(object, "__dlpack__")) {
    try {
      return FromDlpack(object);
    } catch (...) {
      // JAX does not export elements of 4 or 2 bits, or not as DLPack has them.
      if (!HasNarrowElements(object)) throw;
    }
  }
  if (!IsArrayLike(object)) {
    RaiseArgument("An object of type " + TypeText(object) +
                  " cannot be an argument.");
  }
  return FromNumpy(CallNumpy("asarray", object));
}

const Value* ResultValue(nb::handle object) {
  if (!IsNumpyArray(object.ptr())) return nullptr;
  const nb::object base = object.attr("base");
  const Value* const value = DeviceArrayValue(base);
  if (value == nullptr) return nullptr;
  eyrie_array_t array = internal::NewArray();
  eyrie_array_t own = internal::NewArray();
  bool is_read_only = false;
  if (!Describe(object.ptr(), array, is_read_only) || is_read_only) {
    return nullptr;
  }
  if (eyrie_error_t* error = eyrie_value_get_array(value->get(), &own)) {
    eyrie_error_free(error);
    return nullptr;
  }
  const bool is_whole =
      array.data == own.data && array.rank == own.rank &&
      (array.dtype & 0xFF) == (own.dtype & 0xFF) &&
      std::equal(own.shape, own.shape + own.rank, array.shape) &&
      std::equal(own.strides, own.strides + own.rank, array.strides);
  return is_whole && FindDtype(own.dtype) == FindDtype(array.dtype) ? value
                                                                    : nullptr;
}

}  // namespace eyrie::python
