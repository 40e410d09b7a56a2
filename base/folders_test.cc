// Tests base/folders.h.
#include "base/folders.h"

#include <linux/capability.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "gtest/gtest.h"

namespace eyrie {
namespace {

namespace fs = std::filesystem;

// Has an empty folder for each test.
class Folders : public testing::Test {
 protected:
  void SetUp() override {
    root_ = absl::StrCat(
        testing::TempDir(), "/folders_",
        testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(root_);
    fs::create_directories(root_);
  }
  void TearDown() override { fs::remove_all(root_); }

  std::string At(absl::string_view name) {
    return absl::StrCat(root_, "/", name);
  }
  void Write(absl::string_view name, absl::string_view text = "x") {
    fs::create_directories(fs::path(At(name)).parent_path());
    std::ofstream(At(name)) << text;
  }
  // Returns the files' paths below the root, or the error's code.
  std::string List(const std::string& folder) {
    std::vector<std::string> files = {"before"};
    const absl::Status status = ListFiles(folder, ".vmfb", files);
    if (!status.ok()) return absl::StatusCodeToString(status.code());
    for (std::string& file : files) {
      file = std::string(absl::StripPrefix(file, root_));
    }
    return absl::StrJoin(files, " ");
  }

  std::string root_;
};

TEST_F(Folders, SayWhatIsThere) {
  Write("file", "12345");
  fs::create_symlink(At("file"), At("link"));
  fs::create_symlink(root_, At("up"));
  fs::create_symlink(At("nothing"), At("broken"));
  ASSERT_EQ(mkfifo(At("pipe").c_str(), 0600), 0);
  struct Row {
    const char* name;
    bool folder;
    bool file;
    uint64_t size;
  };
  for (const Row& row : {Row{"file", false, true, 5},
                         {"link", false, true, 5},
                         {"file/", false, false, 0},
                         {"up/file", false, true, 5},
                         {"broken", false, false, 0},
                         {"nothing", false, false, 0},
                         {"pipe", false, false, 0}}) {
    EXPECT_EQ(IsFolder(At(row.name)), row.folder) << row.name;
    EXPECT_EQ(IsRegularFile(At(row.name)), row.file) << row.name;
    EXPECT_EQ(FileSize(At(row.name)), row.size) << row.name;
  }
  for (const char* name : {"", "/", "up", "up/up", "."}) {
    EXPECT_TRUE(IsFolder(At(name))) << name;
    EXPECT_FALSE(IsRegularFile(At(name))) << name;
  }
  EXPECT_FALSE(IsFolder(""));
}

TEST_F(Folders, AreMade) {
  Write("file");
  fs::create_symlink(At("nothing"), At("broken"));
  struct Row {
    const char* name;
    absl::StatusCode code;
    const char* message;  // with "R" for the root
  };
  for (const Row& row :
       {Row{"a/b/c", absl::StatusCode::kOk, ""},
        {"a/b/c", absl::StatusCode::kOk, ""},
        {"a//d/", absl::StatusCode::kOk, ""},
        {"file", absl::StatusCode::kNotFound,
         "Cannot make the folder R/file: Not a directory."},
        {"broken", absl::StatusCode::kNotFound,
         "Cannot make the folder R/broken: No such file or directory."},
        {"file/x/y", absl::StatusCode::kNotFound,
         "Cannot make the folder R/file: Not a directory."}}) {
    const absl::Status status = CreateFolders(At(row.name));
    EXPECT_EQ(status.code(), row.code) << row.name << status;
    std::string message(status.message());
    const size_t at = message.find(root_);
    if (at != message.npos) message.replace(at, root_.size(), "R");
    EXPECT_EQ(message, row.message) << row.name;
  }
  // If a path is too long, no part of it is created.
  std::string deep = At("deep");
  while (deep.size() < 5000) deep += "/d";
  EXPECT_TRUE(absl::StrContains(CreateFolders(deep).message(), "too long"));
  EXPECT_FALSE(IsFolder(At("deep")));
  EXPECT_TRUE(IsFolder(At("a/b/c")));
  EXPECT_TRUE(IsFolder(At("a/d")));
  EXPECT_TRUE(CreateFolders("").ok());
  EXPECT_TRUE(CreateFolders("/").ok());
  EXPECT_TRUE(CreateFolders(".").ok());
}

TEST_F(Folders, ListTheirFiles) {
  Write("a/z.vmfb");
  Write("a/b/y.vmfb");
  Write("a/b/y.txt");
  Write("a-b/a.vmfb");
  Write("a/.vmfb");
  Write("x.vmfb");
  fs::create_directories(At("folder.vmfb"));
  fs::create_symlink(At("x.vmfb"), At("link.vmfb"));
  fs::create_symlink(At("nothing"), At("broken.vmfb"));
  fs::create_symlink(root_, At("a/up"));
  fs::create_symlink(At("a/b"), At("to_b"));
  ASSERT_EQ(mkfifo(At("pipe.vmfb").c_str(), 0600), 0);
  const char kAll[] =
      "before /a/b/y.vmfb /a/z.vmfb /a-b/a.vmfb"
      " /link.vmfb /x.vmfb";
  EXPECT_EQ(List(root_), kAll);
  EXPECT_EQ(List(At("")), kAll);
  EXPECT_EQ(List(At("to_b")), "before /to_b/y.vmfb");
  EXPECT_EQ(List(At("to_b/")), "before /to_b/y.vmfb");
  EXPECT_EQ(List(At("folder.vmfb")), "before");
  for (const char* name : {"nothing", "broken.vmfb", "x.vmfb", "link.vmfb"}) {
    EXPECT_EQ(List(At(name)), "NOT_FOUND") << name;
  }
}

// During its lifetime, file modes apply to this thread even if it is root's.
class NoOverride {
 public:
  NoOverride() {
    EXPECT_EQ(syscall(SYS_capget, &header_, before_), 0);
    __user_cap_data_struct data[2] = {before_[0], before_[1]};
    data[0].effective &= ~(1u << CAP_DAC_OVERRIDE | 1u << CAP_DAC_READ_SEARCH);
    EXPECT_EQ(syscall(SYS_capset, &header_, data), 0);
  }
  ~NoOverride() { EXPECT_EQ(syscall(SYS_capset, &header_, before_), 0); }

 private:
  __user_cap_header_struct header_ = {_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct before_[2];
};

TEST_F(Folders, MayBeClosed) {
  Write("a.vmfb");
  Write("closed/c.vmfb");
  Write("named/c.vmfb");  // its folder may be listed but not entered
  fs::create_symlink(At("named/c.vmfb"), At("link.vmfb"));
  ASSERT_EQ(chmod(At("closed").c_str(), 0), 0);
  ASSERT_EQ(chmod(At("named").c_str(), 0400), 0);
  {
    const NoOverride as_a_user;
    EXPECT_EQ(List(root_), "before /a.vmfb /link.vmfb /named/c.vmfb");
    EXPECT_EQ(List(At("closed")), "before");
    EXPECT_EQ(CreateFolders(At("closed/d")).message(),
              absl::StrCat("Cannot make the folder ", At("closed/d"),
                           ": Permission denied."));
  }
  ASSERT_EQ(chmod(At("closed").c_str(), 0700), 0);
  ASSERT_EQ(chmod(At("named").c_str(), 0700), 0);
}

TEST(Paths, AreExplicit) {
  EXPECT_EQ(ExplicitPath("k.so"), "./k.so");
  EXPECT_EQ(ExplicitPath("lib/k.so"), "lib/k.so");
  EXPECT_EQ(ExplicitPath("/k.so"), "/k.so");
}

TEST(Paths, OfTheProgram) {
  EXPECT_EQ(ProgramPath().substr(ProgramPath().rfind('/') + 1), "base_test");
  const struct {
    const char* path;
    const char* want;
  } kRows[] = {
      {"", ""}, {"a", ""}, {"/a", "/"}, {"a/b/c", "a/b/"}, {"a/", "a/"}};
  for (const auto& row : kRows) {
    EXPECT_EQ(FolderOf(row.path), row.want);
    EXPECT_EQ(absl::StrCat(row.want, FileNameOf(row.path)), row.path);
  }
}

}  // namespace
}  // namespace eyrie
