// What the static program has in place of parts that it leaves to the others.
//
// Where these functions are defined the linker leaves out what else would come
// in by them: Vulkan, native libraries, the assembler, and every command but
// `run`. None of them is reached with anything to do, since a run that asks for
// such a part has been handed over before. A part that comes in all the same
// does not link, for a name that is defined twice; static_test.sh looks, too.
#include <memory>
#include <vector>

#include "abi/native/native_libraries.h"
#include "hal/collectives/plugin.h"
#include "tools/command.h"
#include "vm/asm/assembler.h"

namespace eyrie {
namespace {

absl::Status IsLeftOut() {
  return absl::UnimplementedError(
      "This program loads no shared libraries; eyrie-full does.");
}

}  // namespace

namespace hal {

absl::StatusOr<std::shared_ptr<ChannelProvider>> OpenCollectivesPlugin(
    absl::string_view) {
  return IsLeftOut();
}

}  // namespace hal

namespace native {

absl::StatusOr<std::shared_ptr<const LoadedLibrary>> LoadNativeLibrary(
    const std::string&, const std::string&) {
  return IsLeftOut();
}

absl::StatusOr<NativeModules> MakeNativeModules(
    std::span<const std::shared_ptr<const LoadedLibrary>>,
    const std::shared_ptr<const NativeServices>&) {
  return IsLeftOut();
}

std::vector<std::string> NativeFunctionNames(
    std::span<const std::shared_ptr<const LoadedLibrary>>) {
  return {};
}

absl::StatusOr<std::string> ForwardingProgram(
    std::span<const std::shared_ptr<const LoadedLibrary>>, const std::string&,
    size_t) {
  return IsLeftOut();
}

}  // namespace native

namespace vm {

absl::StatusOr<std::vector<uint8_t>> Assemble(absl::string_view,
                                              const std::string&,
                                              const AssemblerOptions&) {
  return IsLeftOut();
}

}  // namespace vm

namespace tools {

const bool kLoadsLibraries = false;

#define LEFT_TO(program, name, main)                   \
  int main(std::span<const char* const> args) {        \
    return ReportError(HandOver(program, name, args)); \
  }
#define STATIC_COMMAND(...)
#define COMMAND(name, main, summary) LEFT_TO(kFullProgram, name, main)
#define BENCH_COMMAND(name, main, summary) LEFT_TO(kBenchProgram, name, main)
#include "tools/commands.def"

}  // namespace tools
}  // namespace eyrie
