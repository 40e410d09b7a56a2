// Conversions between Python objects and values of calls.
#ifndef EYRIE_PYTHON_VALUES_H_
#define EYRIE_PYTHON_VALUES_H_

#include <nanobind/nanobind.h>

#include "eyrie/c.h"
#include "eyrie/value.h"

namespace eyrie::python {

// The result of eyrie.lend(x): calls may use its arrays in place and change
// them.
struct Lent {
  nanobind::object object;
};

// The result of eyrie.donate(x): the call that takes it owns the DeviceArray's
// memory, and may change it.
struct Donated {
  nanobind::object object;
};

// An object of a module, which can only be passed on.
struct Reference {
  Value value;
};

// Converts None, bools, numbers, str, bytes, lists, tuples, ranges, mappings,
// data classes, arrays, Lent, Donated and Reference. Arrays are DeviceArrays,
// NumPy's arrays and scalars, or objects with __dlpack__, the buffer protocol,
// __array_interface__, __array_struct__ or __array__. They are not copied if
// possible; their values keep the objects alive. `kind` is the kind of the
// parameter. Throws TypeError, ValueError, OverflowError, MemoryError or
// whatever the object's own methods raise.
Value FromPython(nanobind::handle object, eyrie_kind_t kind = EYRIE_KIND_ANY);

// Sets a value to a NumPy array, a bool, an int of 64 bits or a float. If an
// earlier call has set the value to the same kind, and to an array of the same
// rank, this does not allocate. The object must exist as long as the value is
// used. Returns false, and leaves the value, if the object needs FromPython.
// Throws eyrie.Error if an array cannot be used.
bool SetFromPython(nanobind::handle object, Value& value);

// How results become Python objects.
struct ResultChoice {
  bool text = false;       // bytes become str
  bool on_device = false;  // arrays become DeviceArray instead of numpy.ndarray
};

// Converts a value. Arrays use the value's memory. Throws ImportError if an
// element type needs ml_dtypes and that is not installed.
nanobind::object ToPython(Value value, ResultChoice choice);

}  // namespace eyrie::python

#endif  // EYRIE_PYTHON_VALUES_H_
