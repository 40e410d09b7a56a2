// Files by way of a temporary one beside them.
//
// Tested by cli_test.py.
#include "tools/file_writer.h"

#include <sys/stat.h>
#include <unistd.h>

#include <utility>

#include "absl/strings/str_cat.h"

namespace eyrie::tools {
namespace {

// Pipes and devices are written in place.
bool IsSpecial(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode);
}

}  // namespace

FileWriter::FileWriter(std::string path) : path_(std::move(path)) {
  if (path_ == "-") {
    file_ = stdout;
    return;
  }
  if (!IsSpecial(path_)) partial_ = absl::StrCat(path_, ".", getpid(), ".part");
  file_ = std::fopen(partial_.empty() ? path_.c_str() : partial_.c_str(), "wb");
}

FileWriter::~FileWriter() {
  if (file_ == nullptr || file_ == stdout) return;
  std::fclose(file_);
  if (!partial_.empty()) std::remove(partial_.c_str());
}

absl::Status FileWriter::Failure() const {
  return absl::DataLossError(
      absl::StrCat("The file '", path_, "' cannot be written."));
}

absl::Status FileWriter::Write(std::span<const uint8_t> bytes) {
  if (file_ == nullptr) return Failure();
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_) == bytes.size()) {
    return absl::OkStatus();
  }
  return Failure();
}

absl::Status FileWriter::Finish() {
  if (file_ == nullptr) return Failure();
  if (file_ == stdout) {
    return std::fflush(stdout) == 0 ? absl::OkStatus() : Failure();
  }
  const bool closed = std::fclose(std::exchange(file_, nullptr)) == 0;
  if (partial_.empty()) return closed ? absl::OkStatus() : Failure();
  if (closed && std::rename(partial_.c_str(), path_.c_str()) == 0) {
    return absl::OkStatus();
  }
  std::remove(partial_.c_str());
  return Failure();
}

}  // namespace eyrie::tools
