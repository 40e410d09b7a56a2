// Finds libIREECompiler.so, the library of IREE's compiler, which is part of
// the Python package iree-base-compiler.
//
// Tested by find_compiler_test.cc.
#ifndef EYRIE_PLUGINS_PJRT_COMPILER_FIND_COMPILER_H_
#define EYRIE_PLUGINS_PJRT_COMPILER_FIND_COMPILER_H_

#include <string>

#include "absl/status/statusor.h"

namespace eyrie::pjrt {

// Returns the path of the library. `given` is the path of the library, of
// iree-compile, of a folder of Python packages, of the package iree/compiler or
// of a virtual environment. If it is empty, the first of these counts:
//   the variable EYRIE_COMPILER, a path of the same kinds
//   the Python packages that the shared library of this code is in
//   the virtual environment VIRTUAL_ENV
//   the packages of python3 in PATH, which is run if a look does not find it
//   the folder of iree-compile in PATH
// NOT_FOUND: there is none, or it is not at a path that was given, which the
// message names.
absl::StatusOr<std::string> FindCompiler(const std::string& given);

}  // namespace eyrie::pjrt

#endif  // EYRIE_PLUGINS_PJRT_COMPILER_FIND_COMPILER_H_
