// Passes log messages from the library's threads to Python.
//
// Tested by ended_calls_test.py.
#include "log.h"

#include <string_view>
#include <utility>

#include "call_scope.h"
#include "gil.h"

namespace nb = nanobind;

namespace eyrie::python {
namespace {

PyObject* log_function = nullptr;  // may be null; needs the GIL

void TakeLine(Severity severity, std::string_view line) {
  const WithGil acquire;
  if (!acquire || log_function == nullptr) return;
  const nb::object function = nb::borrow(log_function);
  const nb::object text = nb::steal(PyUnicode_DecodeUTF8(
      line.data(), static_cast<Py_ssize_t>(line.size()), "replace"));
  const nb::object done = nb::steal(PyObject_CallFunction(
      function.ptr(), "iO", static_cast<int>(severity), text.ptr()));
  if (done.is_valid()) return;
  if (CallScope* const scope = CallScope::current()) {
    scope->Fail();
  } else {
    PyErr_WriteUnraisable(function.ptr());
  }
}

}  // namespace

void SetLogFunction(nb::object function) {
  nb::steal(std::exchange(log_function, function.release().ptr()));
}

Log LogToPython() { return TakeLine; }

}  // namespace eyrie::python
