// Runs a fuzz target on the files and folders given as arguments, so that a
// build with any compiler tests its corpus.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int main(int argc, char** argv) {
  namespace fs = std::filesystem;
  std::vector<std::string> paths;
  for (int i = 1; i < argc; ++i) {
    std::error_code error;
    if (!fs::is_directory(argv[i], error)) {
      paths.push_back(argv[i]);
      continue;
    }
    for (const auto& entry : fs::directory_iterator(argv[i], error)) {
      paths.push_back(entry.path().string());
    }
  }
  std::sort(paths.begin(), paths.end());
  for (const std::string& path : paths) {
    std::ifstream in(path, std::ios::binary);
    if (!in) {
      std::fprintf(stderr, "Cannot open %s.\n", path.c_str());
      return 1;
    }
    std::vector<char> bytes{std::istreambuf_iterator<char>(in), {}};
    // Exactly as long as its contents, so that sanitizers detect reads past the
    // end.
    std::vector<uint8_t> exact(bytes.begin(), bytes.end());
    LLVMFuzzerTestOneInput(exact.data(), exact.size());
  }
  std::printf("Replayed %zu files.\n", paths.size());
  return paths.empty() ? 1 : 0;
}
