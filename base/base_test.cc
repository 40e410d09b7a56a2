// Tests of the small headers that every layer uses.
#include <elf.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/byte_reader.h"
#include "base/checked_math.h"
#include "base/crc32.h"
#include "base/elf_machine.h"
#include "base/fnv1a.h"
#include "base/hash_map.h"
#include "base/mapped_file.h"
#include "base/ref.h"
#include "base/signal_block.h"
#include "base/small_numbers.h"
#include "base/status_macros.h"
#include "base/writable_file.h"
#include "gtest/gtest.h"

namespace eyrie {
namespace {

std::string Show(const absl::Status& status) {
  return status.ok() ? "OK" : status.ToString();
}

TEST(StatusMacros, PassErrorsOn) {
  auto give = [](int x) -> absl::StatusOr<int> {
    if (x < 0) return absl::OutOfRangeError("below zero");
    return x;
  };
  auto sum = [&](int a, int b) -> absl::StatusOr<int> {
    ASSIGN_OR_RETURN(int x, give(a));
    RETURN_IF_ERROR(give(b).status());
    return x + b;
  };
  EXPECT_EQ(*sum(1, 2), 3);
  EXPECT_EQ(Show(sum(-1, 2).status()), "OUT_OF_RANGE: below zero");
  EXPECT_EQ(Show(sum(1, -2).status()), "OUT_OF_RANGE: below zero");
  EXPECT_EQ(Show(Annotate(sum(-1, 2).status(), "(here)")),
            "OUT_OF_RANGE: below zero (here)");
  EXPECT_EQ(Show(Annotate(absl::OkStatus(), "(here)")), "OK");
}

TEST(CheckedMath, Reports) {
  EXPECT_EQ(CheckedAdd<uint32_t>(1, 2), 3u);
  EXPECT_EQ(CheckedAdd<uint32_t>(0xFFFFFFFF, 1), std::nullopt);
  EXPECT_EQ(CheckedMul<int64_t>(int64_t{1} << 62, 2), std::nullopt);
  EXPECT_EQ(CheckedMul<int64_t>(3, -4), -12);
  EXPECT_EQ(CheckedAlignUp<uint64_t>(65, 64), 128u);
  EXPECT_EQ(CheckedAlignUp<uint64_t>(~uint64_t{0}, 64), std::nullopt);
  EXPECT_TRUE(RangeFits(4, 4, 8));
  EXPECT_FALSE(RangeFits(4, 5, 8));
  EXPECT_FALSE(RangeFits(9, 0, 8));
  EXPECT_FALSE(RangeFits(~uint64_t{0}, 2, 8));
}

TEST(ByteReader, StopsAtTheEnd) {
  const uint8_t bytes[] = {1, 2, 3, 4, 5, 6, 7};
  ByteReader in(bytes);
  EXPECT_EQ(*in.ReadU16(), 0x0201);
  EXPECT_EQ(*in.ReadU8(), 3);
  EXPECT_EQ(Show(in.ReadU64().status()),
            "OUT_OF_RANGE: A read of 8 bytes at offset 3 exceeds the bytes "
            "left (4).");
  EXPECT_EQ(*in.ReadU32(), 0x07060504u);
  EXPECT_EQ(in.remaining(), 0u);
  EXPECT_EQ(Show(in.Skip(1)),
            "OUT_OF_RANGE: A read of 1 bytes at offset 7 exceeds the bytes "
            "left (0).");
  EXPECT_EQ(Show(in.Seek(8)),
            "OUT_OF_RANGE: Offset 8 is past the end (7 bytes).");
  EXPECT_EQ(Show(in.Seek(1)), "OK");
  EXPECT_EQ((*in.Take(2))[1], 3);
  EXPECT_EQ(in.offset(), 3u);
}

class Counted : public RefObject {
 public:
  static constexpr RefType kType = {"test.counted"};
  explicit Counted(int& alive) : RefObject(kType), alive_(alive) { ++alive_; }
  ~Counted() override { --alive_; }

 private:
  int& alive_;
};

class Other : public RefObject {
 public:
  static constexpr RefType kType = {"test.other"};
  Other() : RefObject(kType) {}
};

TEST(Ref, CountsAndCasts) {
  int alive = 0;
  {
    Ref<Counted> a = MakeRef<Counted>(alive);
    EXPECT_TRUE(a->IsUnique());
    Ref<RefObject> b = a;
    EXPECT_FALSE(a->IsUnique());
    Ref<Counted> c = std::move(a);
    EXPECT_FALSE(a);  // NOLINT(bugprone-use-after-move)
    EXPECT_EQ(RefCast<Counted>(b.get()), c.get());
    EXPECT_EQ(RefCast<Other>(b.get()), nullptr);
    EXPECT_EQ(RefCast<Counted>(nullptr), nullptr);
    EXPECT_STREQ(b->type().name, "test.counted");
    Ref<Counted> adopted = Ref<Counted>::Adopt(c.release());
    EXPECT_EQ(alive, 1);
  }
  EXPECT_EQ(alive, 0);
}

std::string TempFile(const std::string& name, const std::string& contents) {
  const char* dir = std::getenv("TEST_TMPDIR");
  std::string path = absl::StrCat(dir ? dir : "/tmp", "/", name);
  std::ofstream(path, std::ios::binary) << contents;
  return path;
}

TEST(MappedFile, MapsReadsAndRefuses) {
  std::string path = TempFile("mapped", "some bytes");
  auto file = MappedFile::Open(path);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ((*file)->bytes().size(), 10u);
  EXPECT_EQ((*file)->bytes()[5], 'b');
  EXPECT_EQ((*file)->path(), path);

  auto empty = MappedFile::Open(TempFile("empty", ""));
  ASSERT_TRUE(empty.ok()) << empty.status();
  EXPECT_TRUE((*empty)->bytes().empty());

  EXPECT_EQ(Show(MappedFile::Open("/nowhere/x").status()),
            "NOT_FOUND: Cannot open /nowhere/x: No such file or directory.");
  EXPECT_EQ(Show(MappedFile::Open("/").status()),
            "INVALID_ARGUMENT: / is a directory, not a file.");

  auto endless = MappedFile::Open("/dev/zero");
  ASSERT_TRUE(endless.ok()) << endless.status();
  EXPECT_EQ((*endless)->bytes().size(), size_t{1} << 24);
}

TEST(WritableFile, SharesWhatIsWritten) {
  const std::string path = TempFile("writable", "abc");
  auto file = WritableFile::Open(path);
  ASSERT_TRUE(file.ok()) << file.status();
  auto mapped = MappedFile::Open(path);
  ASSERT_TRUE(mapped.ok()) << mapped.status();
  (*file)->bytes()[1] = 'X';
  EXPECT_EQ((*mapped)->bytes()[1], 'X');
  auto empty = WritableFile::Open(TempFile("empty", ""));
  ASSERT_TRUE(empty.ok()) << empty.status();
  EXPECT_EQ((*empty)->bytes().size(), 0u);
  EXPECT_EQ(Show(WritableFile::Open("/nowhere/x").status()),
            "NOT_FOUND: Cannot open /nowhere/x: No such file or directory.");
  EXPECT_EQ(Show(WritableFile::Open("/").status()),
            "INVALID_ARGUMENT: / is a directory, not a file.");
  EXPECT_EQ(Show(WritableFile::Open("/dev/null").status()),
            "INVALID_ARGUMENT: /dev/null is not a regular file.");
}

TEST(MappedFile, MapsStandardInput) {
  const std::string path = TempFile("input", "some input");
  const int kept = dup(STDIN_FILENO);
  ASSERT_NE(std::freopen(path.c_str(), "r", stdin), nullptr);
  auto file = MappedFile::Open("-");
  auto again = MappedFile::Open("-");
  dup2(kept, STDIN_FILENO);
  close(kept);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ((*file)->bytes().size(), 10u);
  EXPECT_TRUE((*file)->MapPrivately((*file)->bytes()).ok());
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_TRUE((*again)->bytes().empty());
}

TEST(MappedFile, MapsAPartPrivately) {
  std::string path = TempFile("private", std::string(10000, 'a'));
  auto file = MappedFile::Open(path);
  ASSERT_TRUE(file.ok()) << file.status();
  std::span<const uint8_t> part = (*file)->bytes().subspan(5000, 100);
  auto mine = (*file)->MapPrivately(part);
  auto other = (*file)->MapPrivately(part);
  ASSERT_TRUE(mine.ok()) << mine.status();
  ASSERT_TRUE(other.ok()) << other.status();
  (*mine)->bytes()[0] = 'b';
  EXPECT_EQ((*mine)->bytes().size(), 100u);
  EXPECT_EQ((*mine)->bytes()[1], 'a');
  EXPECT_EQ((*other)->bytes()[0], 'a');
  EXPECT_EQ(part[0], 'a');
  const uint8_t elsewhere[4] = {};
  EXPECT_EQ((*file)->MapPrivately(elsewhere).status().code(),
            absl::StatusCode::kOutOfRange);
}

TEST(MappedFile, MapsAPartOfADescriptor) {
  const std::string path =
      TempFile("part", std::string(5000, 'a') + "bc" + std::string(100, 'd'));
  const int fd = open(path.c_str(), O_RDONLY);
  const int folder = open("/", O_RDONLY);
  const int writes = open(path.c_str(), O_WRONLY);
  auto file = MappedFile::OpenPart(fd, 5000, std::nullopt, "x");
  struct Case {
    int descriptor;
    uint64_t offset;
    std::optional<uint64_t> size;
    std::string want;  // the size, or the error
  };
  const uint64_t kMost = ~uint64_t{0};
  const Case kCases[] = {
      {fd, 0, std::nullopt, "5102"},
      {fd, 5101, 1, "1"},
      {fd, 5102, std::nullopt, "0"},
      {fd, 5102, 1,
       "OUT_OF_RANGE: The range of 1 bytes at offset 5102 exceeds x (5102 "
       "bytes)."},
      {fd, kMost, std::nullopt,
       "OUT_OF_RANGE: The range at offset 18446744073709551615 exceeds x (5102 "
       "bytes)."},
      {fd, 1, kMost,
       "OUT_OF_RANGE: The range of 18446744073709551615 bytes at offset 1 "
       "exceeds x (5102 bytes)."},
      {folder, 0, std::nullopt,
       "INVALID_ARGUMENT: x is not an open regular file."},
      {-1, 0, std::nullopt, "INVALID_ARGUMENT: x is not an open regular file."},
      {writes, 0, std::nullopt,
       "PERMISSION_DENIED: Cannot map x: Permission denied."},
  };
  for (const Case& c : kCases) {
    auto part = MappedFile::OpenPart(c.descriptor, c.offset, c.size, "x");
    EXPECT_EQ(
        part.ok() ? absl::StrCat((*part)->bytes().size()) : Show(part.status()),
        c.want);
  }
  close(fd);
  close(folder);
  close(writes);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ((*file)->bytes()[1], 'c');
  auto mine = (*file)->MapPrivately((*file)->bytes().subspan(1, 2));
  ASSERT_TRUE(mine.ok()) << mine.status();
  EXPECT_EQ((*mine)->bytes()[0], 'c');
  EXPECT_EQ((*mine)->bytes()[1], 'd');
}

bool IsInterruptBlocked() {
  sigset_t blocked;
  sigemptyset(&blocked);
  pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
  return sigismember(&blocked, SIGINT) == 1;
}

TEST(SignalBlock, HoldsForThreadsStartedWithinIt) {
  bool blocked_within = false;
  std::thread thread;
  EXPECT_FALSE(IsInterruptBlocked());
  {
    const SignalBlock outer;
    {
      const SignalBlock inner;
      thread = std::thread([&] { blocked_within = IsInterruptBlocked(); });
    }
    EXPECT_TRUE(IsInterruptBlocked());
  }
  EXPECT_FALSE(IsInterruptBlocked());
  thread.join();
  EXPECT_TRUE(blocked_within);
}

TEST(MappedFile, ReadsAPipe) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  ASSERT_EQ(write(ends[1], "piped", 5), 5);
  close(ends[1]);
  auto file = MappedFile::ReadAll(ends[0], "a pipe");
  close(ends[0]);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ((*file)->bytes().size(), 5u);
  EXPECT_EQ(reinterpret_cast<uintptr_t>((*file)->bytes().data()) % 64, 0u);

  // More than one block.
  std::string big(200000, 'x');
  std::string path = TempFile("big", big);
  int fd = open(path.c_str(), O_RDONLY);
  auto whole = MappedFile::ReadAll(fd, path);
  close(fd);
  ASSERT_TRUE(whole.ok()) << whole.status();
  EXPECT_EQ((*whole)->bytes().size(), big.size());
  EXPECT_EQ((*whole)->bytes()[199999], 'x');
  EXPECT_EQ(Show(MappedFile::ReadAll(-1, "nothing").status()),
            "INTERNAL: Cannot read nothing: Bad file descriptor.");
  EXPECT_EQ(Show((*whole)->MapPrivately((*whole)->bytes()).status()),
            absl::StrCat("FAILED_PRECONDITION: ", path,
                         " was read into memory and is not a mapping."));
}

// The check value from the definition of CRC-32.
TEST(Crc32, OfBytes) {
  const std::string kDigits = "123456789";
  EXPECT_EQ(Crc32({}), 0u);
  EXPECT_EQ(Crc32({reinterpret_cast<const uint8_t*>(kDigits.data()), 9}),
            0xCBF43926u);
}

TEST(HashMap, TellsKeysApart) {
  HashMap<absl::string_view, int> numbers;
  HashSet<uint64_t> hashes;
  std::string text(40, '\0');
  for (size_t size = 0; size <= text.size(); ++size) {
    EXPECT_TRUE(
        numbers.emplace(absl::string_view(text).substr(0, size), size).second);
    EXPECT_TRUE(
        hashes.insert(SeededHash()(absl::string_view(text).substr(0, size)))
            .second)
        << size;
  }
  EXPECT_EQ(numbers.find(absl::string_view(text).substr(7, 9))->second, 9);
  EXPECT_FALSE(numbers.contains("one"));
  // Every single bit of a number changes its hash.
  for (int bit = 0; bit < 64; ++bit) {
    EXPECT_TRUE(hashes.insert(SeededHash()(uint64_t{1} << bit)).second) << bit;
  }
  EXPECT_EQ(SeededHash()(&text), SeededHash()(&text));
}

TEST(SmallNumbers, AreUsedAgain) {
  SmallNumbers numbers;
  EXPECT_EQ(numbers.Take(), 0);
  EXPECT_EQ(numbers.Take(), 1);
  EXPECT_EQ(numbers.Take(), 2);
  numbers.Give(1);
  EXPECT_EQ(numbers.Take(), 1);
  for (int i = 3; i < 63; ++i) EXPECT_EQ(numbers.Take(), i);
  EXPECT_EQ(numbers.Take(), 63);
  EXPECT_EQ(numbers.Take(), 63);  // shared
  numbers.Give(63);
  numbers.Give(0);
  EXPECT_EQ(numbers.Take(), 0);
}

TEST(ElfMachine, Names) {
  EXPECT_EQ(ElfMachineName(EM_X86_64), "x86-64");
  EXPECT_EQ(ElfMachineName(EM_AARCH64), "AArch64");
  EXPECT_EQ(ElfMachineName(999), "machine 999");
  // This program itself is for this machine.
  const auto file = MappedFile::Open("/proc/self/exe");
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(LoadLittleEndian<uint16_t>((*file)->bytes().data() + 18),
            ThisElfMachine());
}

TEST(Fnv1a, OfText) {
  EXPECT_EQ(Fnv1a(""), 0xCBF29CE484222325u);
  EXPECT_EQ(Fnv1a("a"), 0xAF63DC4C8601EC8Cu);
  EXPECT_EQ(Fnv1a("foobar"), 0x85944171F73967E8u);
}

}  // namespace
}  // namespace eyrie
