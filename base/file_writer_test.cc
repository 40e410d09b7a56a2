// Replaces and appends to every kind of file that a path may lead to.
#include "base/file_writer.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/descriptor.h"
#include "base/file_appender.h"
#include "base/mapped_file.h"
#include "base/writable_file.h"
#include "gtest/gtest.h"
#include "tests/support/files.h"

namespace eyrie {
namespace {

std::span<const uint8_t> BytesOf(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

void Put(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

using Adds = FileAppender::Adds;

absl::Status Replace(const std::string& path, const std::string& text) {
  FileWriter writer(path);
  writer.WriteText(text).IgnoreError();
  return writer.Finish();
}

absl::Status Append(const std::string& path, const std::string& text) {
  return FileAppender(path, Adds::kRecords).Append(BytesOf(text));
}

// Replaces the last byte of the content with the text.
absl::Status ReplaceTail(const std::string& path, const std::string& text) {
  return FileAppender(path, Adds::kTail)
      .ReplaceTail(
          [&](std::span<const uint8_t> old) -> absl::StatusOr<FileTail> {
            return FileTail{old.empty() ? 0 : old.size() - 1, text};
          });
}

// Has an empty folder for each test. Show() prints its path as "D".
class FileWriterTest : public testing::Test {
 protected:
  FileWriterTest() {
    std::string name = testing::TempDir() + "/filesXXXXXX";
    folder_ = mkdtemp(name.data());
  }
  ~FileWriterTest() override { Sh("chmod -f 755 d; rm -rf " + folder_); }

  // Runs commands in the folder.
  void Sh(const std::string& commands) const {
    EXPECT_EQ(std::system(absl::StrCat("cd ", folder_, "; ", commands).c_str()),
              0);
  }

  std::string At(const std::string& name) const { return folder_ + "/" + name; }

  std::string Show(const absl::Status& status) const {
    if (status.ok()) return "OK";
    return absl::StrReplaceAll(
        absl::StrCat(absl::StatusCodeToString(status.code()), ": ",
                     status.message()),
        {{folder_, "D"}});
  }

  // Returns a file's mode and content: "600 text". Adds the number of hard
  // links if there are several ("600 x2 text"), and "> " for a symbolic link.
  std::string Describe(const std::string& name) const {
    struct stat info = {};
    if (lstat(At(name).c_str(), &info) != 0) return "none";
    std::string text = S_ISLNK(info.st_mode) ? "> " : "";
    if (stat(At(name).c_str(), &info) != 0) return text + "none";
    if (S_ISDIR(info.st_mode)) return text + "folder";
    absl::StrAppend(&text, absl::Hex(info.st_mode >> 6 & 7),
                    absl::Hex(info.st_mode >> 3 & 7),
                    absl::Hex(info.st_mode & 7));
    if (info.st_nlink > 1) absl::StrAppend(&text, " x", info.st_nlink);
    return absl::StrCat(text, " ", FileText(At(name)));
  }

  // Returns the number of partial files left in a folder.
  size_t Leftovers(const std::string& name) const {
    size_t count = 0;
    DIR* const folder = opendir(At(name).c_str());
    while (const dirent* entry = readdir(folder)) {
      count += std::string(entry->d_name).find(".part") != std::string::npos;
    }
    closedir(folder);
    return count;
  }

  std::string folder_;
};

// Returns the result of `work` in a forked child, which may change its limits
// and capabilities.
std::string InChild(const std::function<std::string()>& work) {
  int ends[2];
  EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
  const pid_t child = fork();
  if (child == 0) {
    WriteAll(ends[1], BytesOf(work()));
    _exit(0);
  }
  close(ends[1]);
  std::string text(1 << 16, '\0');
  size_t size = 0;
  ssize_t got = 0;
  while ((got = read(ends[0], text.data() + size, text.size() - size)) > 0) {
    size += static_cast<size_t>(got);
  }
  close(ends[0]);
  text.resize(size);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? absl::StrCat("signal ", WTERMSIG(status)) : text;
}

// Drops all capabilities, so that file permissions apply to root, too.
void DropPowers() {
  __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct none[2] = {};
  syscall(SYS_capset, &header, none);
}

void LimitFileSize(rlim_t bytes) {
  const rlimit limit = {bytes, bytes};
  setrlimit(RLIMIT_FSIZE, &limit);
}

struct Row {
  const char* before;  // shell commands that create "f" in the folder
  const char* replaced;
  const char* appended;  // then '|' and ReplaceTail's result, if it differs
};

constexpr Row kRows[] = {
    {"true", "OK, 644 new", "OK, 644 new"},
    {"printf old > f", "OK, 644 new", "OK, 644 oldnew|OK, 644 olnew"},
    {": > f; chmod 600 f", "OK, 600 new", "OK, 600 new"},
    {"printf old > f; chmod 751 f", "OK, 751 new",
     "OK, 751 oldnew|OK, 751 olnew"},
    {"printf old > f; chmod 4755 f", "OK, 755 new",
     "OK, 755 oldnew|OK, 755 olnew"},
    // Links.
    {"printf old > g; chmod 640 g; ln -s g f", "OK, > 640 new",
     "OK, > 640 oldnew|OK, > 640 olnew"},
    {"ln -s g f", "OK, > 644 new", "OK, > 644 new"},
    {"mkdir e; ln -s ../g e/h; ln -s e/h f", "OK, > 644 new", "OK, > 644 new"},
    {"ln -s $PWD/g f; printf old > g", "OK, > 644 new",
     "OK, > 644 oldnew|OK, > 644 olnew"},
    {"ln -s e/g f",
     "NOT_FOUND: Cannot create D/d/f: No such file or directory."
     ", > none",
     ""},
    {"ln -s f f",
     "INTERNAL: Cannot open D/d/f: Too many levels of symbolic "
     "links., > none",
     ""},
    {"printf old > f; ln f g", "OK, 644 x2 new",
     "OK, 644 x2 oldnew|OK, 644 x2 olnew"},
    {"printf longer > f; ln f g; ln -s g h; rm f; mv h f", "OK, > 644 new",
     "OK, > 644 longernew|OK, > 644 longenew"},
    // Permissions.
    {"printf old > f; chmod 444 f",
     "PERMISSION_DENIED: Cannot open D/d/f: Permission denied., 444 old", ""},
    {"printf old > g; chmod 444 g; ln -s g f",
     "PERMISSION_DENIED: Cannot open D/d/f: Permission denied., > 444 old", ""},
    {"printf old > f; chmod 555 .", "OK, 644 new",
     "OK, 644 oldnew|OK, 644 olnew"},
    {"chmod 555 .",
     "PERMISSION_DENIED: Cannot create D/d/f: Permission denied., none", ""},
    // Not regular files.
    {"mkdir f", "INVALID_ARGUMENT: D/d/f is a directory, not a file., folder",
     ""},
    {"rmdir ../d",
     "NOT_FOUND: Cannot create D/d/f: No such file or directory., none", ""},
    {"ln -s /dev/null f", "OK, > 666 ", "OK, > 666 "},
    {"ln -s /dev/full f",
     "RESOURCE_EXHAUSTED: Cannot write D/d/f: No space left on device.", ""},
};

TEST_F(FileWriterTest, KeepsWhatIsNotContent) {
  const struct {
    absl::Status (*write)(const std::string&, const std::string&);
    int column;
  } kWays[] = {{Replace, 0}, {Append, 1}, {ReplaceTail, 2}};
  umask(022);
  for (const Row& row : kRows) {
    for (const auto& way : kWays) {
      SCOPED_TRACE(absl::StrCat(row.before, " column ", way.column));
      Sh(absl::StrCat("mkdir d; cd d; ", row.before));
      std::string want = row.replaced;
      if (way.column > 0 && *row.appended != '\0') {
        const std::string both = row.appended;
        const size_t bar = both.find('|');
        want = way.column == 2 && bar != both.npos ? both.substr(bar + 1)
                                                   : both.substr(0, bar);
      }
      const std::string got = InChild([&] {
        DropPowers();
        return Show(way.write(At("d/f"), "new"));
      });
      const std::string after =
          want.find("/dev/full") != want.npos || want.find("space") != want.npos
              ? got
              : got + ", " + Describe("d/f");
      EXPECT_EQ(after, want);
      Sh("mkdir -p d; chmod 755 d");
      EXPECT_EQ(Leftovers("d"), 0u);
      Sh("rm -r d");
    }
  }
}

// The other user is any user number that owns no file here.
TEST_F(FileWriterTest, KeepsTheOwner) {
  Put(At("f"), "old");
  chmod(At("f").c_str(), 0666);
  if (chown(At("f").c_str(), 4321, 4321) != 0) {
    std::cout << "Not tested: this user cannot make files of another user.\n";
    return;
  }
  const auto owner = [&] {
    struct stat info = {};
    stat(At("f").c_str(), &info);
    return absl::StrCat(info.st_uid, " ", info.st_gid);
  };
  EXPECT_EQ(Show(Replace(At("f"), "root's")), "OK");
  EXPECT_EQ(owner(), "4321 4321");
  // Without the capability to change owners, the file is written in place.
  EXPECT_EQ(InChild([&] {
              DropPowers();
              return Show(Replace(At("f"), "new"));
            }),
            "OK");
  EXPECT_EQ(owner(), "4321 4321");
  EXPECT_EQ(Describe("f"), "666 new");
  chmod(At("f").c_str(), 0644);
  EXPECT_EQ(InChild([&] {
              DropPowers();
              return Show(Replace(At("f"), "more"));
            }),
            "PERMISSION_DENIED: Cannot open D/f: Permission denied.");
  EXPECT_EQ(Describe("f"), "644 new");
}

TEST_F(FileWriterTest, KeepsAttributes) {
  Put(At("f"), "old");
  if (setxattr(At("f").c_str(), "user.note", "kept", 4, 0) != 0) {
    std::cout << "Not tested: the file system has no extended attributes.\n";
    return;
  }
  EXPECT_EQ(Show(Replace(At("f"), "new")), "OK");
  char value[8] = {};
  EXPECT_EQ(getxattr(At("f").c_str(), "user.note", value, sizeof(value)), 4);
  EXPECT_EQ(std::string(value), "kept");
  EXPECT_EQ(Describe("f"), "644 new");
}

TEST_F(FileWriterTest, AppendsToAppendOnlyFiles) {
  Put(At("f"), "old");
  if (std::system(absl::StrCat("chattr +a ", At("f")).c_str()) != 0) {
    std::cout << "Not tested: this user cannot make files append-only.\n";
    return;
  }
  EXPECT_EQ(Show(Append(At("f"), "new")), "OK");
  EXPECT_EQ(Show(ReplaceTail(At("f"), "more")),
            "PERMISSION_DENIED: Cannot add to D/f: it is append-only, and the "
            "table at its end must be rewritten.");
  EXPECT_EQ(Show(Replace(At("f"), "none")),
            "PERMISSION_DENIED: Cannot open D/f: Operation not permitted.");
  EXPECT_EQ(InChild([&] {
              LimitFileSize(6);
              return Show(Append(At("f"), "x"));
            }),
            "RESOURCE_EXHAUSTED: Cannot append to D/f: File too large.");
  Sh("chattr -a f");
  EXPECT_EQ(Describe("f"), "644 oldnew");
}

// A limit of the process has the effect of a full disk.
TEST_F(FileWriterTest, KeepsTheOldContentAfterAnError) {
  const std::string large(1000, 'x');
  for (const bool hard_link : {false, true}) {
    Put(At("f"), "old");
    if (hard_link) Sh("ln f g");
    const std::string want = hard_link ? "644 x2 old" : "644 old";
    for (auto* write : {Replace, Append, ReplaceTail}) {
      EXPECT_EQ(InChild([&] {
                  LimitFileSize(100);
                  return Show(write(At("f"), large)).substr(0, 19);
                }),
                "RESOURCE_EXHAUSTED:");
      EXPECT_EQ(Describe("f"), want);
      EXPECT_EQ(InChild([&] {
                  LimitFileSize(100);
                  return Show(write(At("n"), large)).substr(0, 19);
                }),
                "RESOURCE_EXHAUSTED:");
      EXPECT_EQ(Describe("n"), "none");
    }
  }
  {
    FileWriter writer(At("f"));
    EXPECT_TRUE(writer.WriteText("half").ok());
    EXPECT_EQ(Describe("f"), "644 x2 old");
  }
  EXPECT_EQ(Describe("f"), "644 x2 old");
  EXPECT_EQ(Leftovers("."), 0u);
}

TEST_F(FileWriterTest, FilesInUse) {
  Put(At("f"), "old");
  const auto mapped = *MappedFile::Open(At("f"));
  const auto text = [&mapped] {
    const auto bytes = mapped->bytes();
    return std::string(bytes.begin(), bytes.end());
  };
  EXPECT_EQ(Show(Replace(At("f"), "new")), "OK");
  EXPECT_EQ(text(), "old");
  Sh("ln f g");
  const auto again = *MappedFile::Open(At("f"));
  EXPECT_EQ(
      Show(Replace(At("g"), "newer")),
      "FAILED_PRECONDITION: Cannot write D/g in place, since this process "
      "still reads from it; and it cannot be replaced without breaking "
      "its other names or changing its owner. Its old content is kept.");
  EXPECT_EQ(Describe("f"), "644 x2 new");
  Put(At("p"), "parameters");
  const auto shared = *WritableFile::Open(At("p"));
  EXPECT_EQ(Show(Replace(At("p"), "x")),
            "FAILED_PRECONDITION: Cannot replace D/p: this process has it open "
            "for writing in another way, as a file of parameters. Its old "
            "content is kept.");
  EXPECT_EQ(Describe("p"), "644 parameters");
}

TEST_F(FileWriterTest, Streams) {
  ASSERT_EQ(mkfifo(At("fifo").c_str(), 0600), 0);
  for (auto* write : {Replace, Append, ReplaceTail}) {
    FileWriter waits(At("fifo"));  // does not open it before the first write
    const int reader = open(At("fifo").c_str(), O_RDONLY | O_NONBLOCK);
    EXPECT_EQ(Show(write(At("fifo"), "text")), "OK");
    char text[8] = {};
    EXPECT_EQ(read(reader, text, sizeof(text)), 4);
    EXPECT_EQ(std::string(text), "text");
    close(reader);
  }
  // A file that this process has open is written at its position, even after
  // its name is removed.
  Put(At("open"), "");
  Descriptor file(open(At("open").c_str(), O_RDWR));
  const std::string path = absl::StrCat("/dev/fd/", file.get());
  WriteAll(file.get(), BytesOf("one "));
  EXPECT_EQ(Show(Replace(path, "two ")), "OK");
  EXPECT_EQ(Show(Append(path, "three ")), "OK");
  unlink(At("open").c_str());
  EXPECT_EQ(Show(Replace(path, "four")), "OK");
  char text[32] = {};
  EXPECT_EQ(pread(file.get(), text, sizeof(text), 0), 18);
  EXPECT_EQ(std::string(text), "one two three four");
  EXPECT_EQ(Describe("open"), "none");
  const Descriptor reading(open("/dev/null", O_RDONLY));
  EXPECT_EQ(
      FileWriter(absl::StrCat("/proc/self/fd/", reading.get())).status().code(),
      absl::StatusCode::kInternal);
}

// The file of standard output, by two of its paths.
TEST_F(FileWriterTest, StandardOutput) {
  Put(At("out"), "");
  EXPECT_EQ(InChild([&] {
              dup2(open(At("out").c_str(), O_WRONLY), STDOUT_FILENO);
              WriteAll(STDOUT_FILENO, BytesOf("before "));
              std::string text = Show(Replace("/dev/stdout", "inside "));
              text += Show(Replace(At("out"), "again "));
              WriteAll(STDOUT_FILENO, BytesOf("after"));
              return text;
            }),
            "OKOK");
  EXPECT_EQ(FileText(At("out")), "before inside again after");
}

TEST_F(FileWriterTest, Identity) {
  const auto of = [this](const std::string& name) {
    return FileWriter(At(name)).identity();
  };
  Put(At("f"), "old");
  Sh("ln f g; ln -s n l");
  EXPECT_EQ(of("f"), of("g"));
  EXPECT_EQ(of("n"), of("l"));
  EXPECT_EQ(of("./n"), FileAppender(At("l"), Adds::kRecords).identity());
  EXPECT_NE(of("f"), of("n"));
  EXPECT_NE(of("m"), of("n"));
  EXPECT_EQ(FileWriter("/dev/null").identity(), "");
}

// Zeros may become holes in a new file, and are written to one in place.
TEST_F(FileWriterTest, Zeros) {
  const std::string zeros(100000, '\0');
  for (const char* name : {"hole", "linked"}) {
    Put(At(name), "old");
    if (std::string(name) == "linked") Sh("ln linked other");
    FileWriter writer(At(name));
    EXPECT_TRUE(writer.WriteText("a").ok());
    EXPECT_TRUE(writer.WriteText(zeros).ok());
    EXPECT_TRUE(writer.WriteText("b").ok());
    EXPECT_TRUE(writer.WriteText(zeros).ok());
    EXPECT_EQ(Show(writer.Finish()), "OK");
    EXPECT_EQ(FileText(At(name)), "a" + zeros + "b" + zeros);
  }
}

// Ten processes append to a file at the same time. It does not exist at first.
TEST_F(FileWriterTest, ParallelAppends) {
  constexpr int kProcesses = 10;
  constexpr int kRecords = 10;
  constexpr size_t kSize = 70001;
  for (auto* write : {Append, ReplaceTail}) {
    const bool has_tail = write == ReplaceTail;
    const std::string path = At(has_tail ? "tail" : "plain");
    std::vector<pid_t> children;
    for (int i = 0; i < kProcesses; ++i) {
      children.push_back(fork());
      if (children.back() != 0) continue;
      const std::string record(kSize, static_cast<char>('0' + i));
      for (int j = 0; j < kRecords; ++j) {
        if (!write(path, has_tail ? record + "$" : record).ok()) _exit(1);
      }
      _exit(0);
    }
    for (const pid_t child : children) {
      int status = 0;
      waitpid(child, &status, 0);
      EXPECT_EQ(status, 0);
    }
    const std::string all = FileText(path);
    ASSERT_EQ(all.size(), kProcesses * kRecords * kSize + (has_tail ? 1 : 0));
    std::vector<int> counts(kProcesses);
    for (size_t at = 0; at + kSize <= all.size(); at += kSize) {
      ASSERT_EQ(all.substr(at, kSize), std::string(kSize, all[at]));
      ++counts[static_cast<size_t>(all[at] - '0')];
    }
    EXPECT_EQ(counts, std::vector<int>(kProcesses, kRecords));
  }
}

// If `make` fails, the file is unchanged, and a missing one is not created.
TEST_F(FileWriterTest, RefusedTails) {
  const auto refuse = [](std::span<const uint8_t>) -> absl::StatusOr<FileTail> {
    return absl::InvalidArgumentError("No.");
  };
  Put(At("f"), "old");
  EXPECT_EQ(Show(FileAppender(At("f"), Adds::kTail).ReplaceTail(refuse)),
            "INVALID_ARGUMENT: No.");
  EXPECT_EQ(Describe("f"), "644 old");
  EXPECT_EQ(Show(FileAppender(At("n"), Adds::kTail).ReplaceTail(refuse)),
            "INVALID_ARGUMENT: No.");
  EXPECT_EQ(Describe("n"), "none");
  EXPECT_EQ(
      Show(FileAppender(At("f"), Adds::kTail)
               .ReplaceTail(
                   [](std::span<const uint8_t>) -> absl::StatusOr<FileTail> {
                     return FileTail{1, "x"};
                   })),
      "OK");
  EXPECT_EQ(Describe("f"), "644 ox");
}

}  // namespace
}  // namespace eyrie
