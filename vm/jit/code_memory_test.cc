// Memory for code: its placement, its reuse, and forks.
#include "vm/jit/code_memory.h"

#include <elf.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "base/elf_machine.h"
#include "gtest/gtest.h"

namespace eyrie::vm {
namespace {

// A pipe that a child reads before it copies code. Set before there is any.
int held_up_by = -1;
const int kHandlers = pthread_atfork(nullptr, nullptr, [] {
  char byte;
  if (held_up_by >= 0 && read(held_up_by, &byte, 1) != 1) _exit(2);
});

// Returns code that returns, in words of 4 bytes.
std::vector<uint8_t> Returns(size_t size) {
  const std::vector<uint8_t> x86 = {0xC3, 0xC3, 0xC3, 0xC3};
  const std::vector<uint8_t> arm = {0xC0, 0x03, 0x5F, 0xD6};
  const std::vector<uint8_t>& word = ThisElfMachine() == EM_AARCH64 ? arm : x86;
  std::vector<uint8_t> code(size);
  for (size_t i = 0; i < size; ++i) code[i] = word[i % word.size()];
  return code;
}

TEST(CodeMemory, GoesFromOneToTheNext) {
  auto pool = std::make_shared<jit::CodePool>();
  const uint8_t* first = nullptr;
  std::vector<uint8_t> code = Returns(300 << 10);  // larger than a chunk
  {
    jit::CodeMemory memory(pool);
    first = *memory.Publish(code.data(), 5);
    EXPECT_EQ(*memory.Publish(code.data(), 4),
              first + jit::CodeMemory::kAlignment);
    EXPECT_EQ(std::memcmp(*memory.Publish(code.data(), code.size()),
                          code.data(), code.size()),
              0);
    // Not the first byte, since sanitizers may read before a function.
    reinterpret_cast<void (*)()>(
        const_cast<uint8_t*>(first + jit::CodeMemory::kAlignment))();
  }
  jit::CodeMemory memory(pool);
  code[0] = 0x90;
  EXPECT_EQ(*memory.Publish(code.data(), 2), first);
  EXPECT_EQ(first[0], 0x90);
}

// Writes after a fork are not visible to the other process.
TEST(CodeMemory, IsNotSharedWithAChild) {
  ASSERT_EQ(kHandlers, 0);
  jit::CodeMemory memory(std::make_shared<jit::CodePool>());
  const std::vector<uint8_t> code(8, 0xC3);
  const std::vector<uint8_t> other(8, 0x90);
  const uint8_t* first = *memory.Publish(code.data(), code.size());
  const pid_t child = fork();
  if (child == 0) {
    const uint8_t* next = *memory.Publish(other.data(), other.size());
    _exit(next == first + jit::CodeMemory::kAlignment && *next == 0x90 &&
                  *first == 0xC3
              ? 0
              : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(first[jit::CodeMemory::kAlignment], 0);
  EXPECT_EQ(*memory.Publish(code.data(), code.size()),
            first + jit::CodeMemory::kAlignment);
  EXPECT_EQ(first[jit::CodeMemory::kAlignment], 0xC3);
}

// The parent does not overwrite code before the child has copied it: a child
// that is delayed in fork runs the code that it had.
TEST(CodeMemory, IsNotWrittenOverUnderAChild) {
  auto pool = std::make_shared<jit::CodePool>();
  const std::vector<uint8_t> code(8, 0xC3);
  const std::vector<uint8_t> other(8, 0x90);
  auto memory = std::make_unique<jit::CodeMemory>(pool);
  const uint8_t* place = *memory->Publish(code.data(), code.size());
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  held_up_by = ends[0];
  const pid_t child = fork();
  if (child == 0) _exit(*place == 0xC3 ? 0 : 1);
  held_up_by = -1;
  memory.reset();
  jit::CodeMemory next(pool);
  EXPECT_EQ(**next.Publish(other.data(), other.size()), 0x90);
  EXPECT_EQ(write(ends[1], "", 1), 1);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  close(ends[0]);
  close(ends[1]);
}

// Code files count towards the limit on file sizes. Exceeding it would raise a
// signal that ends the process.
TEST(CodeMemory, HeedsTheLimitOnFiles) {
  const pid_t child = fork();
  if (child == 0) {
    const std::vector<uint8_t> code(8, 0xC3);
    jit::CodeMemory before(std::make_shared<jit::CodePool>());
    bool right = before.Publish(code.data(), code.size()).ok();
    const rlimit none = {4, 4};
    right &= setrlimit(RLIMIT_FSIZE, &none) == 0;
    jit::CodeMemory after(std::make_shared<jit::CodePool>());
    for (jit::CodeMemory* memory : {&before, &after}) {
      right &= absl::IsResourceExhausted(
          memory->Publish(code.data(), code.size()).status());
    }
    _exit(right ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace eyrie::vm
