// Native libraries from flags.
#include "tools/native_flags.h"

#include <string>
#include <utility>

#include "abi/call/sample_values.h"
#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"
#include "tools/json_flags.h"
#include "tools/usage_error.h"
#include "tools/wheel.h"
#include "vm/asm/assembler.h"

namespace eyrie::tools {
namespace {

constexpr char kManifest[] = "manifest=";
constexpr char kWheel[] = "wheel:";

constexpr Flag kNativeFlags[] = {
    Heading("Native libraries"),
    {"native_library", FlagKind::kList, "",
     "A shared library with functions that modules can import: path, or\n"
     "path,manifest=file.json if the library has no note that describes them.\n"
     "Only for libraries you trust. Repeat it for several. Without a module,\n"
     "--function names one of their functions, as module.function.\n"
     "wheel:name is a Python package that offers handlers."},
    {"python", FlagKind::kString, "",
     "The Python that has the packages of --native_library=wheel:name. The\n"
     "default is that of VIRTUAL_ENV, or python3."},
};

// Refuses --input=auto and others for any number of arguments.
absl::Status CheckSamples(const Arguments& arguments,
                          const NativeLibraries& natives,
                          const std::string& function) {
  const std::vector<std::string>& inputs = arguments.GetList("input");
  if (inputs.size() != 1 || !abi::ParseSampleKind(inputs[0]).has_value() ||
      !native::HasRest(natives, function)) {
    return absl::OkStatus();
  }
  return UsageError(absl::StrCat(
      "--input=", inputs[0], " cannot make the arguments of '", function,
      "', which takes any number of them; give each with --input or --args."));
}

}  // namespace

std::span<const Flag> NativeFlags() { return kNativeFlags; }

absl::StatusOr<NativeLibraries> LoadNativeLibraries(
    const Arguments& arguments) {
  NativeLibraries libraries;
  bool uses_python = false;
  for (const std::string& text : arguments.GetList("native_library")) {
    if (arguments.GetBool("no_native_code")) {
      return absl::PermissionDeniedError(
          absl::StrCat("--native_library='", text,
                       "' cannot be combined with --no_native_code."));
    }
    const size_t comma = text.find(',');
    if (comma == 0 || text.empty()) {
      return UsageError(
          absl::StrCat("--native_library='", text, "' has no path."));
    }
    absl::string_view manifest;
    if (comma != text.npos) {
      manifest = absl::string_view(text).substr(comma + 1);
      if (!absl::ConsumePrefix(&manifest, kManifest) || manifest.empty()) {
        return UsageError(absl::StrCat(
            "--native_library='", text,
            "' is not valid; expected path or path,manifest=file."));
      }
    }
    const std::string path = text.substr(0, comma);
    absl::string_view package = path;
    const bool is_wheel = absl::ConsumePrefix(&package, kWheel);
    uses_python |= is_wheel;
    ASSIGN_OR_RETURN(
        auto library,
        is_wheel ? LoadWheel(std::string(package), std::string(manifest),
                             arguments.GetString("python"))
                 : native::LoadNativeLibrary(path, std::string(manifest)));
    libraries.push_back(std::move(library));
  }
  if (arguments.IsSet("python") && !uses_python) {
    return UsageError(
        "--python applies to --native_library=wheel:name only, and none is "
        "given.");
  }
  return libraries;
}

absl::StatusOr<abi::Program> CallingProgram(const Arguments& arguments,
                                            const NativeLibraries& natives) {
  std::string function = arguments.GetString("function");
  if (function.empty()) {
    const std::vector<std::string> names = native::NativeFunctionNames(natives);
    if (names.size() != 1) {
      return UsageError(
          absl::StrCat("--function must name one of the native functions: ",
                       absl::StrJoin(names, ", "), "."));
    }
    function = names[0];
  }
  RETURN_IF_ERROR(CheckSamples(arguments, natives, function));
  size_t operands = arguments.GetList("input").size();
  if (HasJsonInputs(arguments)) {
    ASSIGN_OR_RETURN(operands, CountJsonInputs(arguments));
  }
  ASSIGN_OR_RETURN(const std::string text,
                   native::ForwardingProgram(natives, function, operands));
  ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes,
                   vm::Assemble(text, "native call"));
  return abi::LoadProgram(bytes, "native call");
}

absl::Status CheckCalled(const Arguments& arguments,
                         const NativeLibraries& natives,
                         std::span<const abi::Program> programs) {
  const std::string function = arguments.GetString("function");
  const std::string name = function.substr(0, function.find('?'));
  if (!absl::c_linear_search(native::NativeFunctionNames(natives), name)) {
    return absl::OkStatus();
  }
  for (const abi::Program& program : programs) {
    // Functions of modules have the same form of name.
    if (program->name() == name.substr(0, name.find('.'))) {
      return absl::OkStatus();
    }
  }
  return UsageError(
      absl::StrCat("--function='", function,
                   "' is a function of a native library; to call it, give "
                   "no module."));
}

}  // namespace eyrie::tools
