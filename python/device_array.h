// eyrie.DeviceArray: an array in the memory of a device, as calls return it.
//
// The NumPy arrays that calls return have a DeviceArray as their `base`.
// Tested by device_array_test.py.
#ifndef EYRIE_PYTHON_DEVICE_ARRAY_H_
#define EYRIE_PYTHON_DEVICE_ARRAY_H_

#include <nanobind/nanobind.h>

#include "eyrie/value.h"

namespace eyrie::python {

// Adds the class to the module. Must be called at import.
void AddDeviceArray(nanobind::module_& m);

// Returns a new DeviceArray of a value of EYRIE_KIND_ARRAY.
nanobind::object NewDeviceArray(Value value);

// Returns a DeviceArray's value, or null if the object is something else. The
// value is valid as long as the object. Throws eyrie.Error if the object was
// given away.
const Value* DeviceArrayValue(nanobind::handle object);

// Reports whether NumPy arrays or DLPack tensors use a DeviceArray's memory.
bool IsShared(nanobind::handle object);

// Returns a DeviceArray's value, which the object loses. Throws eyrie.Error if
// the object is something else, was given away before, or is shared.
Value GiveAway(nanobind::handle object);

// Returns a numpy.ndarray over the array's memory, which keeps the DeviceArray.
nanobind::object DeviceArrayToNumpy(nanobind::object array);

}  // namespace eyrie::python

#endif  // EYRIE_PYTHON_DEVICE_ARRAY_H_
