// The class eyrie._core.Function, which eyrie.Function extends.
#ifndef EYRIE_PYTHON_FUNCTION_H_
#define EYRIE_PYTHON_FUNCTION_H_

#include <nanobind/nanobind.h>

namespace eyrie::python {

// Adds the class to the module. Must be called at import.
void AddFunction(nanobind::module_& m);

}  // namespace eyrie::python

#endif  // EYRIE_PYTHON_FUNCTION_H_
