// Native libraries, and handlers that Python objects hold, as Python has them.
//
// Tested by custom_calls_test.py.
#ifndef EYRIE_PYTHON_NATIVE_LIBRARIES_H_
#define EYRIE_PYTHON_NATIVE_LIBRARIES_H_

#include <nanobind/nanobind.h>

#include <memory>
#include <vector>

#include "eyrie/native_library.h"

namespace eyrie::python {

// A library that is open, as Python holds it.
struct OpenLibrary {
  std::shared_ptr<const NativeLibrary> library;
};

using Libraries = std::vector<std::shared_ptr<const NativeLibrary>>;

// Adds the classes and functions to the extension module.
void AddNativeLibraries(nanobind::module_& m);

}  // namespace eyrie::python

#endif  // EYRIE_PYTHON_NATIVE_LIBRARIES_H_
