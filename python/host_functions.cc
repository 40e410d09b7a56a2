// Calls Python from modules.
//
// Tested by imports_test.py.
#include "host_functions.h"

#include <nanobind/stl/string.h>

#include <span>
#include <utility>

#include "call_scope.h"
#include "errors.h"
#include "gil.h"
#include "guard.h"
#include "values.h"

namespace nb = nanobind;

namespace eyrie::python {
namespace {

// A callable, which threads without the GIL may release.
using Callable = std::shared_ptr<PyObject>;

Callable Keep(nb::object function) {
  return Callable(function.release().ptr(), [](PyObject* object) {
    if (const WithGil acquire; acquire) Py_DECREF(object);
  });
}

std::vector<Value> Call(PyObject* function, std::span<const Value> arguments) {
  nb::list row;
  for (const Value& argument : arguments) {
    row.append(ToPython(Value(static_cast<const ValueView&>(argument)), {}));
  }
  const nb::object returned =
      nb::steal(PyObject_CallObject(function, nb::tuple(row).ptr()));
  if (!returned.is_valid()) throw nb::python_error();
  std::vector<Value> results;
  if (returned.is_none()) return results;
  if (!PyTuple_Check(returned.ptr())) {
    results.push_back(FromPython(returned));
    return results;
  }
  for (const nb::handle item : nb::borrow<nb::tuple>(returned)) {
    results.push_back(FromPython(item));
  }
  return results;
}

// Returns an error for the Python error that is set. The call of the model
// raises the exception itself.
Error KeepException() {
  nb::python_error error;
  Error kept(EYRIE_UNKNOWN, error.what());
  if (CallScope* const scope = CallScope::current()) {
    error.restore();
    scope->Keep();
  }
  return kept;
}

}  // namespace

std::shared_ptr<const Linker> NewLinker(const std::vector<Import>& imports) {
  if (imports.empty()) return nullptr;
  auto linker = std::make_shared<Linker>();
  for (const Import& import : imports) {
    Callable function = Keep(import.function);
    Unwrap(linker->DefineAny(
        import.name, import.signature,
        [function](HostCall&, std::span<const Value> arguments)
            -> Result<std::vector<Value>> {
          const WithGil acquire;
          if (!acquire) {
            return Error(EYRIE_CANCELLED, "The Python interpreter exits.");
          }
          try {
            return Call(function.get(), arguments);
          } catch (...) {
            SetPythonError();
            return KeepException();
          }
        }));
  }
  return linker;
}

}  // namespace eyrie::python
