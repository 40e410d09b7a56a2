// Raises the exceptions of eyrie/_errors.py.
#ifndef EYRIE_PYTHON_ERRORS_H_
#define EYRIE_PYTHON_ERRORS_H_

#include <nanobind/nanobind.h>

#include <string>
#include <utility>

#include "eyrie/result.h"

namespace eyrie::python {

// Sets `function(code, message)`, which returns the exception for an error.
// Must be called with the GIL.
void SetErrorFunction(nanobind::object function);

// Raises the exception for an error. Must be called with the GIL.
[[noreturn]] void Raise(const Error& error);
// Raises the exception for an argument that cannot be converted.
[[noreturn]] void RaiseArgument(const std::string& message);

template <typename T>
T Unwrap(Result<T> result) {
  if (!result) Raise(result.error());
  return std::move(*result);
}
inline void Unwrap(Result<void> result) {
  if (!result) Raise(result.error());
}

}  // namespace eyrie::python

#endif  // EYRIE_PYTHON_ERRORS_H_
