// Tests the memory that workers share, and copies of bindings in memory that a
// worker cannot use.
#include "hal/cpu/isolate/binding_copies.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/work_budget.h"
#include "gtest/gtest.h"
#include "hal/cpu/dispatch_abi.h"
#include "hal/cpu/isolate/shared_heap.h"
#include "tests/support/status_text.h"

namespace eyrie::hal::cpu::isolate {
namespace {

// Bindings that overlap share a copy, in whatever order they come, and only
// those that may be written are written back.
TEST(BindingCopies, ShareWhatOverlaps) {
  struct Part {
    size_t begin, end;
    bool read_only = false;
  };
  const struct {
    const char* what;
    std::vector<Part> parts;
    std::vector<int> places;  // of the copies, from the first one's
    const char* want;         // the bytes at 0, 64, 128 and 192 afterwards
  } kRows[] = {
      {"one", {{0, 64}}, {0}, "9 1 2 3"},
      {"read-only", {{0, 64, true}}, {0}, "0 1 2 3"},
      {"the same", {{0, 64, true}, {0, 64}}, {0, 0}, "9 1 2 3"},
      {"whole, part", {{0, 256, true}, {64, 128}}, {0, 64}, "0 9 2 3"},
      {"part, whole", {{64, 128, true}, {0, 256}}, {0, -64}, "9 9 9 9"},
      {"overlapping", {{0, 128}, {64, 192, true}}, {0, 64}, "9 9 2 3"},
      {"a chain",
       {{0, 128, true}, {128, 256, true}, {64, 192}},
       {0, 128, 64},
       "0 9 9 3"},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.what);
    const auto heap = *SharedHeap::Create("test", 0, 1 << 20);
    alignas(64) uint8_t memory[256];
    for (int i = 0; i < 256; ++i) memory[i] = static_cast<uint8_t>(i / 64);
    std::vector<void*> originals;
    std::vector<size_t> lengths;
    uint64_t read_only = 0;
    for (const Part& part : row.parts) {
      read_only |= uint64_t{part.read_only} << originals.size();
      originals.push_back(memory + part.begin);
      lengths.push_back(part.end - part.begin);
    }
    DispatchState state = {};
    state.binding_pointers = originals.data();
    state.binding_lengths = lengths.data();
    std::vector<void*> copies(originals.size());
    BindingCopies bindings(*heap, nullptr);
    ASSERT_EQ(StatusText(bindings.Add(state, read_only, nullptr, copies)),
              "OK");
    for (size_t i = 0; i < copies.size(); ++i) {
      EXPECT_EQ(
          static_cast<uint8_t*>(copies[i]) - static_cast<uint8_t*>(copies[0]),
          row.places[i]);
      std::memset(copies[i], 9, lengths[i]);
    }
    ASSERT_EQ(StatusText(bindings.WriteBack()), "OK");
    EXPECT_EQ(absl::StrCat(memory[0], " ", memory[64], " ", memory[128], " ",
                           memory[192]),
              row.want);
  }
}

// An allocation that has no fuel returns its range, or the heap fills up.
TEST(SharedHeap, StoppedAllocationsReturnTheirRange) {
  constexpr size_t kSize = 1 << 20;
  const auto heap = *SharedHeap::Create("test", 0, kSize);
  for (int i = 0; i < 3; ++i) {
    WorkBudget work;
    work.Refill(10);
    EXPECT_EQ(heap->AllocatePaid(kSize, 64, &work).status().code(),
              absl::StatusCode::kResourceExhausted);
    EXPECT_EQ(heap->shared()->committed, 0u);
  }
  void* const memory = heap->Allocate(kSize, 64);
  ASSERT_NE(memory, nullptr);
  heap->Free(memory, kSize);
}

}  // namespace
}  // namespace eyrie::hal::cpu::isolate
