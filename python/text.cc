// Encodes and decodes with the error handler of os.fsencode.
#include "text.h"

#include <cstddef>
#include <string_view>

#include "errors.h"

namespace nb = nanobind;

namespace eyrie::python {
namespace {

constexpr char kErrors[] = "surrogateescape";

std::string BytesOf(PyObject* encoded) {
  const nb::object bytes = nb::steal(encoded);
  if (!bytes.is_valid()) throw nb::python_error();
  return std::string(PyBytes_AsString(bytes.ptr()),
                     static_cast<size_t>(PyBytes_Size(bytes.ptr())));
}

}  // namespace

std::string PathOf(nb::handle path, const char* what) {
  std::string bytes = BytesOf(PyUnicode_EncodeFSDefault(path.ptr()));
  if (bytes.find('\0') != std::string::npos) {
    RaiseArgument(std::string("The ") + what + " has a NUL byte.");
  }
  return bytes;
}

std::vector<std::string> PathsOf(const std::vector<nb::object>& paths,
                                 const char* what) {
  std::vector<std::string> row;
  for (const nb::object& path : paths) row.push_back(PathOf(path, what));
  return row;
}

std::string TextOf(nb::handle text) {
  return BytesOf(PyUnicode_AsEncodedString(text.ptr(), "utf-8", kErrors));
}

const char* NameOf(PyObject* object) {
  Py_ssize_t size = 0;
  const char* const name = PyUnicode_AsUTF8AndSize(object, &size);
  if (name == nullptr) throw nb::python_error();
  // No argument has a name with a NUL byte. C would end the name there.
  return std::string_view(name).size() == static_cast<size_t>(size)
             ? name
             : "(a name with a NUL byte)";
}

nb::str StrOf(std::string_view text) {
  PyObject* const decoded = PyUnicode_DecodeUTF8(
      text.data(), static_cast<Py_ssize_t>(text.size()), kErrors);
  if (decoded == nullptr) throw nb::python_error();
  return nb::steal<nb::str>(decoded);
}

nb::list StrsOf(const std::vector<std::string>& texts) {
  nb::list row;
  for (const std::string& text : texts) row.append(StrOf(text));
  return row;
}

}  // namespace eyrie::python
