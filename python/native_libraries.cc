#include "native_libraries.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <deque>
#include <string>
#include <utility>

#include "errors.h"
#include "eyrie/linked_program.h"
#include "gil.h"
#include "text.h"

namespace nb = nanobind;

namespace eyrie::python {
namespace {

constexpr char kLibrary[] = "path of the library";

OpenLibrary Opened(Result<NativeLibrary> library) {
  return {std::make_shared<const NativeLibrary>(Unwrap(std::move(library)))};
}

OpenLibrary Open(nb::str path, nb::str manifest) {
  return Opened([library = PathOf(path, kLibrary),
                 file = PathOf(manifest, "path of the manifest")] {
    const WithoutGil release;
    return NativeLibrary::Open(library, file);
  }());
}

OpenLibrary OpenText(nb::str path, nb::str manifest) {
  return Opened([library = PathOf(path, kLibrary), text = TextOf(manifest)] {
    const WithoutGil release;
    return NativeLibrary::OpenText(library, text);
  }());
}

// Returns the address in a PyCapsule of any name.
void* AddressIn(nb::handle capsule) {
  void* address = nullptr;
  if (PyCapsule_CheckExact(capsule.ptr())) {
    const char* const name = PyCapsule_GetName(capsule.ptr());
    address = PyCapsule_GetPointer(capsule.ptr(), name);
  }
  if (address == nullptr) {
    PyErr_Clear();
    RaiseArgument("A handler is not a PyCapsule.");
  }
  return address;
}

OpenLibrary OfHandlers(
    nb::str manifest,
    const std::vector<std::pair<nb::str, nb::object>>& handlers) {
  std::deque<std::string> names;
  std::vector<NativeLibrary::Symbol> symbols;
  for (const auto& [name, capsule] : handlers) {
    names.push_back(TextOf(name));
    symbols.push_back({names.back().c_str(), AddressIn(capsule)});
  }
  return Opened(NativeLibrary::OfProgram(TextOf(manifest), symbols));
}

nb::tuple Link(const nb::bytes& text, nb::str module) {
  const LinkedProgram program = Unwrap(
      LinkedProgram::Create({text.c_str(), text.size()}, TextOf(module)));
  return nb::make_tuple(program.text(), program.manifest(), program.targets());
}

}  // namespace

void AddNativeLibraries(nb::module_& m) {
  nb::class_<OpenLibrary>(m, "NativeLibrary", "An open native library.");
  m.def("open_library", &Open,
        "Opens a library by its path and manifest file.");
  m.def("open_library_text", &OpenText,
        "Opens a library by its path and the text of a manifest.");
  m.def("library_of_handlers", &OfHandlers,
        "Returns a library of named capsules, with the text of a manifest.");
  m.def("link", &Link,
        "Turns custom calls into imports: (text, manifest, targets).");
  m.def("has_custom_calls", [](const nb::bytes& text) {
    return LinkedProgram::HasCustomCalls({text.c_str(), text.size()});
  });
}

}  // namespace eyrie::python
