// Measures compilations: compile_bench COMPILER PROGRAM COUNT VERIFIES [FLAGS].
//
// COMPILER is a path as FindCompiler() takes it, and PROGRAM a file. Prints the
// seconds of the start with the first compilation, and of some later ones; the
// mean and the least so far; the memory of the process; the module's size.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "base/deadline.h"
#include "plugins/pjrt/compiler/compiler_process.h"
#include "plugins/pjrt/compiler/find_compiler.h"
#include "tests/support/files.h"

namespace eyrie::pjrt {
namespace {

int Run(int count, char** arguments) {
  if (count < 5) return 2;
  const auto library = FindCompiler(arguments[1]);
  const std::string program = FileText(arguments[2]);
  const int times = std::atoi(arguments[3]);
  const bool verifies = std::atoi(arguments[4]) != 0;
  const std::vector<std::string> flags(arguments + 5, arguments + count);
  if (!library.ok()) {
    std::printf("%s\n", library.status().ToString().c_str());
    return 1;
  }
  Deadline begin = Deadline::Now();
  const auto process = CompilerProcess::Start(*library);
  double sum = 0, least = 1e9;
  for (int i = 1; i <= times && process.ok(); ++i) {
    const auto compiled = (*process)->Compile({program, flags, verifies}, {});
    const Deadline end = Deadline::Now();
    const double seconds = absl::ToDoubleSeconds(end - begin);
    begin = end;
    if (i > 1) sum += seconds;
    least = std::min(least, seconds);
    if (!compiled.ok()) {
      std::printf("%s\n", compiled.status().ToString().c_str());
      return 1;
    }
    if (i > 2 && i != 10 && i % 50 != 0 && i != times) continue;
    const double megabytes =
        static_cast<double>((*process)->ResidentBytes()) / 1e6;
    std::printf("%4d  %.3f s  mean %.3f  least %.3f  %.0f MB  %zu bytes\n", i,
                seconds, i > 1 ? sum / (i - 1) : seconds, least, megabytes,
                compiled->module.size());
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace
}  // namespace eyrie::pjrt

int main(int count, char** arguments) {
  return eyrie::pjrt::Run(count, arguments);
}
