// Writes the file in which Linux's perf looks up the names of compiled code
// that is not in an ELF file: a line "start size name" for each function, with
// hexadecimal numbers.
//
// The file is kept when the process ends, since perf reads it afterwards.
// Tested by perf_map_test.cc.
#ifndef EYRIE_BASE_PERF_MAP_H_
#define EYRIE_BASE_PERF_MAP_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace eyrie {

// Thread-safe.
class PerfMap {
 public:
  // The folder in which perf looks for the file.
  static constexpr char kFolder[] = "/tmp";

  struct Function {
    uint64_t address;
    uint64_t size;  // bytes
    std::string name;
  };

  // Creates "perf-<process>.map", which only this user can read. Replaces a
  // regular file of this user, which an earlier process left.
  // PERMISSION_DENIED: the name is taken by anything else, such as a link.
  // Other system errors have the code of SystemError().
  static absl::StatusOr<std::shared_ptr<PerfMap>> Create(
      const std::string& folder = kFolder);
  PerfMap(const PerfMap&) = delete;
  PerfMap& operator=(const PerfMap&) = delete;
  ~PerfMap();

  // Appends a line for each function, with its name as PlainText().
  // INTERNAL, RESOURCE_EXHAUSTED: the file cannot be written.
  absl::Status Add(std::span<const Function> functions);

  const std::string& path() const { return path_; }

 private:
  PerfMap(std::string path, int descriptor)
      : path_(std::move(path)), descriptor_(descriptor) {}

  const std::string path_;
  const int descriptor_;
  std::mutex mutex_;  // held while lines are written, so that they do not mix
};

}  // namespace eyrie

#endif  // EYRIE_BASE_PERF_MAP_H_
