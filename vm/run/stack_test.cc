// Stacks reserve address space, committed in small pages.
#include "vm/run/stack.h"

#include <cstdio>
#include <fstream>
#include <string>

#include "absl/strings/match.h"
#include "gtest/gtest.h"

namespace eyrie::vm {
namespace {

// The kernel's flags of the mapping around an address.
std::string MappingFlags(const void* address) {
  const auto place = reinterpret_cast<uintptr_t>(address);
  std::ifstream maps("/proc/self/smaps");
  bool is_here = false;
  for (std::string line; std::getline(maps, line);) {
    unsigned long begin, end;
    if (std::sscanf(line.c_str(), "%lx-%lx ", &begin, &end) == 2) {
      is_here = begin <= place && place < end;
    }
    if (is_here && absl::StartsWith(line, "VmFlags:")) return line + " ";
  }
  return "";
}

TEST(StackTest, HasSmallPages) {
  const auto stack = Stack::Create();
  ASSERT_TRUE(stack.ok()) << stack.status();
  EXPECT_EQ((*stack)->size(), Stack::kDefaultBytes);
  Slot* const slots = (*stack)->PushSlots(1);
  ASSERT_NE(slots, nullptr);
  const std::string flags = MappingFlags(slots);
  if (!std::ifstream("/sys/kernel/mm/transparent_hugepage/enabled") ||
      flags.empty()) {
    GTEST_SKIP() << "This kernel has no large pages, or does not show them.";
  }
  EXPECT_TRUE(absl::StrContains(flags, " nh ")) << flags;
  (*stack)->PopSlots(slots);
}

TEST(StackTest, HasRoomForNoMoreThanThereIs) {
  const auto stack = Stack::Create(4096);
  ASSERT_TRUE(stack.ok()) << stack.status();
  EXPECT_EQ((*stack)->PushSlots(4096), nullptr);
  EXPECT_NE((*stack)->PushSlots(4096 / sizeof(Slot) - 1), nullptr);
  EXPECT_EQ((*stack)->PushSlots(1), nullptr);
  EXPECT_EQ(Stack::Create(size_t{1} << 62).status().code(),
            absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace eyrie::vm
