// The program that has every command but `bench`, and loads shared libraries.
#include "tools/command.h"

namespace eyrie::tools {

const bool kLoadsLibraries = true;

#define STATIC_COMMAND(...)
#define COMMAND(...)
#define BENCH_COMMAND(name, main, summary)                   \
  int main(std::span<const char* const> args) {              \
    return ReportError(HandOver(kBenchProgram, name, args)); \
  }
#include "tools/commands.def"

}  // namespace eyrie::tools
