// Passes log messages of the library to Python's `logging`.
#ifndef EYRIE_PYTHON_LOG_H_
#define EYRIE_PYTHON_LOG_H_

#include <nanobind/nanobind.h>

#include "eyrie/runtime.h"

namespace eyrie::python {

// Sets `function(severity, line)`, which receives all later messages. Must be
// called with the GIL.
void SetLogFunction(nanobind::object function);

// Returns a log that passes messages to that function, on any thread. It
// acquires the GIL, so code that may log must be called without the GIL. An
// exception in the function ends the call that has logged; if there is no call,
// sys.unraisablehook receives it.
Log LogToPython();

}  // namespace eyrie::python

#endif  // EYRIE_PYTHON_LOG_H_
