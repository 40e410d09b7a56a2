// What the library says, for Python's `logging`.
#ifndef EYRIE_PYTHON_LOG_H_
#define EYRIE_PYTHON_LOG_H_

#include <nanobind/nanobind.h>

#include "eyrie/runtime.h"

namespace eyrie::python {

// Has `function(severity, line)` take every line from here on. With the GIL.
void SetLogFunction(nanobind::object function);

// Hands lines to that function, on any thread: it takes the GIL, so that what
// may log is called without it. An exception of the function's ends the call
// that it interrupts; where there is none, sys.unraisablehook has it.
Log LogToPython();

}  // namespace eyrie::python

#endif  // EYRIE_PYTHON_LOG_H_
