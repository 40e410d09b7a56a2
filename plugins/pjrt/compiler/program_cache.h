// Keeps compiled programs in a folder of files, for all processes of a user.
//
// An entry is KEY.vmfb: the program's bytes and their SHA-256, which tells a
// damaged file from a whole one. (The directory of a ZIP, at its end, would not
// show damage before it.) Files appear complete, by a rename, and stay for an
// hour after each use. The rules are those of python/package/eyrie/_cache.py.
// Tested by program_cache_test.cc.
#ifndef EYRIE_PLUGINS_PJRT_COMPILER_PROGRAM_CACHE_H_
#define EYRIE_PLUGINS_PJRT_COMPILER_PROGRAM_CACHE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace eyrie::pjrt {

inline constexpr uint64_t kDefaultCacheBytes = uint64_t{4} << 30;

// Thread-safe, also among processes.
class ProgramCache {
 public:
  // Keeps at most about `limit` bytes; 0: nothing beyond an hour. The folder
  // is created at the first Put(). "" keeps nothing.
  ProgramCache(std::string folder, uint64_t limit)
      : folder_(std::move(folder)), limit_(limit) {}

  // Returns the user's cache. Its folder is $EYRIE_CACHE/pjrt, else
  // $XDG_CACHE_HOME/eyrie/pjrt, else ~/.cache/eyrie/pjrt. Its limit is
  // EYRIE_CACHE_SIZE, a number of bytes.
  // INVALID_ARGUMENT: EYRIE_CACHE_SIZE is not a number.
  static absl::StatusOr<ProgramCache> FromEnvironment();

  // Returns the key of an entry: a hash of everything that its program depends
  // on, in hexadecimal digits. Different lists have different keys.
  static std::string Key(std::span<const std::string_view> parts);

  // Returns an entry's bytes, and counts as its use. Returns nullopt if there
  // is none, it is damaged, or it belongs to another user, except root.
  std::optional<std::string> Get(const std::string& key) const;

  // Stores an entry, and removes those that were used longest ago, beyond the
  // limit. Errors have the code of SystemError(); the program can be used
  // nevertheless. FAILED_PRECONDITION: the cache has no folder.
  absl::Status Put(const std::string& key, std::string_view bytes) const;

  const std::string& folder() const { return folder_; }
  uint64_t limit() const { return limit_; }

 private:
  std::string PathOf(const std::string& key) const;
  void Trim() const;

  std::string folder_;
  uint64_t limit_;
};

}  // namespace eyrie::pjrt

#endif  // EYRIE_PLUGINS_PJRT_COMPILER_PROGRAM_CACHE_H_
