#include "plugins/pjrt/compiler/program_cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/allocate.h"
#include "base/descriptor.h"
#include "base/folders.h"
#include "base/plain_text.h"
#include "base/sha256.h"
#include "base/status_macros.h"
#include "base/system_error.h"
#include "plugins/pjrt/compiler/environment.h"

namespace eyrie::pjrt {
namespace {

constexpr uint64_t kMaxEntryBytes = uint64_t{1} << 32;
constexpr size_t kHashBytes = 32;
constexpr size_t kKeySize = 2 * kHashBytes;
constexpr absl::string_view kExtension = ".vmfb";
// Seconds after its last use in which an entry is not removed, and seconds that
// a part may take to be written.
constexpr int64_t kInUse = 3600;
constexpr int64_t kInWork = 24 * 3600;

std::span<const uint8_t> BytesOf(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

std::string HashOf(std::string_view bytes) {
  const std::array<uint8_t, kHashBytes> hash = Sha256(BytesOf(bytes));
  return std::string(hash.begin(), hash.end());
}

std::string Absolute(const std::string& path) {
  if (path.empty() || path[0] == '/') return path;
  char* const here = getcwd(nullptr, 0);
  const std::string folder = here == nullptr ? "." : here;
  std::free(here);
  return absl::StrCat(folder, "/", path);
}

// Creates the folders that are missing, for this user only.
absl::Status CreatePrivate(const std::string& folder) {
  for (size_t end = folder.find('/', 1); end != folder.npos;
       end = folder.find('/', end + 1)) {
    mkdir(folder.substr(0, end).c_str(), 0700);
  }
  mkdir(folder.c_str(), 0700);
  return IsFolder(folder) ? absl::OkStatus()
                          : SystemError("create", folder, errno);
}

// Reads an open file, or returns nullopt.
std::optional<std::string> ReadAll(int file, uint64_t size) {
  std::string bytes;
  if (!Resize(bytes, size, "a compiled program").ok()) return std::nullopt;
  uint64_t done = 0;
  while (done < size) {
    const ssize_t got = read(file, bytes.data() + done, size - done);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return std::nullopt;
    done += static_cast<uint64_t>(got);
  }
  return bytes;
}

// Creates a file with a new name next to `path`, and sets `part` to that.
absl::StatusOr<Descriptor> CreatePart(const std::string& path,
                                      std::string& part) {
  constexpr int kAttempts = 100;  // parts of other processes have the same IDs
  static constinit std::atomic<uint64_t> parts{0};
  int error = 0;
  for (int i = 0; i < kAttempts; ++i) {
    part = absl::StrCat(path, ".", getpid(), ".", ++parts);
    Descriptor file(
        open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (file.is_open()) return file;
    error = errno;
    if (error != EEXIST) break;
  }
  return SystemError("create", part, error);
}

// Writes an entry. If it returns false, errno has the error. Does not wait for
// the disk: the hash shows whether a file is whole after the system has
// crashed.
bool WriteEntry(int file, std::string_view bytes) {
  const FileSizeSignalBlock block;
  const std::string hash = HashOf(bytes);
  return WriteAll(file, BytesOf(bytes)) == bytes.size() &&
         WriteAll(file, BytesOf(hash)) == hash.size() && FlushAsClose(file);
}

// A file of the folder.
struct Entry {
  std::string path;
  uint64_t size;
  int64_t last_use;  // seconds
  bool is_part;
};

// Recognizes KEY.vmfb, and KEY.vmfb.PID.N, which is a part. Other files are not
// of the cache.
bool IsEntry(absl::string_view name, bool& is_part) {
  const auto is_hex = [](char c) {
    return absl::ascii_isdigit(c) || (c >= 'a' && c <= 'f');
  };
  if (name.size() < kKeySize + kExtension.size() ||
      !std::all_of(name.begin(), name.begin() + kKeySize, is_hex) ||
      name.substr(kKeySize, kExtension.size()) != kExtension) {
    return false;
  }
  const absl::string_view rest = name.substr(kKeySize + kExtension.size());
  is_part = !rest.empty();
  return rest.empty() ||
         (rest[0] == '.' && rest.find_first_not_of(".0123456789") == rest.npos);
}

std::vector<Entry> ListEntries(const std::string& folder) {
  std::vector<Entry> entries;
  DIR* const list = opendir(folder.c_str());
  if (list == nullptr) return entries;
  while (const dirent* const each = readdir(list)) {
    bool is_part = false;
    struct stat found = {};
    if (!IsEntry(each->d_name, is_part)) continue;
    std::string path = absl::StrCat(folder, "/", each->d_name);
    if (lstat(path.c_str(), &found) != 0 || !S_ISREG(found.st_mode)) continue;
    entries.push_back({std::move(path), static_cast<uint64_t>(found.st_size),
                       found.st_mtim.tv_sec, is_part});
  }
  closedir(list);
  return entries;
}

}  // namespace

absl::StatusOr<ProgramCache> ProgramCache::FromEnvironment() {
  constexpr size_t kMaxDigits = 18;
  uint64_t limit = kDefaultCacheBytes;
  const std::string size = EnvironmentVariable("EYRIE_CACHE_SIZE");
  if (!size.empty() && (size.size() > kMaxDigits ||
                        size.find_first_not_of("0123456789") != size.npos ||
                        !absl::SimpleAtoi(size, &limit))) {
    return absl::InvalidArgumentError(
        absl::StrCat("EYRIE_CACHE_SIZE ('", PlainName(size),
                     "') is not a number of bytes, such as 4294967296."));
  }
  std::string folder = EnvironmentVariable("EYRIE_CACHE");
  if (!folder.empty()) return ProgramCache(Absolute(folder) + "/pjrt", limit);
  folder = EnvironmentVariable("XDG_CACHE_HOME");
  const std::string home = EnvironmentVariable("HOME");
  if (folder.empty() && !home.empty()) folder = home + "/.cache";
  if (!folder.empty()) folder = Absolute(folder) + "/eyrie/pjrt";
  return ProgramCache(folder, limit);
}

std::string ProgramCache::Key(std::span<const std::string_view> parts) {
  std::string hashes;
  for (const std::string_view part : parts) hashes += HashOf(part);
  return absl::BytesToHexString(HashOf(hashes));
}

std::string ProgramCache::PathOf(const std::string& key) const {
  return absl::StrCat(folder_, "/", key, kExtension);
}

std::optional<std::string> ProgramCache::Get(const std::string& key) const {
  if (folder_.empty()) return std::nullopt;
  const Descriptor file(open(PathOf(key).c_str(),
                             O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat found = {};
  if (!file.is_open() || fstat(file.get(), &found) != 0 ||
      !S_ISREG(found.st_mode) ||
      (found.st_uid != geteuid() && found.st_uid != 0)) {
    return std::nullopt;
  }
  const auto size = static_cast<uint64_t>(found.st_size);
  if (size < kHashBytes || size > kMaxEntryBytes) return std::nullopt;
  // Fails in a folder that is read-only.
  futimens(file.get(), nullptr);
  std::optional<std::string> bytes = ReadAll(file.get(), size);
  if (!bytes.has_value()) return std::nullopt;
  const std::string hash = bytes->substr(size - kHashBytes);
  bytes->resize(size - kHashBytes);
  if (HashOf(*bytes) != hash) return std::nullopt;
  return bytes;
}

absl::Status ProgramCache::Put(const std::string& key,
                               std::string_view bytes) const {
  if (folder_.empty()) {
    return absl::FailedPreconditionError(
        "The cache of compiled programs has no folder: none of EYRIE_CACHE, "
        "XDG_CACHE_HOME and HOME is set.");
  }
  RETURN_IF_ERROR(CreatePrivate(folder_));
  const std::string path = PathOf(key);
  std::string part;
  ASSIGN_OR_RETURN(const Descriptor file, CreatePart(path, part));
  if (!WriteEntry(file.get(), bytes) ||
      rename(part.c_str(), path.c_str()) != 0) {
    const int error = errno;
    unlink(part.c_str());
    return SystemError("write", path, error);
  }
  Trim();
  return absl::OkStatus();
}

void ProgramCache::Trim() const {
  struct stat folder = {};
  if (stat(folder_.c_str(), &folder) != 0) return;
  // The folder has just changed. Unlike this machine's clock, that is the clock
  // of the files.
  const int64_t now = folder.st_mtim.tv_sec;
  std::vector<Entry> entries = ListEntries(folder_);
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return a.last_use < b.last_use;
  });
  uint64_t total = 0;
  for (const Entry& entry : entries) total += entry.size;
  for (const Entry& entry : entries) {
    const int64_t stay = entry.is_part ? kInWork : kInUse;
    const bool is_unused = entry.last_use < now - stay;
    if (!is_unused || (!entry.is_part && total <= limit_)) continue;
    if (unlink(entry.path.c_str()) == 0) total -= entry.size;
  }
}

}  // namespace eyrie::pjrt
