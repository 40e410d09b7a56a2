// NumPy's arrays through its C API, and the element types that both sides have.
//
// NumPy is imported when it is first needed. All functions need the GIL.
// Tested by arrays_test.py.
#ifndef EYRIE_PYTHON_NUMPY_ARRAY_H_
#define EYRIE_PYTHON_NUMPY_ARRAY_H_

#include <nanobind/nanobind.h>

#include <cstdint>
#include <string>

#include "eyrie/c.h"

namespace eyrie::python {

// An element type in NumPy and in DLPack. An extension is defined by ml_dtypes,
// not by NumPy.
struct DtypeRow {
  const char* name;
  eyrie_dtype_t dtype;
  uint8_t code;  // DLDataTypeCode
  bool is_extension = false;
};

// Returns the row of an element type, or null. Integers without a sign count as
// signed.
const DtypeRow* FindDtype(eyrie_dtype_t dtype);
// Returns the element type of a DLDataType with one lane, or EYRIE_DTYPE_NONE.
eyrie_dtype_t FindDtype(uint8_t code, uint8_t bits);

// Report whether an object is a numpy.ndarray, or a numpy.generic, which is a
// scalar of NumPy.
bool IsNumpyArray(PyObject* object);
bool IsNumpyScalar(PyObject* object);

// Returns the rank of a numpy.ndarray.
size_t RankOf(PyObject* array);

// Reports whether a numpy.ndarray is a masked array with masked elements.
bool IsMasked(PyObject* array);

// Describes a numpy.ndarray. The pointers are valid as long as the array.
// Returns false if its dtype is not an element type in native byte order, or if
// IsMasked.
bool Describe(PyObject* array, eyrie_array_t& description, bool& is_read_only);

// Returns "big-endian float32", for messages.
std::string DtypeText(PyObject* array);

// Returns a new numpy.ndarray over the elements, whose `base` is `owner`.
// Throws TypeError if NumPy has no such element type, or ImportError if it
// needs ml_dtypes.
nanobind::object NewNumpyArray(const eyrie_array_t& array,
                               nanobind::object owner);

// Returns a new reference to the numpy.dtype of an element type. Throws as
// NewNumpyArray does.
nanobind::object NumpyDtype(eyrie_dtype_t dtype);

// Calls numpy.NAME(argument).
nanobind::object CallNumpy(const char* name, nanobind::handle argument);

}  // namespace eyrie::python

#endif  // EYRIE_PYTHON_NUMPY_ARRAY_H_
