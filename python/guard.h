// Converts C++ exceptions to Python errors, for functions that Python calls
// directly and not through nanobind.
#ifndef EYRIE_PYTHON_GUARD_H_
#define EYRIE_PYTHON_GUARD_H_

#include <nanobind/nanobind.h>

#include <exception>
#include <new>

namespace eyrie::python {

// Sets the Python error for the exception that is being handled.
inline void SetPythonError() {
  try {
    throw;
  } catch (nanobind::python_error& error) {
    error.restore();
  } catch (const nanobind::builtin_exception& error) {
    PyObject* type = PyExc_RuntimeError;
    if (error.type() == nanobind::exception_type::type_error) {
      type = PyExc_TypeError;
    } else if (error.type() == nanobind::exception_type::value_error) {
      type = PyExc_ValueError;
    } else if (error.type() == nanobind::exception_type::import_error) {
      type = PyExc_ImportError;
    } else if (error.type() == nanobind::exception_type::buffer_error) {
      type = PyExc_BufferError;
    }
    PyErr_SetString(type, error.what());
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
}

// Returns a new reference to the object that `run` returns, or null with the
// Python error.
template <typename F>
PyObject* Guard(F run) {
  try {
    return nanobind::object(run()).release().ptr();
  } catch (...) {
    SetPythonError();
    return nullptr;
  }
}

}  // namespace eyrie::python

#endif  // EYRIE_PYTHON_GUARD_H_
