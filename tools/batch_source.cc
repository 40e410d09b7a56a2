#include "tools/batch_source.h"

#include <cerrno>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/folders.h"
#include "base/mapped_file.h"
#include "base/status_macros.h"
#include "base/system_error.h"

namespace eyrie::tools {
namespace {

constexpr size_t kMaxBatchLine = size_t{1} << 30;  // bytes of a call's JSON

absl::Status TooLong(const std::string& what) {
  return absl::ResourceExhaustedError(absl::StrCat(
      what, " of --batch has more than ", kMaxBatchLine, " bytes."));
}

}  // namespace

void BatchSource::CloseFile::operator()(std::FILE* file) const {
  if (file != stdin) std::fclose(file);
}

absl::StatusOr<BatchSource> BatchSource::Open(const std::string& path) {
  BatchSource source;
  if (path == "-") {
    source.lines_.reset(stdin);
    return source;
  }
  if (!IsFolder(path)) {
    source.lines_.reset(std::fopen(path.c_str(), "re"));
    if (source.lines_ == nullptr) return SystemError("open", path, errno);
    return source;
  }
  source.folder_ = absl::StrCat(absl::StripSuffix(path, "/"), "/");
  for (const char* extension : {".json", ".npy", ".npz"}) {
    RETURN_IF_ERROR(ListFiles(path, extension, source.files_));
  }
  absl::c_sort(source.files_);
  if (source.files_.empty()) {
    return absl::NotFoundError(
        absl::StrCat("--batch='", path,
                     "' is a folder without files *.json, *.npy or *.npz."));
  }
  return source;
}

absl::StatusOr<bool> BatchSource::NextLine(std::string& line) {
  line.clear();
  int read = 0;
  while (read != EOF) {
    read = getc_unlocked(lines_.get());
    if (read != EOF && read != '\n') {
      if (line.size() == kMaxBatchLine) {
        return TooLong(absl::StrCat("Line ", next_ + 1));
      }
      line.push_back(static_cast<char>(read));
      continue;
    }
    ++next_;
    if (!absl::StripAsciiWhitespace(line).empty()) break;
    line.clear();
  }
  if (std::ferror(lines_.get()) != 0) {
    return SystemError("read", "the lines of --batch", errno);
  }
  return !line.empty();
}

absl::StatusOr<bool> BatchSource::Next(BatchInput& input) {
  input = {};
  if (lines_ != nullptr) return NextLine(input.json);
  if (next_ == files_.size()) return false;
  const std::string& path = files_[next_++];
  input.name = std::string(absl::StripPrefix(path, folder_));
  if (!absl::EndsWith(path, ".json")) {
    input.path = path;
    return true;
  }
  ASSIGN_OR_RETURN(const auto file, MappedFile::Open(path));
  const auto bytes = file->bytes();
  if (bytes.size() > kMaxBatchLine) return TooLong(path);
  input.json.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return true;
}

}  // namespace eyrie::tools
