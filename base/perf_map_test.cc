// The lines of a map, and files that already have its name.
#include "base/perf_map.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "tests/support/files.h"

namespace eyrie {
namespace {

class PerfMapTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "/perf_map_XXXXXX";
    folder_ = mkdtemp(name.data());
    path_ = absl::StrCat(folder_, "/perf-", getpid(), ".map");
  }
  // Returns the error of Create, with "a/b" for the path.
  std::string Why() {
    const absl::Status status = PerfMap::Create(folder_).status();
    return absl::StrReplaceAll(status.ToString(), {{path_, "a/b"}});
  }

  std::string folder_;
  std::string path_;
};

TEST_F(PerfMapTest, Lines) {
  const auto map = PerfMap::Create(folder_);
  ASSERT_TRUE(map.ok()) << map.status();
  EXPECT_EQ((*map)->path(), path_);
  const PerfMap::Function kFirst[] = {
      {0x7F0012345678, 0x40, "matmul"},
      {0x7F00123456B8, 16, "two\nlines \x1b[31m"},
  };
  const PerfMap::Function kSecond[] = {{0, ~uint64_t{0}, ""}};
  EXPECT_TRUE((*map)->Add(kFirst).ok());
  EXPECT_TRUE((*map)->Add({}).ok());
  EXPECT_TRUE((*map)->Add(kSecond).ok());
  EXPECT_EQ(FileText(path_),
            "7f0012345678 40 matmul\n"
            "7f00123456b8 10 two?lines ?[31m\n"
            "0 ffffffffffffffff \n");
  struct stat found = {};
  ASSERT_EQ(lstat(path_.c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0600u);
}

TEST_F(PerfMapTest, AFileOfOnesOwnIsReplacedNotWritten) {
  std::ofstream(path_) << "an earlier process's";
  const std::string other = folder_ + "/other";
  ASSERT_EQ(link(path_.c_str(), other.c_str()), 0);
  const auto map = PerfMap::Create(folder_);
  ASSERT_TRUE(map.ok()) << map.status();
  const PerfMap::Function kOne[] = {{1, 2, "f"}};
  EXPECT_TRUE((*map)->Add(kOne).ok());
  EXPECT_EQ(FileText(path_), "1 2 f\n");
  EXPECT_EQ(FileText(other), "an earlier process's");
}

TEST_F(PerfMapTest, LinksAndFoldersAreLeftAlone) {
  const std::string target = folder_ + "/target";
  std::ofstream(target) << "precious";
  ASSERT_EQ(symlink(target.c_str(), path_.c_str()), 0);
  EXPECT_EQ(Why(),
            "PERMISSION_DENIED: Cannot replace a/b: it is a link, which is not "
            "followed.");
  EXPECT_EQ(FileText(target), "precious");
  ASSERT_EQ(unlink(path_.c_str()), 0);
  // The target of a broken link is not created.
  ASSERT_EQ(symlink((folder_ + "/new").c_str(), path_.c_str()), 0);
  EXPECT_EQ(Why(),
            "PERMISSION_DENIED: Cannot replace a/b: it is a link, which is not "
            "followed.");
  EXPECT_NE(access((folder_ + "/new").c_str(), F_OK), 0);
  ASSERT_EQ(unlink(path_.c_str()), 0);
  ASSERT_EQ(mkdir(path_.c_str(), 0700), 0);
  EXPECT_EQ(Why(),
            "PERMISSION_DENIED: Cannot replace a/b: it is not a regular file.");
  EXPECT_EQ(PerfMap::Create(folder_ + "/none").status().code(),
            absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace eyrie
