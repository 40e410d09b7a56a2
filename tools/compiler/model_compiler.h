// Compiles one model with several compilers and sets of flags.
//
// An ONNX model is imported once for each compiler. If a compiler refuses what
// was imported, the model is imported again, converted to opset 17, because
// operators of older models have other forms.
// Tested by tune/tune_test.txt.
#ifndef EYRIE_TOOLS_COMPILER_MODEL_COMPILER_H_
#define EYRIE_TOOLS_COMPILER_MODEL_COMPILER_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tools/capture.h"
#include "tools/compiler/compiler.h"

namespace eyrie::tools {

// Checks that a path is that of a model. NOT_FOUND: it cannot be opened.
// INVALID_ARGUMENT: its name does not end with .onnx, .mlir or .mlirbc.
absl::Status CheckModelFile(const std::string& path);

// Thread-compatible.
class ModelCompiler {
 public:
  using Command = std::vector<std::string>;

  // `folder` receives the imported models. CheckModelFile(model) must be OK.
  ModelCompiler(std::string model, std::string folder, CaptureLimits limits)
      : model_(std::move(model)), folder_(std::move(folder)), limits_(limits) {}

  // Writes a module to `output`, and returns the seconds that the compiler took
  // without the importer. NOT_FOUND: the importer is missing. Otherwise fails
  // as RunProgram does.
  absl::StatusOr<double> Compile(const Compiler& compiler,
                                 const std::vector<std::string>& flags,
                                 const std::string& output);

  // Returns the commands that make the same module from the model in the
  // working folder.
  std::vector<Command> CommandsOf(const Compiler& compiler,
                                  const std::vector<std::string>& flags,
                                  const std::string& output) const;

 private:
  // The model as the importer of one compiler made it.
  struct Imported {
    std::string file;           // "" if the importer failed
    absl::Status status;        // of the importer
    bool is_converted = false;  // to opset 17
    bool may_convert = true;
  };

  absl::StatusOr<std::string> Import(const std::string& importer,
                                     bool converted) const;
  Imported& ImportedBy(const Compiler& compiler);
  absl::StatusOr<double> CompileFile(const Compiler& compiler,
                                     const std::vector<std::string>& flags,
                                     const std::string& file,
                                     const std::string& output) const;

  const std::string model_;
  const std::string folder_;
  const CaptureLimits limits_;
  std::map<std::string, Imported> imported_;  // by the compiler's path
};

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_COMPILER_MODEL_COMPILER_H_
