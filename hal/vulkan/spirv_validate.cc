// Loads SPIRV-Tools and calls its functions.
#include "hal/vulkan/spirv_validate.h"

#include <dlfcn.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "base/folders.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "hal/vulkan/spirv_tools_abi.h"

namespace eyrie::hal::vulkan {

using spirv_tools::Binary;
using spirv_tools::Context;
using spirv_tools::Diagnostic;
using spirv_tools::Options;

struct SpirvValidator::Functions {
  Context* (*create_context)(int environment);
  void (*destroy_context)(Context*);
  Options* (*create_options)();
  void (*destroy_options)(Options*);
  void (*set_scalar_layout)(Options*, bool);
  int (*validate)(const Context*, const Options*, const Binary*, Diagnostic**);
  void (*destroy_diagnostic)(Diagnostic*);
};

namespace {

// If an older library stops with this message, the shader is not rejected.
constexpr absl::string_view kUnknownCapability = "Invalid capability operand:";

template <typename Function>
absl::Status Find(void* library, const std::string& path, const char* name,
                  Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(library, name));
  if (function != nullptr) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      "The library '", path, "' is not SPIRV-Tools: it lacks ", name, "."));
}

// Returns where Bazel puts the library that it builds, next to the program.
std::string BuiltPath(const std::string& library) {
  const std::string folder = FolderOf(ProgramPath());
  if (folder.empty()) return "";
  return absl::StrCat(folder, "../plugins/spirv_tools/", library);
}

void* OpenLibrary(const std::string& library) {
  void* const handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle != nullptr || library != kSpirvToolsLibrary) return handle;
  const std::string built = BuiltPath(library);
  // If the file exists but does not load, report that error.
  if (access(built.c_str(), F_OK) != 0) return nullptr;
  return dlopen(built.c_str(), RTLD_NOW | RTLD_LOCAL);
}

// Returns the first line of the library's message without the final period,
// plus the lines that its colons introduce. The rest is the instruction.
std::string FirstSentence(absl::string_view text) {
  std::string sentence;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    line = absl::StripAsciiWhitespace(line);
    if (line.empty()) continue;
    absl::StrAppend(&sentence, sentence.empty() ? "" : " ", line);
    if (!absl::EndsWith(line, ":")) break;
  }
  absl::string_view kept = sentence;
  while (absl::ConsumeSuffix(&kept, ".") || absl::ConsumeSuffix(&kept, ":")) {
  }
  return PlainText(kept, 1000);
}

}  // namespace

absl::StatusOr<SpirvValidator> SpirvValidator::Load(
    const std::string& library) {
  void* const handle = OpenLibrary(library);
  if (handle == nullptr) {
    return absl::FailedPreconditionError(absl::StrCat(
        "Shaders cannot be validated: cannot load SPIRV-Tools from '", library,
        "': ", dlerror(),
        ". Build //plugins/spirv_tools:libSPIRV-Tools-shared.so, which makes "
        "it from Debian's package spirv-tools."));
  }
  auto tools = std::make_shared<Functions>();
  const auto find = [&](const char* name, auto*& function) {
    return Find(handle, library, name, function);
  };
  RETURN_IF_ERROR(find("spvContextCreate", tools->create_context));
  RETURN_IF_ERROR(find("spvContextDestroy", tools->destroy_context));
  RETURN_IF_ERROR(find("spvValidatorOptionsCreate", tools->create_options));
  RETURN_IF_ERROR(find("spvValidatorOptionsDestroy", tools->destroy_options));
  RETURN_IF_ERROR(find("spvValidatorOptionsSetScalarBlockLayout",
                       tools->set_scalar_layout));
  RETURN_IF_ERROR(find("spvValidateWithOptions", tools->validate));
  RETURN_IF_ERROR(find("spvDiagnosticDestroy", tools->destroy_diagnostic));
  return SpirvValidator(std::move(tools));
}

absl::Status SpirvValidator::Validate(std::span<const uint32_t> words) const {
  const std::unique_ptr<Context, void (*)(Context*)> context(
      tools_->create_context(spirv_tools::kEnvVulkan13),
      tools_->destroy_context);
  const std::unique_ptr<Options, void (*)(Options*)> options(
      tools_->create_options(), tools_->destroy_options);
  if (context == nullptr || options == nullptr) {
    return absl::InternalError(
        "SPIRV-Tools cannot create a context for Vulkan 1.3.");
  }
  tools_->set_scalar_layout(options.get(), true);
  const Binary binary = {words.data(), words.size()};
  Diagnostic* made = nullptr;
  const int result =
      tools_->validate(context.get(), options.get(), &binary, &made);
  const std::unique_ptr<Diagnostic, void (*)(Diagnostic*)> diagnostic(
      made, tools_->destroy_diagnostic);
  if (result == spirv_tools::kSuccess) return absl::OkStatus();
  absl::string_view sentence =
      made == nullptr || made->error == nullptr ? "" : made->error;
  if (result == spirv_tools::kInvalidBinary &&
      absl::StartsWith(sentence, kUnknownCapability)) {
    return absl::OkStatus();
  }
  const std::string text = FirstSentence(sentence);
  return absl::InvalidArgumentError(
      absl::StrCat("The shader is not valid: ",
                   text.empty() ? absl::StrCat("result ", result) : text, "."));
}

}  // namespace eyrie::hal::vulkan
