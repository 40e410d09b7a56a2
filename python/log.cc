// Lines of the log, from the library's threads to Python.
//
// Tested by ended_calls_test.py.
#include "log.h"

#include <atomic>
#include <string_view>
#include <utility>

#include "call_scope.h"

namespace nb = nanobind;

namespace eyrie::python {
namespace {

// Null: nobody listens, as when the interpreter is about to end.
std::atomic<PyObject*> log_function = nullptr;

void TakeLine(Severity severity, std::string_view line) {
  if (log_function.load() == nullptr) return;
  const nb::gil_scoped_acquire acquire;
  const nb::object function = nb::borrow(log_function.load());
  if (!function.is_valid()) return;
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
  PyObject* const now = function.is_none() ? nullptr : function.release().ptr();
  nb::steal(log_function.exchange(now));
}

Log LogToPython() { return TakeLine; }

}  // namespace eyrie::python
