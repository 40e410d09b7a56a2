// Conversions between Python objects and values of calls.
#ifndef EYRIE_PYTHON_VALUES_H_
#define EYRIE_PYTHON_VALUES_H_

#include <nanobind/nanobind.h>

#include "eyrie/result.h"
#include "eyrie/value.h"

namespace eyrie::python {

// The result of eyrie.lend(x): calls may use its arrays in place and change
// them.
struct Lent {
  nanobind::object object;
};

// An object of a module, which can only be passed on.
struct Reference {
  Value value;
};

// Converts None, bools, numbers, str, bytes, lists, tuples, dicts, NumPy arrays
// and numbers, objects with __dlpack__, Lent and Reference. Arrays are not
// copied; their values keep the objects alive. Throws TypeError, ValueError or
// OverflowError.
Value FromPython(nanobind::handle object);

// Converts a value. Arrays become NumPy arrays that use the value's memory. If
// `text`, bytes become str. Throws ImportError if an element type needs
// ml_dtypes and that is not installed.
nanobind::object ToPython(Value value, bool text);

// Raises eyrie.Error.
[[noreturn]] void Raise(const Error& error);

template <typename T>
T Unwrap(Result<T> result) {
  if (!result) Raise(result.error());
  return std::move(*result);
}
inline void Unwrap(Result<void> result) {
  if (!result) Raise(result.error());
}

}  // namespace eyrie::python

#endif  // EYRIE_PYTHON_VALUES_H_
