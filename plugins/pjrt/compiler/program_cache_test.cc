// Stores programs in a folder, damages them, and fills it.
#include "plugins/pjrt/compiler/program_cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "tests/support/files.h"
#include "tests/support/status_text.h"

namespace eyrie::pjrt {
namespace {

std::string Key(std::string_view text) {
  return ProgramCache::Key(std::vector<std::string_view>{text});
}

std::string NewFolder(const char* name) {
  std::string folder = testing::TempDir() + "/cache.XXXXXX";
  EXPECT_NE(mkdtemp(folder.data()), nullptr);
  return absl::StrCat(folder, "/", name);
}

std::string PathOf(const ProgramCache& cache, std::string_view text) {
  return absl::StrCat(cache.folder(), "/", Key(text), ".vmfb");
}

// Returns the number of files in a folder.
size_t FileCount(const std::string& folder) {
  size_t count = 0;
  DIR* const list = opendir(folder.c_str());
  if (list == nullptr) return 0;
  while (const dirent* const each = readdir(list)) {
    if (each->d_name[0] != '.') ++count;
  }
  closedir(list);
  return count;
}

// Sets the time of a file's last use to some seconds ago.
void Age(const std::string& path, int seconds) {
  struct stat found = {};
  ASSERT_EQ(stat(path.c_str(), &found), 0) << path;
  const timespec time = {found.st_mtim.tv_sec - seconds, 0};
  const timespec times[2] = {time, time};
  EXPECT_EQ(utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
}

std::string Get(const ProgramCache& cache, std::string_view text) {
  return cache.Get(Key(text)).value_or("none");
}

void Put(const ProgramCache& cache, std::string_view text,
         std::string_view bytes) {
  EXPECT_EQ(StatusText(cache.Put(Key(text), bytes)), "OK");
}

TEST(ProgramCache, ReturnsWhatWasStored) {
  const ProgramCache cache(NewFolder("a/b"), kDefaultCacheBytes);
  EXPECT_EQ(Get(cache, "x"), "none");
  Put(cache, "x", "program");
  Put(cache, "y", "");
  const std::string large(5'000'000, 'z');
  Put(cache, "z", large);
  EXPECT_EQ(Get(cache, "x"), "program");
  EXPECT_EQ(Get(cache, "y"), "");
  EXPECT_EQ(Get(cache, "z"), large);
  Put(cache, "x", "another");
  EXPECT_EQ(Get(cache, "x"), "another");
  EXPECT_EQ(FileCount(cache.folder()), 3);
  struct stat found = {};
  EXPECT_EQ(stat(cache.folder().c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0700);
  EXPECT_EQ(stat(PathOf(cache, "x").c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0600);
}

TEST(ProgramCache, KeysTellListsApart) {
  const auto key = [](std::vector<std::string_view> parts) {
    return ProgramCache::Key(parts);
  };
  EXPECT_EQ(key({"a", "b"}).size(), 64);
  EXPECT_EQ(key({"a", "b"}), key({"a", "b"}));
  EXPECT_NE(key({"a", "b"}), key({"ab"}));
  EXPECT_NE(key({"a", "b"}), key({"b", "a"}));
  EXPECT_NE(key({"a"}), key({"a", ""}));
}

TEST(ProgramCache, RefusesDamagedFiles) {
  const ProgramCache cache(NewFolder("damaged"), kDefaultCacheBytes);
  Put(cache, "x", "a program of some bytes");
  const std::string path = PathOf(cache, "x");
  const std::string whole = FileText(path);
  std::string changed = whole;
  changed[3] = 'x';
  const std::string texts[] = {"",
                               whole.substr(0, 20),
                               whole.substr(0, whole.size() - 1),
                               whole + "x",
                               changed,
                               std::string(whole.size(), '\0')};
  for (const std::string& text : texts) {
    std::ofstream(path) << text;
    EXPECT_EQ(Get(cache, "x"), "none") << text.size();
  }
  std::ofstream(path) << whole;
  EXPECT_EQ(Get(cache, "x"), "a program of some bytes");
}

TEST(ProgramCache, RefusesOtherThanFiles) {
  const ProgramCache cache(NewFolder("links"), kDefaultCacheBytes);
  Put(cache, "x", "program");
  EXPECT_EQ(symlink(PathOf(cache, "x").c_str(), PathOf(cache, "l").c_str()), 0);
  EXPECT_EQ(mkfifo(PathOf(cache, "f").c_str(), 0600), 0);
  EXPECT_EQ(mkdir(PathOf(cache, "d").c_str(), 0700), 0);
  for (const char* name : {"l", "f", "d"}) EXPECT_EQ(Get(cache, name), "none");
  // A new entry replaces a link, not the file that it names.
  Put(cache, "l", "other");
  EXPECT_EQ(Get(cache, "l"), "other");
  EXPECT_EQ(Get(cache, "x"), "program");
  // Only root may give a file away.
  if (chown(PathOf(cache, "x").c_str(), 12345, 12345) != 0) return;
  EXPECT_EQ(Get(cache, "x"), "none");
}

TEST(ProgramCache, RemovesWhatWasUsedLongestAgo) {
  const ProgramCache cache(NewFolder("bounded"), 250);
  const std::string bytes(100 - 32, '.');
  for (const char* name : {"a", "b", "c", "d"}) Put(cache, name, bytes);
  // None was used more than an hour ago.
  EXPECT_EQ(FileCount(cache.folder()), 4);
  Age(PathOf(cache, "a"), 7300);
  Age(PathOf(cache, "b"), 7200);
  Age(PathOf(cache, "c"), 7100);
  EXPECT_EQ(Get(cache, "a"), bytes);  // a use
  const std::string other = cache.folder() + "/other.vmfb";
  const std::string part = PathOf(cache, "p") + ".12.3";
  std::ofstream(other) << std::string(1000, '.');
  std::ofstream(part) << ".";
  Age(other, 1'000'000);
  Age(part, 80'000);
  Put(cache, "e", bytes);
  // 'b' and 'c' are removed; others are not of the cache, or in use.
  EXPECT_EQ(Get(cache, "b"), "none");
  EXPECT_EQ(Get(cache, "c"), "none");
  for (const char* name : {"a", "d", "e"}) EXPECT_EQ(Get(cache, name), bytes);
  EXPECT_EQ(FileCount(cache.folder()), 5);
  Age(part, 100'000);
  Put(cache, "e", bytes);
  EXPECT_EQ(FileCount(cache.folder()), 4);
}

TEST(ProgramCache, FoldersThatCannotBeUsed) {
  const ProgramCache none("", 1);
  EXPECT_EQ(Get(none, "x"), "none");
  EXPECT_EQ(StatusText(none.Put(Key("x"), "y")),
            "FAILED_PRECONDITION: The cache of compiled programs has no "
            "folder: none of EYRIE_CACHE, XDG_CACHE_HOME and HOME is set.");
  const std::string file = NewFolder("file");
  std::ofstream(file) << "text";
  for (const std::string& folder :
       {file, file + "/below", std::string("/proc/x")}) {
    const ProgramCache cache(folder, 1);
    const std::string text = StatusText(cache.Put(Key("x"), "y"));
    EXPECT_TRUE(absl::StrContains(text, ": Cannot create ")) << text;
    EXPECT_EQ(Get(cache, "x"), "none");
  }
}

TEST(ProgramCache, IsSharedByThreads) {
  const std::string folder = NewFolder("shared");
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      const ProgramCache cache(folder, 1000);
      for (int j = 0; j < 50; ++j) {
        const std::string name = absl::StrCat(j % 7);
        Put(cache, name, std::string(100, name[0]));
        const std::string found = Get(cache, name);
        EXPECT_EQ(found, std::string(100, name[0]));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(FileCount(folder), 7);
}

struct Case {
  const char* cache;
  const char* users;
  const char* home;
  const char* size;
  const char* want;
};

TEST(ProgramCache, Environment) {
  const Case kCases[] = {
      {"/c", "/x", "/h", "", "/c/pjrt 4294967296"},
      {"", "/x", "/h", "0", "/x/eyrie/pjrt 0"},
      {"", "", "/h", "12", "/h/.cache/eyrie/pjrt 12"},
      {"", "", "", "", " 4294967296"},
      {"/c", "", "", "999999999999999999", "/c/pjrt 999999999999999999"},
      {"/c", "", "", "4G",
       "INVALID_ARGUMENT: EYRIE_CACHE_SIZE ('4G') is not a number of bytes, "
       "such as 4294967296."},
      {"/c", "", "", "-1",
       "INVALID_ARGUMENT: EYRIE_CACHE_SIZE ('-1') is not a number of bytes, "
       "such as 4294967296."},
      {"/c", "", "", "1999999999999999999",
       "INVALID_ARGUMENT: EYRIE_CACHE_SIZE ('1999999999999999999') is not a "
       "number of bytes, such as 4294967296."},
  };
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.want);
    setenv("EYRIE_CACHE", c.cache, 1);
    setenv("XDG_CACHE_HOME", c.users, 1);
    setenv("HOME", c.home, 1);
    setenv("EYRIE_CACHE_SIZE", c.size, 1);
    const auto cache = ProgramCache::FromEnvironment();
    EXPECT_EQ(cache.ok() ? absl::StrCat(cache->folder(), " ", cache->limit())
                         : StatusText(cache),
              c.want);
  }
  setenv("EYRIE_CACHE", "relative", 1);
  setenv("EYRIE_CACHE_SIZE", "", 1);
  EXPECT_EQ(ProgramCache::FromEnvironment()->folder()[0], '/');
  for (const char* name :
       {"EYRIE_CACHE", "XDG_CACHE_HOME", "EYRIE_CACHE_SIZE"}) {
    unsetenv(name);
  }
}

}  // namespace
}  // namespace eyrie::pjrt
