// Compiles programs, or takes them from the cache.
// Tested by pjrt_test.cc.
#ifndef EYRIE_PLUGINS_PJRT_PROGRAM_COMPILER_H_
#define EYRIE_PLUGINS_PJRT_PROGRAM_COMPILER_H_

#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "plugins/pjrt/c_types.h"
#include "plugins/pjrt/compiler/compiler_pool.h"
#include "plugins/pjrt/compiler/program_cache.h"
#include "plugins/pjrt/program_image.h"
#include "plugins/pjrt/settings.h"

namespace eyrie::pjrt {

// A program as a file. Immutable.
struct ProgramImage {
  // None if the file has no note: its function's signature has it.
  std::optional<Interface> interface;
  std::string file;             // a .vmfb
  std::string fingerprint;      // equal for equal files
  std::string compile_options;  // as the client gave them
};

using ImagePtr = std::shared_ptr<const ProgramImage>;

// Returns the image of a .vmfb. Fails as ReadNote does, but not without a note.
absl::StatusOr<ImagePtr> ImageOf(std::string file, std::string compile_options);

// Thread-safe.
class ProgramCompiler {
 public:
  // Starts nothing, and does not need a compiler yet.
  static std::unique_ptr<ProgramCompiler> Create(const Settings& settings);

  // Compiles StableHLO, as text or bytecode. INVALID_ARGUMENT: the compiler
  // refuses it. UNIMPLEMENTED: another format, or a program that PJRT's buffers
  // cannot be arguments or results of. Otherwise fails as CompilerPool::Compile
  // does.
  // `compile_options` is a serialized CompileOptionsProto.
  absl::StatusOr<ImagePtr> Compile(const Program& program,
                                   std::string compile_options);

 private:
  explicit ProgramCompiler(const Settings& settings);

  const std::vector<std::string> flags_;
  const std::unique_ptr<CompilerPool> pool_;
  const absl::StatusOr<ProgramCache> cache_;
};

}  // namespace eyrie::pjrt

#endif  // EYRIE_PLUGINS_PJRT_PROGRAM_COMPILER_H_
