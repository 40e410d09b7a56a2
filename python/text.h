// The bytes of paths and names that Python passes. Names of files, and of
// functions in them, need not be UTF-8.
//
// Tested by eyrie_test.py.
#ifndef EYRIE_PYTHON_TEXT_H_
#define EYRIE_PYTHON_TEXT_H_

#include <nanobind/nanobind.h>

#include <string>
#include <string_view>
#include <vector>

namespace eyrie::python {

inline constexpr char kModulePath[] = "path of the module";

// Returns the bytes of a path, a str, as os.fsencode does. Throws ValueError if
// it cannot be encoded, TypeError for another object, and eyrie.Error, which
// calls it `what`, if it has a NUL byte.
std::string PathOf(nanobind::handle path, const char* what);
std::vector<std::string> PathsOf(const std::vector<nanobind::object>& paths,
                                 const char* what);

// Returns a str as UTF-8; surrogates that os.fsdecode made of bytes become
// these bytes again. Throws ValueError and TypeError as PathOf.
std::string TextOf(nanobind::handle text);

// Returns the UTF-8 of a str, which is valid as long as the object, for C: if
// it has a NUL byte, a name that nothing has. Throws as TextOf, also for all
// surrogates.
const char* NameOf(PyObject* text);

// Returns a str. Bytes that are not UTF-8 become surrogates, as by os.fsdecode.
nanobind::str StrOf(std::string_view text);
nanobind::list StrsOf(const std::vector<std::string>& texts);

}  // namespace eyrie::python

#endif  // EYRIE_PYTHON_TEXT_H_
