// The file by which Linux' perf names code that is in no file of the system's:
// one line per function, "start size name" in hexadecimal digits.
//
// It stays when the process ends, since perf reads it afterwards.
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
  // Where perf looks for it.
  static constexpr char kFolder[] = "/tmp";

  struct Function {
    uint64_t address;
    uint64_t size;  // bytes
    std::string name;
  };

  // Makes "perf-<process>.map", which only this user can read. A file that an
  // earlier process of this user's has left is replaced; anything else of that
  // name, links above all, is left alone: PERMISSION_DENIED. NOT_FOUND,
  // INTERNAL: as the system says.
  static absl::StatusOr<std::shared_ptr<PerfMap>> Create(
      const std::string& folder = kFolder);
  PerfMap(const PerfMap&) = delete;
  PerfMap& operator=(const PerfMap&) = delete;
  ~PerfMap();

  // Names are made fit for a line. INTERNAL: the file cannot be written.
  absl::Status Add(std::span<const Function> functions);

  const std::string& path() const { return path_; }

 private:
  PerfMap(std::string path, int descriptor)
      : path_(std::move(path)), descriptor_(descriptor) {}

  const std::string path_;
  const int descriptor_;
  std::mutex mutex_;  // lines stay whole
};

}  // namespace eyrie

#endif  // EYRIE_BASE_PERF_MAP_H_
