// Parameter files from flags.
#include "tools/parameter_flags.h"

#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "tools/load_progress.h"
#include "tools/usage_error.h"

namespace eyrie::tools {
namespace {

using Mode = hal::ParameterFile::Mode;

constexpr Flag kParameterFlags[] = {
    Heading("Parameters"),
    {"parameters", FlagKind::kList, "",
     "A parameter file (.irpa, .safetensors or .gguf): path, or scope=path "
     "for\n"
     "parameters that programs look up in a scope; =path if the path has a "
     "'='.\n"
     "Repeat it for several; a key of two files comes from the first one."},
    {"parameter_mode", FlagKind::kString, "file",
     "How parameter files are read:\n"
     "  file     mapped; pages are read at first use (mmap in releases before\n"
     "           3.9, still accepted)\n"
     "  preload  read completely before anything runs\n"
     "  write    mapped; programs' writes to parameters change the file"},
};

struct ModeName {
  const char* name;
  Mode mode;
};
constexpr ModeName kModes[] = {
    {"file", Mode::kMapped},
    {"mmap", Mode::kMapped},
    {"preload", Mode::kPreloaded},
    {"write", Mode::kWritable},
};

}  // namespace

std::span<const Flag> ParameterFlags() { return kParameterFlags; }

std::vector<std::string> ParameterPaths(const Arguments& arguments) {
  std::vector<std::string> paths;
  for (const std::string& text : arguments.GetList("parameters")) {
    paths.push_back(text.substr(text.find('=') + 1));
  }
  return paths;
}

absl::StatusOr<std::shared_ptr<const hal::ParameterScopes>> LoadParameters(
    const Arguments& arguments, const hal::PreloadLimits& limits) {
  const std::string& name = arguments.GetString("parameter_mode");
  std::optional<Mode> mode;
  for (const ModeName& known : kModes) {
    if (name == known.name) mode = known.mode;
  }
  if (!mode) {
    return UsageError(
        absl::StrCat("--parameter_mode='", name,
                     "' is not valid; expected file, mmap, preload or write."));
  }
  auto scopes = std::make_shared<hal::ParameterScopes>();
  LoadProgress progress;
  hal::PreloadLimits watched = limits;
  watched.progress = &progress.done();
  for (const std::string& text : arguments.GetList("parameters")) {
    const std::string path = text.substr(text.find('=') + 1);
    progress.BeginFile(absl::StrCat("reading ", path), path);
    RETURN_IF_ERROR(scopes->AddFile(text, *mode, watched));
  }
  return scopes;
}

}  // namespace eyrie::tools
