#include "tools/compiler/model_compiler.h"

#include <chrono>
#include <iterator>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "base/folders.h"
#include "base/mapped_file.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "tools/shell_word.h"

namespace eyrie::tools {
namespace {

constexpr const char* kConvert[] = {"--opset-version", "17"};

bool IsModelWith(const std::string& path, absl::string_view ending) {
  return absl::EndsWith(absl::AsciiStrToLower(path), ending);
}

bool IsOnnx(const std::string& path) { return IsModelWith(path, ".onnx"); }

// Returns the name of a model with the ending .mlir, in the working folder.
std::string MlirNameOf(absl::string_view model) {
  const absl::string_view name = FileNameOf(model);
  return absl::StrCat(name.substr(0, name.rfind('.')), ".mlir");
}

ModelCompiler::Command ImportCommand(const std::string& importer,
                                     const std::string& model,
                                     const std::string& output,
                                     bool converted) {
  ModelCompiler::Command command = {importer, PathArgument(model), "-o",
                                    PathArgument(output)};
  if (converted) command.insert(command.end(), kConvert, std::end(kConvert));
  return command;
}

ModelCompiler::Command CompileCommand(const std::string& program,
                                      const std::string& file,
                                      const std::vector<std::string>& flags,
                                      const std::string& output) {
  ModelCompiler::Command command = {program, PathArgument(file)};
  command.insert(command.end(), flags.begin(), flags.end());
  // "-" is stdout.
  command.insert(command.end(),
                 {"-o", output == "-" ? output : PathArgument(output)});
  return command;
}

}  // namespace

absl::Status CheckModelFile(const std::string& path) {
  RETURN_IF_ERROR(MappedFile::Open(path).status());
  for (const char* ending : {".onnx", ".mlir", ".mlirbc"}) {
    if (IsModelWith(path, ending)) return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("'", PlainPath(path),
                   "' is not a model to compile: expected a file that ends "
                   "with .onnx, .mlir or .mlirbc."));
}

absl::StatusOr<std::string> ModelCompiler::Import(const std::string& importer,
                                                  bool converted) const {
  if (importer.empty()) {
    return absl::NotFoundError(
        "iree-import-onnx is not installed: 'pip install "
        "iree-base-compiler[onnx]' installs it.");
  }
  const std::string file =
      absl::StrCat(folder_, "/", imported_.size(),
                   converted ? ".opset17." : ".", MlirNameOf(model_));
  RETURN_IF_ERROR(
      RunProgram(ImportCommand(importer, model_, file, converted), limits_)
          .status());
  return file;
}

ModelCompiler::Imported& ModelCompiler::ImportedBy(const Compiler& compiler) {
  const auto [it, is_new] = imported_.try_emplace(compiler.program);
  if (is_new) {
    absl::StatusOr<std::string> file = Import(compiler.importer, false);
    it->second.status = file.status();
    if (file.ok()) it->second.file = *std::move(file);
  }
  return it->second;
}

absl::StatusOr<double> ModelCompiler::CompileFile(
    const Compiler& compiler, const std::vector<std::string>& flags,
    const std::string& file, const std::string& output) const {
  const auto begin = std::chrono::steady_clock::now();
  const absl::Status ran =
      RunProgram(CompileCommand(compiler.program, file, flags, output), limits_)
          .status();
  if (!ran.ok()) {
    // The user does not know the imported file.
    return absl::Status(
        ran.code(),
        absl::StrReplaceAll(ran.message(), {{file, FileNameOf(file)}}));
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
      .count();
}

absl::StatusOr<double> ModelCompiler::Compile(
    const Compiler& compiler, const std::vector<std::string>& flags,
    const std::string& output) {
  if (!IsOnnx(model_)) return CompileFile(compiler, flags, model_, output);
  Imported& imported = ImportedBy(compiler);
  const absl::StatusOr<double> seconds =
      imported.status.ok() ? CompileFile(compiler, flags, imported.file, output)
                           : imported.status;
  const bool may_convert =
      imported.may_convert && absl::IsInvalidArgument(seconds.status());
  imported.may_convert = false;
  if (!may_convert) return seconds;
  absl::StatusOr<std::string> converted = Import(compiler.importer, true);
  if (absl::IsCancelled(converted.status())) return converted.status();
  if (!converted.ok()) return seconds;
  absl::StatusOr<double> again =
      CompileFile(compiler, flags, *converted, output);
  if (absl::IsCancelled(again.status())) return again;
  if (!again.ok()) return seconds;
  imported = {*std::move(converted), absl::OkStatus(), true, false};
  return again;
}

std::vector<ModelCompiler::Command> ModelCompiler::CommandsOf(
    const Compiler& compiler, const std::vector<std::string>& flags,
    const std::string& output) const {
  const std::string program = TypedName(compiler.program);
  if (!IsOnnx(model_)) return {CompileCommand(program, model_, flags, output)};
  const auto imported = imported_.find(compiler.program);
  const std::string mlir = MlirNameOf(model_);
  return {ImportCommand(
              TypedName(compiler.importer), model_, mlir,
              imported != imported_.end() && imported->second.is_converted),
          CompileCommand(program, mlir, flags, output)};
}

}  // namespace eyrie::tools
