// Functions in Python that modules import.
#ifndef EYRIE_PYTHON_HOST_FUNCTIONS_H_
#define EYRIE_PYTHON_HOST_FUNCTIONS_H_

#include <nanobind/nanobind.h>

#include <memory>
#include <string>
#include <vector>

#include "eyrie/linker.h"

namespace eyrie::python {

// A function of the host: "module.function", its signature and the callable.
struct Import {
  std::string name;
  std::string signature;
  nanobind::object function;
};

// Returns a linker with the functions, or null if there are none. An exception
// of a function ends the module's call with itself. Must be called with the
// GIL. Throws INVALID_ARGUMENT for a malformed name or signature.
std::shared_ptr<const Linker> NewLinker(const std::vector<Import>& imports);

}  // namespace eyrie::python

#endif  // EYRIE_PYTHON_HOST_FUNCTIONS_H_
