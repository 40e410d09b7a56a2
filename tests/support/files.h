// Reads whole files. A file that cannot be opened fails the test.
#ifndef EYRIE_TESTS_SUPPORT_FILES_H_
#define EYRIE_TESTS_SUPPORT_FILES_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace eyrie {

template <typename Bytes>
Bytes ReadFileAs(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.good()) << path;
  return Bytes(std::istreambuf_iterator<char>(file), {});
}

inline std::vector<uint8_t> FileBytes(const std::string& path) {
  return ReadFileAs<std::vector<uint8_t>>(path);
}

inline std::string FileText(const std::string& path) {
  return ReadFileAs<std::string>(path);
}

}  // namespace eyrie

#endif  // EYRIE_TESTS_SUPPORT_FILES_H_
