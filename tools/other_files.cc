#include "tools/other_files.h"

#include <cstddef>
#include <span>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/strings/substitute.h"
#include "base/folders.h"
#include "base/mapped_file.h"
#include "base/plain_text.h"
#include "tools/shell_word.h"

namespace eyrie::tools {
namespace {

// A kind of file: one with an ending or with a mark.
struct Kind {
  const char* endings;      // of paths, separated by spaces
  size_t mark_at;           // the offset of `mark` in the file
  absl::string_view mark;   // "": none
  const char* description;  // after "'file' is "
  // Separated by newlines. $0 is the file, $1 and $2 are its name with .mlir
  // and .vmfb, and $3 is kHostFlags.
  const char* commands;
};

// For folders, the path is that of this file.
constexpr char kSavedModel[] = "/saved_model.pb";

#define COMPILE "iree-compile $1 -o $2 $3"
#define TUNE \
  "\neyrie tune $0 -o $2  # or: tries several flags, keeps the fastest"
#define MODEL ", not a compiled module. To compile it:"
#define PARAMETERS \
  "a file of parameters, not a compiled module. To show it, or to use it:"

constexpr Kind kKinds[] = {
    {".onnx", 0, "", "an ONNX model" MODEL,
     "iree-import-onnx $0 -o $1\n" COMPILE TUNE},
    {".tflite", 4, "TFL3", "a TensorFlow Lite model" MODEL,
     "iree-import-tflite $0 -o $1\n" COMPILE},
    {".pt2", 0, "", "a program of torch.export" MODEL,
     "python3 -c 'import sys, torch; from iree.turbine import aot; "
     "aot.export(torch.export.load(sys.argv[1])).save_mlir(sys.argv[2])' $0 "
     "$1\n" COMPILE},
    {kSavedModel, 0, "", "a SavedModel of TensorFlow" MODEL,
     "iree-import-tf $0 -o $1\n" COMPILE},
    {".mlir .mlirbc", 0, "ML\xefR", "a program's source" MODEL,
     "iree-compile $0 -o $2 $3" TUNE},
    {".vmasm", 0, "", "assembly" MODEL, "eyrie asm $0 -o $2"},
    {".gguf .irpa .safetensors", 0, "", PARAMETERS,
     "eyrie params dump $0\neyrie run model.vmfb --parameters=$0"},
    {".so .dll .dylib", 0, "",
     "a native library, not a compiled module. To show its functions:",
     "eyrie dump $0"},
};

#undef COMPILE
#undef TUNE
#undef MODEL
#undef PARAMETERS

bool HasEnding(absl::string_view path, const Kind& kind) {
  const std::string name = absl::AsciiStrToLower(path);
  return absl::c_any_of(absl::StrSplit(kind.endings, ' '),
                        [&name](absl::string_view ending) {
                          return absl::EndsWith(name, ending);
                        });
}

bool HasMark(absl::string_view bytes, const Kind& kind) {
  return !kind.mark.empty() && bytes.size() > kind.mark_at &&
         absl::StartsWith(bytes.substr(kind.mark_at), kind.mark);
}

const Kind* FindKind(const std::string& path) {
  for (const Kind& kind : kKinds) {
    if (HasEnding(path, kind)) return &kind;
  }
  const auto file = MappedFile::Open(path);
  if (!file.ok()) return nullptr;
  const auto bytes = (*file)->bytes();
  for (const Kind& kind : kKinds) {
    if (HasMark({reinterpret_cast<const char*>(bytes.data()), bytes.size()},
                kind)) {
      return &kind;
    }
  }
  return nullptr;
}

// Returns the file's name without folders and ending.
absl::string_view StemOf(absl::string_view path) {
  path = FileNameOf(path);
  const size_t dot = path.rfind('.');
  return dot == 0 || dot == path.npos ? path : path.substr(0, dot);
}

}  // namespace

std::string CommandsFor(const std::string& path) {
  const std::string given(absl::StripSuffix(path, "/"));
  const std::string file = IsFolder(path) ? given + kSavedModel : path;
  const Kind* const kind = IsRegularFile(file) ? FindKind(file) : nullptr;
  if (kind == nullptr) return "";
  const std::string stem(StemOf(given));
  const auto word = [](const std::string& name) {
    return ShellWord(PathArgument(name));
  };
  const std::string commands =
      absl::Substitute(kind->commands, word(given), word(stem + ".mlir"),
                       word(stem + ".vmfb"), absl::StrJoin(kHostFlags, " "));
  return absl::StrCat("'", PlainPath(path), "' is ", kind->description, "\n  ",
                      absl::StrJoin(absl::StrSplit(commands, '\n'), "\n  "));
}

absl::Status WithCommands(const absl::Status& status, const std::string& path) {
  if (!absl::IsInvalidArgument(status)) return status;
  const std::string commands = CommandsFor(path);
  return commands.empty() ? status : absl::InvalidArgumentError(commands);
}

}  // namespace eyrie::tools
