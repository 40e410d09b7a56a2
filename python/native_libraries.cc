#include "native_libraries.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <utility>

#include "errors.h"
#include "eyrie/linked_program.h"
#include "gil.h"

namespace nb = nanobind;

namespace eyrie::python {
namespace {

OpenLibrary Opened(Result<NativeLibrary> library) {
  return {std::make_shared<const NativeLibrary>(Unwrap(std::move(library)))};
}

OpenLibrary Open(const std::string& path, const std::string& manifest) {
  return Opened([&] {
    const WithoutGil release;
    return NativeLibrary::Open(path, manifest);
  }());
}

OpenLibrary OpenText(const std::string& path, const std::string& manifest) {
  return Opened([&] {
    const WithoutGil release;
    return NativeLibrary::OpenText(path, manifest);
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
    const std::string& manifest,
    const std::vector<std::pair<std::string, nb::object>>& handlers) {
  std::vector<NativeLibrary::Symbol> symbols;
  for (const auto& [name, capsule] : handlers) {
    symbols.push_back({name.c_str(), AddressIn(capsule)});
  }
  return Opened(NativeLibrary::OfProgram(manifest, symbols));
}

nb::tuple Link(const nb::bytes& text, const std::string& module) {
  const LinkedProgram program =
      Unwrap(LinkedProgram::Create({text.c_str(), text.size()}, module));
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
