// Converts arrays of other packages to values, without copying their elements.
#ifndef EYRIE_PYTHON_ARRAY_FROM_PYTHON_H_
#define EYRIE_PYTHON_ARRAY_FROM_PYTHON_H_

#include <nanobind/nanobind.h>

#include <string>

#include "eyrie/value.h"

namespace eyrie::python {

// Returns a value over the elements of a numpy.ndarray, or of an object with
// __dlpack__, the buffer protocol, __array_interface__ or __array__. It keeps
// the object alive. Elements in another byte order are copied. Throws the error
// of a TypeError if the object is not an array of a supported type.
Value ArrayFromPython(nanobind::handle object);

// Reports whether ArrayFromPython can read an object.
bool IsArray(nanobind::handle object);

// If an object is a NumPy array that covers a call's result, returns the value
// of the result, else null. The value is valid as long as the object.
const Value* ResultValue(nanobind::handle object);

// Returns the name of an object's type, such as "list".
std::string TypeText(nanobind::handle object);

}  // namespace eyrie::python

#endif  // EYRIE_PYTHON_ARRAY_FROM_PYTHON_H_
