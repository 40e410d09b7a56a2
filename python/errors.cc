// Asks Python for the exception of an error.
//
// Tested by eyrie_test.py.
#include "errors.h"

#include <cstddef>
#include <iterator>

namespace nb = nanobind;

namespace eyrie::python {
namespace {

PyObject* error_function = nullptr;  // may be null

// Indexed by eyrie_code_t.
constexpr const char* kCodes[] = {
    "OK",
    "CANCELLED",
    "UNKNOWN",
    "INVALID_ARGUMENT",
    "DEADLINE_EXCEEDED",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "PERMISSION_DENIED",
    "RESOURCE_EXHAUSTED",
    "FAILED_PRECONDITION",
    "ABORTED",
    "OUT_OF_RANGE",
    "UNIMPLEMENTED",
    "INTERNAL",
    "UNAVAILABLE",
    "DATA_LOSS",
    "UNAUTHENTICATED",
};

}  // namespace

void SetErrorFunction(nb::object function) {
  nb::steal(std::exchange(error_function, function.release().ptr()));
}

void Raise(const Error& error) {
  if (error_function == nullptr) {
    throw nb::type_error(error.message().c_str());
  }
  const size_t code = error.code();
  const nb::object text = nb::steal(PyUnicode_DecodeUTF8(
      error.message().data(), static_cast<Py_ssize_t>(error.message().size()),
      "backslashreplace"));
  const nb::object exception = nb::steal(PyObject_CallFunction(
      error_function, "sO", code < std::size(kCodes) ? kCodes[code] : "UNKNOWN",
      text.ptr()));
  if (exception.is_valid()) {
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception.ptr())),
                    exception.ptr());
  }
  throw nb::python_error();
}

void RaiseArgument(const std::string& message) {
  Raise(Error(EYRIE_INVALID_ARGUMENT, message));
}

}  // namespace eyrie::python
