// Python's objects as values of calls, and back.
#ifndef EYRIE_PYTHON_VALUES_H_
#define EYRIE_PYTHON_VALUES_H_

#include <nanobind/nanobind.h>

#include "eyrie/result.h"
#include "eyrie/value.h"

namespace eyrie::python {

// What eyrie.lend(x) gives: its arrays may be used in place, and changed.
struct Lent {
  nanobind::object object;
};

// An object of a module's, which can only be passed on.
struct Reference {
  Value value;
};

// None, bools, numbers, str, bytes, lists, tuples, dicts, NumPy's arrays and
// numbers, whatever has __dlpack__, Lent and Reference. Arrays keep the object
// alive and are not copied here. Throws TypeError, ValueError, OverflowError.
Value FromPython(nanobind::handle object);

// Arrays become NumPy's, over the value's memory. `text`: bytes become str.
// Throws ImportError: an element type of ml_dtypes, which is not installed.
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
