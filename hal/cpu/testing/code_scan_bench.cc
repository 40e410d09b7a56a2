// Measures the scan of an executable's machine code, per byte of code.
//
//   bazel run -c opt //hal/cpu:code_scan_bench -- m.vmfb
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>

#include "benchmark/benchmark.h"
#include "hal/cpu/elf_loader.h"

namespace eyrie::hal::cpu {
namespace {

void Scan(benchmark::State& state, const std::string& file) {
  const size_t at = file.find(
      "\x7f"
      "ELF");
  if (at == file.npos) return state.SkipWithError("There is no ELF file.");
  const std::string elf = file.substr(at);
  const auto image =
      ElfImage::Load({reinterpret_cast<const uint8_t*>(elf.data()), elf.size()},
                     ElfUse::kRead);
  if (!image.ok()) return state.SkipWithError("The ELF file is malformed.");
  int64_t bytes = 0;
  for (const Image::Range& range : (*image)->ranges()) {
    if (range.executable) bytes += static_cast<int64_t>(range.bytes.size());
  }
  for (auto _ : state) {
    benchmark::DoNotOptimize((*image)->ScanCode().all());
  }
  state.SetBytesProcessed(state.iterations() * bytes);
}

}  // namespace
}  // namespace eyrie::hal::cpu

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  for (int i = 1; i < argc; ++i) {
    std::ifstream file(argv[i], std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    benchmark::RegisterBenchmark(argv[i], eyrie::hal::cpu::Scan, bytes);
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
