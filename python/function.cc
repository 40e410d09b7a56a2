// A function of a model, which Python calls by its vectorcall protocol, without
// a tuple and a dict of the arguments.
//
// A function keeps the loaded module (eyrie._model._Loaded), not the model, so
// that a model may keep its functions as attributes.
// Tested by eyrie_test.py.
#include "function.h"

#include <cstddef>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "core.h"
#include "guard.h"
#include "numpy_array.h"
#include "text.h"

#if PY_VERSION_HEX < 0x030C0000
#include <structmember.h>
#define Py_T_PYSSIZET T_PYSSIZET
#define Py_T_OBJECT_EX T_OBJECT_EX
#define Py_READONLY READONLY
#endif

namespace nb = nanobind;

namespace eyrie::python {
namespace {

struct Function {
  PyObject_HEAD vectorcallfunc call;
  PyObject* weak_references;
  PyObject* loaded;   // an eyrie._model._Loaded
  PyObject* name;     // a str
  PyObject* choices;  // a dict of the options of calls, or None
  // Set by Find. Valid if Core::epoch is still `epoch`.
  PyObject* core_object;
  Core* core;
  Bound* bound;
  uint64_t epoch;
  CallChoices call_choices;
};

Function& Of(PyObject* self) { return *reinterpret_cast<Function*>(self); }

bool Chosen(const nb::object& choices, const char* name, bool otherwise) {
  if (!PyDict_Check(choices.ptr())) return otherwise;
  PyObject* const found = PyDict_GetItemString(choices.ptr(), name);
  return found == nullptr || found == Py_None ? otherwise : found == Py_True;
}

// Finds the core and the function in it. Must be called before the first use,
// and again in a child of a fork, where the core is a new one.
void Find(Function& self) {
  nb::object object = nb::handle(self.loaded).attr("core")();
  Core& core = nb::cast<Core&>(object);
  Bound& bound = core.Bind(TextOf(nb::handle(self.name)));
  const nb::object choices = nb::borrow(self.choices);
  self.call_choices.allow_loss =
      Chosen(choices, "allow_loss", core.options().allow_loss);
  self.call_choices.results.text = Chosen(choices, "text", core.options().text);
  self.call_choices.results.on_device =
      Chosen(choices, "on_device", core.options().on_device);
  if (PyDict_Check(choices.ptr())) {
    const auto dict = nb::borrow<nb::dict>(choices);
    CallOptions& limits = self.call_choices.limits;
    if (dict.contains("fuel")) limits.fuel = nb::cast<uint64_t>(dict["fuel"]);
    if (dict.contains("timeout")) {
      limits.timeout = Timeout(nb::cast<double>(dict["timeout"]));
    }
  }
  nb::steal(std::exchange(self.core_object, object.release().ptr()));
  self.core = &core;
  self.bound = &bound;
  self.epoch = Core::epoch;
}

PyObject* VectorCall(PyObject* self, PyObject* const* values, size_t flags,
                     PyObject* names) {
  return Guard([&] {
    Function& function = Of(self);
    if (function.epoch != Core::epoch) [[unlikely]]
      Find(function);
    Ticket ticket;
    const Given given = {values, static_cast<size_t>(PyVectorcall_NARGS(flags)),
                         names};
    return function.core->Call(*function.bound, function.call_choices, ticket,
                               given);
  });
}

// call_with(ticket, args, kwargs)
PyObject* CallWith(PyObject* self, PyObject* arguments) {
  return Guard([&]() -> nb::object {
    Function& function = Of(self);
    if (function.epoch != Core::epoch) Find(function);
    PyObject* ticket = nullptr;
    PyObject* args = nullptr;
    PyObject* keywords = nullptr;
    if (!PyArg_ParseTuple(arguments, "OO!O!", &ticket, &PyTuple_Type, &args,
                          &PyDict_Type, &keywords)) {
      throw nb::python_error();
    }
    std::vector<PyObject*> values;
    for (const nb::handle item : nb::borrow<nb::tuple>(args)) {
      values.push_back(item.ptr());
    }
    nb::list names;
    for (const auto& [name, item] : nb::borrow<nb::dict>(keywords)) {
      names.append(name);
      values.push_back(item.ptr());
    }
    const nb::tuple row(names);
    const Given given = {values.data(), nb::len(args), row.ptr()};
    return function.core->Call(*function.bound, function.call_choices,
                               nb::cast<Ticket&>(nb::handle(ticket)), given);
  });
}

nb::tuple Row(const std::vector<Parameter>& parameters) {
  nb::list rows;
  for (const Parameter& row : parameters) {
    rows.append(nb::make_tuple(StrOf(row.name), StrOf(row.type), row.is_keyword,
                               row.is_storage));
  }
  return nb::tuple(rows);
}

// Returns (name, type, shape, dtype) of each one; None for what is not known.
nb::tuple TensorRow(const std::vector<Parameter>& parameters) {
  nb::list rows;
  for (const Parameter& row : parameters) {
    nb::object shape = nb::none();
    if (row.shape) {
      nb::list dims;
      for (const int64_t dim : *row.shape) {
        dims.append(dim < 0 ? nb::none() : nb::object(nb::int_(dim)));
      }
      shape = nb::tuple(dims);
    }
    nb::object dtype = nb::none();
    if (row.dtype != EYRIE_DTYPE_NONE) dtype = NumpyDtype(row.dtype);
    rows.append(nb::make_tuple(StrOf(row.name), StrOf(row.type), shape, dtype));
  }
  return nb::tuple(rows);
}

// Returns the rows of the arguments, without storage, and of the results.
PyObject* DescribeTensors(PyObject* self, PyObject*) {
  return Guard([&] {
    Function& function = Of(self);
    if (function.epoch != Core::epoch) Find(function);
    const Bound& bound = *function.bound;
    std::vector<Parameter> inputs;
    for (const Parameter& row : bound.arguments) {
      if (!row.is_storage) inputs.push_back(row);
    }
    return nb::make_tuple(TensorRow(inputs), TensorRow(bound.results));
  });
}

// Returns (text, source, documentation, arguments, results). An argument or
// result is (name, type, is_keyword, is_storage).
PyObject* Describe(PyObject* self, PyObject*) {
  return Guard([&] {
    Function& function = Of(self);
    if (function.epoch != Core::epoch) Find(function);
    const Bound& bound = *function.bound;
    return nb::make_tuple(StrOf(bound.text), StrOf(bound.source),
                          StrOf(bound.doc), Row(bound.arguments),
                          Row(bound.results));
  });
}

PyObject* Statistics(PyObject* self, PyObject*) {
  return Guard([&] {
    Function& function = Of(self);
    if (function.epoch != Core::epoch) Find(function);
    return function.core->Statistics(*function.bound);
  });
}

PyObject* New(PyTypeObject* type, PyObject* arguments, PyObject*) {
  PyObject* loaded = nullptr;
  PyObject* name = nullptr;
  PyObject* choices = Py_None;
  if (!PyArg_ParseTuple(arguments, "OU|O", &loaded, &name, &choices)) {
    return nullptr;
  }
  const auto allocate =
      reinterpret_cast<allocfunc>(PyType_GetSlot(type, Py_tp_alloc));
  PyObject* const self = allocate(type, 0);
  if (self == nullptr) return nullptr;
  Function& function = Of(self);
  function.call = VectorCall;
  Py_INCREF(loaded);
  Py_INCREF(name);
  Py_INCREF(choices);
  function.loaded = loaded;
  function.name = name;
  function.choices = choices;
  new (&function.call_choices) CallChoices();
  return self;
}

void Destroy(PyObject* self) {
  PyTypeObject* const type = Py_TYPE(self);
  Function& function = Of(self);
  if (function.weak_references != nullptr) PyObject_ClearWeakRefs(self);
  Py_XDECREF(function.core_object);
  Py_XDECREF(function.loaded);
  Py_XDECREF(function.name);
  Py_XDECREF(function.choices);
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

PyMethodDef methods[] = {
    {"_call_with", CallWith, METH_VARARGS, ""},
    {"_describe", Describe, METH_NOARGS, ""},
    {"_describe_tensors", DescribeTensors, METH_NOARGS, ""},
    {"_statistics", Statistics, METH_NOARGS, ""},
    {nullptr, nullptr, 0, nullptr},
};

PyMemberDef members[] = {
    {"__vectorcalloffset__", Py_T_PYSSIZET, offsetof(Function, call),
     Py_READONLY, nullptr},
    {"__weaklistoffset__", Py_T_PYSSIZET, offsetof(Function, weak_references),
     Py_READONLY, nullptr},
    {"_loaded", Py_T_OBJECT_EX, offsetof(Function, loaded), Py_READONLY,
     nullptr},
    {"__name__", Py_T_OBJECT_EX, offsetof(Function, name), Py_READONLY,
     nullptr},
    {"_choices", Py_T_OBJECT_EX, offsetof(Function, choices), Py_READONLY,
     nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

PyType_Slot slots[] = {
    {Py_tp_new, reinterpret_cast<void*>(New)},
    {Py_tp_dealloc, reinterpret_cast<void*>(Destroy)},
    {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
    {Py_tp_methods, methods},
    {Py_tp_members, members},
    {0, nullptr},
};

PyType_Spec spec = {
    "eyrie._core.Function", sizeof(Function), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_VECTORCALL,
    slots};

}  // namespace

void AddFunction(nb::module_& m) {
  const nb::object made = nb::steal(PyType_FromSpec(&spec));
  if (!made.is_valid()) throw nb::python_error();
  m.attr("Function") = made;
  // Before Python 3.12, classes in Python do not inherit the flag.
  m.def("inherit_vectorcall", [](nb::handle type) {
#ifndef Py_LIMITED_API
    reinterpret_cast<PyTypeObject*>(type.ptr())->tp_flags |=
        Py_TPFLAGS_HAVE_VECTORCALL;
#else
    static_cast<void>(type);
#endif
  });
}

}  // namespace eyrie::python
