// The files for gdb, as readelf prints them.
#include "vm/jit/gdb.h"

#include <elf.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/elf_machine.h"
#include "gtest/gtest.h"
#include "vm/run/compiled.h"

extern "C" {
// Laid out as gdb's manual defines.
struct Entry {
  Entry* next;
  Entry* previous;
  const char* file;
  uint64_t size;
};
extern struct {
  uint32_t version;
  uint32_t action;
  Entry* relevant;
  Entry* first;
} __jit_debug_descriptor;
}

namespace eyrie::vm::jit {
namespace {

constexpr uint64_t kAddress = 0x7F0000001000;

std::vector<uint8_t> Sample(std::vector<uint8_t> pushed = {12, 13}) {
  Unwinding unwinding;
  unwinding.pushed = std::move(pushed);
  unwinding.rows = {{0, 0},  {2, 1},  {4, 2},  {40, 1},
                    {42, 0}, {43, 2}, {60, 0}, {70, 0, /*in_cpp=*/true},
                    {80, 0}};
  return CreateObjectFile(kAddress, 100,
                          {{"sample.sum", 0, 60}, {"sample.rest", 60, 40}},
                          unwinding);
}

// Returns lines that readelf prints, with runs of blanks replaced by one.
std::vector<std::string> Readelf(const std::vector<uint8_t>& file,
                                 const std::string& flags) {
  const std::string path = absl::StrCat(::testing::TempDir(), "/object");
  std::FILE* to = std::fopen(path.c_str(), "wb");
  EXPECT_EQ(std::fwrite(file.data(), 1, file.size(), to), file.size());
  std::fclose(to);
  std::FILE* from = popen(
      absl::StrCat("readelf -W ", flags, " ", path, " 2>&1").c_str(), "r");
  std::string text;
  for (int c = std::fgetc(from); c != EOF; c = std::fgetc(from)) {
    text += static_cast<char>(c);
  }
  EXPECT_EQ(pclose(from), 0) << text;
  std::vector<std::string> lines;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    lines.push_back(
        absl::StrJoin(absl::StrSplit(line, ' ', absl::SkipWhitespace()), " "));
  }
  return lines;
}

void ExpectLines(const std::vector<std::string>& all,
                 const std::vector<std::string>& want) {
  auto at = all.begin();
  for (const std::string& line : want) {
    at = std::find(at, all.end(), line);
    ASSERT_NE(at, all.end()) << line << "\nin\n" << absl::StrJoin(all, "\n");
    ++at;
  }
}

TEST(Gdb, FileNamesFunctions) {
  ExpectLines(Readelf(Sample(), "-hSs"),
              {"Type: EXEC (Executable file)",
               "[ 1] .text NOBITS 00007f0000001000 000000 000064 00 AX 0 0 8",
               "1: 00007f0000001000 60 FUNC GLOBAL DEFAULT 1 sample.sum",
               "2: 00007f000000103c 40 FUNC GLOBAL DEFAULT 1 sample.rest"});
}

// For each machine: the registers of Sample, and lines of readelf.
struct Unwound {
  uint16_t machine;
  std::vector<uint8_t> pushed;
  std::vector<std::string> lines;
  std::string state;  // the register that points to the CompiledState
};

const Unwound kUnwound[] = {
    {EM_X86_64,
     {12, 13},
     {"LOC CFA r12 r13 ra", "00007f0000001000 rsp+8 u u c-8",
      "00007f0000001002 rsp+16 c-16 u c-8",
      "00007f0000001004 rsp+24 c-16 c-24 c-8",
      "00007f0000001028 rsp+16 c-16 u c-8", "00007f000000102a rsp+8 u u c-8",
      "00007f000000102b rsp+24 c-16 c-24 c-8", "00007f000000103c rsp+8 u u c-8",
      "00007f0000001046 exp u u c-8", "00007f0000001050 rsp+8 u u c-8"},
     "DW_OP_breg3 (rbx)"},
    // A call leaves the return address in x30, which is pushed first.
    {EM_AARCH64,
     {30, 19},
     {"LOC CFA x19 ra", "00007f0000001000 sp+0 u u",
      "00007f0000001002 sp+8 u c-8", "00007f0000001004 sp+16 c-16 c-8",
      "00007f0000001028 sp+8 u c-8", "00007f000000102a sp+0 u u",
      "00007f000000102b sp+16 c-16 c-8", "00007f000000103c sp+0 u u",
      "00007f0000001046 exp u u", "00007f0000001050 sp+0 u u"},
     "DW_OP_breg28 (x28)"},
};

TEST(Gdb, FileSaysWhoCalled) {
  for (const Unwound& unwound : kUnwound) {
    if (unwound.machine != ThisElfMachine()) continue;
    const std::vector<uint8_t> file = Sample(unwound.pushed);
    ExpectLines(Readelf(file, "--debug-dump=frames-interp"), unwound.lines);
    ExpectLines(Readelf(file, "--debug-dump=frames"),
                {absl::StrCat("DW_CFA_def_cfa_expression (", unwound.state,
                              ": ", offsetof(CompiledState, left),
                              "; DW_OP_deref; DW_OP_plus_uconst: 8)")});
  }
}

// Entries are added and removed in any order.
TEST(Gdb, KnowsWhatThereIs) {
  const auto list = [] {
    std::vector<const void*> entries;
    const Entry* previous = nullptr;
    for (const Entry* at = __jit_debug_descriptor.first; at != nullptr;
         at = at->next) {
      EXPECT_EQ(at->previous, previous);
      EXPECT_EQ(std::string(at->file, 4), "\177ELF");
      entries.push_back(at->file);
      previous = at;
    }
    return entries;
  };
  ASSERT_TRUE(list().empty());
  std::vector<std::unique_ptr<GdbEntry>> entries;
  for (int i = 0; i < 4; ++i) {
    entries.push_back(std::make_unique<GdbEntry>(Sample()));
    EXPECT_EQ(list().size(), entries.size());
    EXPECT_EQ(__jit_debug_descriptor.action, 1);
  }
  for (const int gone : {2, 0, 3, 1}) {
    const std::vector<const void*> before = list();
    entries[static_cast<size_t>(gone)].reset();
    EXPECT_EQ(list().size() + 1, before.size());
    EXPECT_EQ(__jit_debug_descriptor.action, 2);
  }
}

}  // namespace
}  // namespace eyrie::vm::jit
