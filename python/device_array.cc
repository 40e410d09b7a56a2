// The class DeviceArray. Every result is one, so it is a plain type of Python's
// C API: creating an object takes some 50 ns.
#include "device_array.h"

#include <nanobind/stl/string.h>

#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "array_from_python.h"
#include "errors.h"
#include "guard.h"
#include "numpy_array.h"

namespace nb = nanobind;

namespace eyrie::python {
namespace {

struct DeviceArray {
  PyObject_HEAD Value value;
  std::shared_ptr<char> sharing;  // with the bases of views and DLPack tensors
  bool is_base;                   // of a NumPy array
  bool is_given;                  // to a call, which took the value
};

PyTypeObject* type = nullptr;

DeviceArray& Of(PyObject* self) {
  return *reinterpret_cast<DeviceArray*>(self);
}

const Value& ValueOf(PyObject* self) {
  if (Of(self).is_given) {
    RaiseArgument("The DeviceArray was given away to a call (eyrie.donate).");
  }
  return Of(self).value;
}

// Returns an object that all who use the array's memory share.
std::shared_ptr<char> SharingOf(PyObject* self) {
  std::shared_ptr<char>& sharing = Of(self).sharing;
  if (sharing == nullptr) sharing = std::make_shared<char>();
  return sharing;
}

ArrayView ViewOf(PyObject* self) { return Unwrap(ValueOf(self).array()); }

eyrie_array_t ArrayOf(PyObject* self) {
  eyrie_array_t array = internal::NewArray();
  if (eyrie_error_t* error =
          eyrie_value_get_array(ValueOf(self).get(), &array)) {
    Raise(Error(error));
  }
  return array;
}

void Destroy(PyObject* self) {
  PyTypeObject* const own = Py_TYPE(self);
  Of(self).value.~Value();
  Of(self).sharing.~shared_ptr();
  reinterpret_cast<freefunc>(PyType_GetSlot(own, Py_tp_free))(self);
  Py_DECREF(own);
}

// DLPack's structs, of its versions 0 and 1.
struct Tensor {
  void* data;
  int32_t device_type;
  int32_t device_id;
  int32_t rank;
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
  int64_t* shape;
  int64_t* strides;
  uint64_t byte_offset;
};
struct OldTensor {
  Tensor tensor;
  void* owner;
  void (*free)(OldTensor*);
};
struct VersionedTensor {
  uint32_t major;
  uint32_t minor;
  void* owner;
  void (*free)(VersionedTensor*);
  uint64_t flags;
  Tensor tensor;
};
constexpr int32_t kCpu = 1;
constexpr uint64_t kIsCopied = 2;

// A tensor with what it refers to.
template <typename Managed>
struct Export {
  Managed managed = {};
  Value value;
  std::shared_ptr<char> sharing;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;  // in elements
};

template <typename Managed>
nb::object NewCapsule(const Value& value, std::shared_ptr<char> sharing,
                      const char* name, bool is_copy) {
  auto made = std::make_unique<Export<Managed>>();
  made->value = value;
  made->sharing = std::move(sharing);
  const ArrayView view = Unwrap(value.array());
  const DtypeRow* const row = FindDtype(view.dtype());
  if (row == nullptr) {
    throw nb::buffer_error("DLPack does not have the array's element type.");
  }
  if ((view.dtype() & 0xFF) < 8) {
    throw nb::buffer_error(
        (std::string("The array's elements, ") + row->name +
         ", are less than a byte, which no package reads by DLPack; numpy() "
         "returns them as an array of ml_dtypes.")
            .c_str());
  }
  made->shape.assign(view.shape().begin(), view.shape().end());
  for (const int64_t step : view.strides()) {
    made->strides.push_back(step * 8 / (view.dtype() & 0xFF));
  }
  Managed& managed = made->managed;
  managed.tensor = {const_cast<void*>(view.data()),
                    kCpu,
                    0,
                    static_cast<int32_t>(made->shape.size()),
                    row->code,
                    static_cast<uint8_t>(view.dtype() & 0xFF),
                    1,
                    made->shape.data(),
                    made->strides.data(),
                    0};
  if constexpr (std::is_same_v<Managed, VersionedTensor>) {
    managed.major = 1;
    managed.flags = is_copy ? kIsCopied : 0;
  }
  managed.owner = made.get();
  managed.free = [](Managed* self) {
    delete static_cast<Export<Managed>*>(self->owner);
  };
  PyObject* const capsule = PyCapsule_New(&managed, name, [](PyObject* unused) {
    // The consumer renames the capsule if it takes the tensor.
    for (const char* own : {"dltensor", "dltensor_versioned"}) {
      if (!PyCapsule_IsValid(unused, own)) continue;
      auto* const tensor =
          static_cast<Managed*>(PyCapsule_GetPointer(unused, own));
      tensor->free(tensor);
    }
  });
  if (capsule == nullptr) throw nb::python_error();
  made.release();
  return nb::steal(capsule);
}

Value CopyOf(PyObject* self) {
  const ArrayView view = ViewOf(self);
  return Unwrap(Value::Array(view.dtype(), view.shape(), view.bytes()));
}

// __dlpack__(*, stream=None, max_version=None, dl_device=None, copy=None)
PyObject* Dlpack(PyObject* self, PyObject* args, PyObject* keywords) {
  static const char* const kNames[] = {"stream", "max_version", "dl_device",
                                       "copy", nullptr};
  PyObject* stream = Py_None;
  PyObject* version = Py_None;
  PyObject* device = Py_None;
  PyObject* copy = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "|$OOOO:__dlpack__",
                                   const_cast<char**>(kNames), &stream,
                                   &version, &device, &copy)) {
    return nullptr;
  }
  return Guard([&] {
    if (stream != Py_None) {
      throw nb::buffer_error(
          "The array is in host memory, which has no stream.");
    }
    if (device != Py_None && nb::cast<int>(nb::handle(device)[0]) != kCpu) {
      throw nb::buffer_error("The array is in host memory (DLPack device 1).");
    }
    const bool copies = copy == Py_True;
    const Value value = copies ? CopyOf(self) : ValueOf(self);
    auto sharing = copies ? nullptr : SharingOf(self);
    if (version != Py_None && nb::cast<int>(nb::handle(version)[0]) >= 1) {
      return NewCapsule<VersionedTensor>(value, std::move(sharing),
                                         "dltensor_versioned", copies);
    }
    return NewCapsule<OldTensor>(value, std::move(sharing), "dltensor", copies);
  });
}

PyObject* DlpackDevice(PyObject*, PyObject*) {
  return Py_BuildValue("(ii)", kCpu, 0);
}

// Returns a view whose base is another DeviceArray of the same memory, so that
// the end of the view is seen.
nb::object ViewAsNumpy(PyObject* self) {
  nb::object base = NewDeviceArray(ValueOf(self));
  Of(base.ptr()).sharing = SharingOf(self);
  return DeviceArrayToNumpy(std::move(base));
}

PyObject* Numpy(PyObject* self, PyObject*) {
  return Guard([&] { return ViewAsNumpy(self); });
}

// __array__(dtype=None, copy=None)
PyObject* AsArray(PyObject* self, PyObject* args, PyObject* keywords) {
  static const char* const kNames[] = {"dtype", "copy", nullptr};
  PyObject* dtype = Py_None;
  PyObject* copy = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "|OO:__array__",
                                   const_cast<char**>(kNames), &dtype, &copy)) {
    return nullptr;
  }
  return Guard([&]() -> nb::object {
    nb::object array = ViewAsNumpy(self);
    if (dtype != Py_None) {
      const bool differs = !array.attr("dtype").equal(
          nb::module_::import_("numpy").attr("dtype")(nb::handle(dtype)));
      if (differs && copy == Py_False) {
        throw nb::value_error("The array cannot be converted without a copy.");
      }
      array = array.attr("astype")(nb::handle(dtype),
                                   nb::arg("copy") = copy == Py_True);
    } else if (copy == Py_True) {
      array = array.attr("copy")();
    }
    return array;
  });
}

PyObject* Copy(PyObject* self, PyObject*) {
  return Guard([&] { return NewDeviceArray(CopyOf(self)); });
}

nb::tuple ShapeOf(PyObject* self) {
  nb::list shape;
  for (const int64_t dimension : ViewOf(self).shape()) shape.append(dimension);
  return nb::tuple(shape);
}

PyObject* Shape(PyObject* self, void*) {
  return Guard([&] { return ShapeOf(self); });
}

PyObject* Dtype(PyObject* self, void*) {
  return Guard([&] { return NumpyDtype(ViewOf(self).dtype()); });
}

PyObject* Rank(PyObject* self, void*) {
  return Guard([&] { return nb::int_(ArrayOf(self).rank); });
}

PyObject* Bytes(PyObject* self, void*) {
  return Guard([&] { return nb::int_(ArrayOf(self).size); });
}

Py_ssize_t Length(PyObject* self) {
  try {
    const ArrayView view = ViewOf(self);
    if (!view.shape().empty()) return view.shape()[0];
    throw nb::type_error("An array of rank 0 has no length.");
  } catch (...) {
    SetPythonError();
    return -1;
  }
}

PyObject* Repr(PyObject* self) {
  return Guard([&] {
    if (Of(self).is_given) {
      return nb::str("<eyrie.DeviceArray that was given away>");
    }
    const DtypeRow* const row = FindDtype(ViewOf(self).dtype());
    const std::string shape = nb::cast<std::string>(nb::str(ShapeOf(self)));
    return nb::str(("<eyrie.DeviceArray of shape " + shape + " and dtype " +
                    (row ? row->name : "unknown") + ">")
                       .c_str());
  });
}

PyObject* Reduce(PyObject* self, PyObject*) {
  return Guard([&] {
    return nb::make_tuple(
        nb::module_::import_("eyrie._model").attr("to_device_array"),
        nb::make_tuple(ViewAsNumpy(self)));
  });
}

PyCFunction WithKeywords(PyCFunctionWithKeywords function) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

PyMethodDef methods[] = {
    {"numpy", Numpy, METH_NOARGS,
     "Returns a numpy.ndarray over the array's memory, without a copy."},
    {"copy", Copy, METH_NOARGS, "Returns a copy that shares no memory."},
    {"__array__", WithKeywords(AsArray), METH_VARARGS | METH_KEYWORDS, ""},
    {"__dlpack__", WithKeywords(Dlpack), METH_VARARGS | METH_KEYWORDS, ""},
    {"__dlpack_device__", DlpackDevice, METH_NOARGS, ""},
    {"__reduce__", Reduce, METH_NOARGS, ""},
    {nullptr, nullptr, 0, nullptr},
};

PyGetSetDef properties[] = {
    {"shape", Shape, nullptr, "The dimensions, as a tuple.", nullptr},
    {"dtype", Dtype, nullptr, "The numpy.dtype of the elements.", nullptr},
    {"ndim", Rank, nullptr, "The number of dimensions.", nullptr},
    {"nbytes", Bytes, nullptr, "The size of the elements in bytes.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

constexpr char kDoc[] =
    "An array in a device's memory, as a call returns it.\n\n"
    "A call that takes it uses its memory in place and may change it. NumPy, "
    "torch and\njax read it through numpy() and DLPack, without a copy.";

PyType_Slot slots[] = {
    {Py_tp_doc, const_cast<char*>(kDoc)},
    {Py_tp_dealloc, reinterpret_cast<void*>(Destroy)},
    {Py_tp_repr, reinterpret_cast<void*>(Repr)},
    {Py_tp_methods, methods},
    {Py_tp_getset, properties},
    {Py_sq_length, reinterpret_cast<void*>(Length)},
    {0, nullptr},
};

#ifdef Py_TPFLAGS_DISALLOW_INSTANTIATION
constexpr unsigned kFlags =
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION;
#else
constexpr unsigned kFlags = Py_TPFLAGS_DEFAULT;
#endif

PyType_Spec spec = {"eyrie.DeviceArray", sizeof(DeviceArray), 0, kFlags, slots};

}  // namespace

void AddDeviceArray(nb::module_& m) {
  const nb::object made = nb::steal(PyType_FromSpec(&spec));
  if (!made.is_valid()) throw nb::python_error();
  type = reinterpret_cast<PyTypeObject*>(made.ptr());
  m.attr("DeviceArray") = made;
}

nb::object NewDeviceArray(Value value) {
  static const auto allocate =
      reinterpret_cast<allocfunc>(PyType_GetSlot(type, Py_tp_alloc));
  PyObject* const made = allocate(type, 0);
  if (made == nullptr) throw nb::python_error();
  new (&Of(made).value) Value(std::move(value));
  new (&Of(made).sharing) std::shared_ptr<char>();
  Of(made).is_base = Of(made).is_given = false;
  return nb::steal(made);
}

const Value* DeviceArrayValue(nb::handle object) {
  if (Py_TYPE(object.ptr()) != type) return nullptr;
  return &ValueOf(object.ptr());
}

bool IsShared(nb::handle object) {
  if (Py_TYPE(object.ptr()) != type) return false;
  const DeviceArray& array = Of(object.ptr());
  return array.is_base || array.sharing.use_count() > 1;
}

Value GiveAway(nb::handle object) {
  if (DeviceArrayValue(object) == nullptr) {
    RaiseArgument("Only an eyrie.DeviceArray can be given away; this is " +
                  TypeText(object) + ".");
  }
  DeviceArray& array = Of(object.ptr());
  if (IsShared(object)) {
    RaiseArgument(
        "NumPy arrays or DLPack tensors share the memory of the DeviceArray, "
        "so it cannot be given away; lend it (eyrie.lend).");
  }
  array.is_given = true;
  return std::move(array.value);
}

nb::object DeviceArrayToNumpy(nb::object array) {
  const eyrie_array_t description = ArrayOf(array.ptr());
  Of(array.ptr()).is_base = true;
  return NewNumpyArray(description, std::move(array));
}

}  // namespace eyrie::python
