#include "tools/wheel.h"

#include <cstdint>
#include <cstdlib>
#include <map>
#include <utility>

#include "abi/native/library.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/json.h"
#include "base/mapped_file.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "base/suggest.h"
#include "tools/capture.h"

namespace eyrie::tools {
namespace {

constexpr char kPackages[] =
#include "tools/wheel_packages.inc"
    ;

// Prints {"python": library of Python or null, "handlers": {name: [file,
// offset]}, "prepared": [name]}. The functions of
// python/package/eyrie/_packages.py come before it. Prepared handlers are those
// of a module with a function `initialize`, such as jaxlib's LAPACK, which gets
// its functions from SciPy; without it they crash.
constexpr char kScript[] = R"python(
import ctypes, json, os, sysconfig

class Info(ctypes.Structure):
    _fields_ = [("file", ctypes.c_char_p), ("base", ctypes.c_void_p),
                ("name", ctypes.c_char_p), ("address", ctypes.c_void_p)]

get_name = ctypes.pythonapi.PyCapsule_GetName
get_name.restype, get_name.argtypes = ctypes.c_char_p, [ctypes.py_object]
get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
get_pointer.restype = ctypes.c_void_p
get_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
dladdr = ctypes.CDLL(None).dladdr
dladdr.argtypes = [ctypes.c_void_p, ctypes.POINTER(Info)]

found = package_handlers(sys.argv[1])
prepared = set()
for name, module in list(sys.modules.items()):
    if name.split(".")[0] in ("jaxlib", sys.argv[1].split(".")[0]) and {
            "registrations", "initialize"} <= set(dir(module)):
        prepared.update(module.registrations())
handlers = {}
for name, value in found.items():
    stages = value if isinstance(value, dict) else {"execute": value}
    for stage, capsule in stages.items():
        pointer = get_pointer(capsule, get_name(capsule))
        info = Info()
        if dladdr(pointer, ctypes.byref(info)) == 0:
            continue
        key = name if stage == "execute" else name + "." + stage
        handlers[key] = [os.path.realpath(os.fsdecode(info.file)),
                         pointer - info.base]
library = os.path.join(sysconfig.get_config_var("LIBDIR") or "",
                       sysconfig.get_config_var("INSTSONAME") or "none")
print(json.dumps({"python": library if os.path.isfile(library) else None,
                  "handlers": handlers, "prepared": sorted(prepared)}))
)python";

std::string PythonPath(const std::string& python) {
  if (!python.empty()) return python;
  const char* const environment = std::getenv("VIRTUAL_ENV");
  if (environment == nullptr || *environment == '\0') return "python3";
  return absl::StrCat(environment, "/bin/python");
}

// Returns the last line of Python's errors: "ModuleNotFoundError: …".
std::string LastErrorLine(absl::string_view errors) {
  const absl::string_view text = absl::StripAsciiWhitespace(errors);
  return PlainText(text.substr(text.rfind('\n') + 1), 400);
}

absl::StatusOr<Json> AskPython(const std::string& package,
                               const std::string& python) {
  ASSIGN_OR_RETURN(
      const Captured captured,
      RunAndCapture({python, "-c", absl::StrCat(kPackages, kScript), package}));
  if (captured.exit_code != 0) {
    return absl::FailedPreconditionError(
        absl::StrCat("The Python '", python, "' cannot import '", package,
                     "': ", LastErrorLine(captured.errors)));
  }
  // Packages may print lines of their own before.
  const absl::string_view text = absl::StripAsciiWhitespace(captured.output);
  absl::StatusOr<Json> answer = ParseJson(text.substr(text.rfind('\n') + 1));
  if (answer.ok()) return answer;
  return Annotate(answer.status(),
                  absl::StrCat("(the answer of the Python '", python, "')"));
}

// Reports whether a manifest may need the handler, or its stage, "name.stage".
bool IsNamed(absl::string_view manifest, absl::string_view handler) {
  const absl::string_view name = handler.substr(0, handler.rfind('.'));
  return absl::StrContains(manifest, absl::StrCat("\"", handler, "\"")) ||
         absl::StrContains(manifest, absl::StrCat("\"", name, "\""));
}

// Refuses a manifest that names a handler that only Python can prepare.
absl::Status CheckNotPrepared(const Json& answer, absl::string_view manifest,
                              const std::string& package) {
  const Json* const prepared = answer.Find("prepared");
  if (prepared == nullptr) return absl::OkStatus();
  for (const Json& name : prepared->items) {
    if (!IsNamed(manifest, name.text)) continue;
    return absl::UnimplementedError(absl::StrCat(
        "The handler '", PlainName(name.text), "' of wheel:", package,
        " runs only in Python, where its package prepares it. Run the program "
        "with eyrie.load or eyrie.jax.jit."));
  }
  return absl::OkStatus();
}

// Opens the files of those handlers that the manifest names, and returns their
// addresses by name.
absl::StatusOr<std::map<std::string, void*>> FindHandlers(
    const Json& handlers, absl::string_view manifest) {
  std::map<std::string, std::shared_ptr<native::NativeLibrary>> files;
  std::map<std::string, void*> symbols;
  for (size_t i = 0; i < handlers.items.size(); ++i) {
    if (!IsNamed(manifest, handlers.keys[i])) continue;
    const Json& place = handlers.items[i];
    if (place.items.size() != 2) {
      return absl::InternalError("Python describes a handler wrongly.");
    }
    auto& file = files[place.items[0].text];
    if (file == nullptr) {
      ASSIGN_OR_RETURN(file, native::NativeLibrary::Open(place.items[0].text));
    }
    ASSIGN_OR_RETURN(
        symbols[handlers.keys[i]],
        file->AddressAt(static_cast<uint64_t>(place.items[1].integer)));
  }
  return symbols;
}

// Suggests handlers of the package for the first one that the manifest names
// and the package does not have.
std::string SuggestHandler(absl::string_view manifest, const Json& handlers) {
  const auto json = ParseJson(manifest);
  const Json* const functions = json.ok() ? json->Find("functions") : nullptr;
  if (functions == nullptr) return "";
  for (const Json& function : functions->items) {
    const Json* const name = function.Find("registered");
    if (name == nullptr || handlers.Find(name->text) != nullptr) continue;
    return DidYouMean(name->text, handlers.keys);
  }
  return "";
}

}  // namespace

absl::StatusOr<std::shared_ptr<const native::LoadedLibrary>> LoadWheel(
    const std::string& package, const std::string& manifest,
    const std::string& python) {
  ASSIGN_OR_RETURN(const Json answer, AskPython(package, PythonPath(python)));
  const Json* const handlers = answer.Find("handlers");
  if (handlers == nullptr || handlers->items.empty()) {
    return absl::FailedPreconditionError(absl::StrCat(
        "The Python package '", package,
        "' offers no handlers: it neither has a function registrations() nor "
        "registers them with JAX."));
  }
  if (manifest.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--native_library=wheel:", package,
        " needs a manifest (wheel:", package,
        ",manifest=file.json); eyrie note makes one of a program that calls "
        "them. The package has the handlers ",
        absl::StrJoin(handlers->keys, ", "), "."));
  }
  // Extension modules use Python's functions.
  const Json* const library = answer.Find("python");
  if (library != nullptr && library->is(Json::Kind::kString)) {
    RETURN_IF_ERROR(
        native::NativeLibrary::Open(library->text, /*global=*/true).status());
  }
  ASSIGN_OR_RETURN(const auto file, MappedFile::Open(manifest));
  const absl::string_view text(
      reinterpret_cast<const char*>(file->bytes().data()),
      file->bytes().size());
  RETURN_IF_ERROR(CheckNotPrepared(answer, text, package));
  ASSIGN_OR_RETURN(auto symbols, FindHandlers(*handlers, text));
  const auto loaded = native::LibraryOfProgram(text, std::move(symbols),
                                               absl::StrCat("wheel:", package));
  if (loaded.ok()) return loaded;
  const absl::Status in_file =
      Annotate(loaded.status(), absl::StrCat("(in '", manifest, "')"));
  if (!absl::IsNotFound(in_file)) return in_file;
  return absl::NotFoundError(
      absl::StrCat(in_file.message(), SuggestHandler(text, *handlers)));
}

}  // namespace eyrie::tools
