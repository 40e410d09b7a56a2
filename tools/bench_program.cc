// The program of `eyrie bench` alone, which the others become: Google Benchmark
// is a shared library, and needs libstdc++ as another.
#include "absl/strings/string_view.h"
#include "tools/command.h"

int main(int argc, char** argv) {
  eyrie::tools::OccupyStandardStreams();
  std::span<const char* const> args(argv, static_cast<size_t>(argc));
  if (!args.empty()) args = args.subspan(1);
  if (!args.empty() && args[0] == absl::string_view("bench")) {
    args = args.subspan(1);
  }
  return eyrie::tools::BenchMain(args);
}
