// Memory that a host shares with its isolated worker: an address range of fixed
// size, backed by a file without a name, and blocks in it.
//
// The file is only as long as the blocks need. An access of the worker after
// its end raises SIGBUS there, so the worker cannot take more memory than the
// host has allocated. Pages of a block exist before it is handed out, so that
// the host gets no SIGBUS if memory is short; they are committed and returned
// without the lock. The list of blocks is not in the shared memory. A child of
// fork() has a private copy (shared_mapping.h). Thread-safe.
// Tested by isolate_test.cc, binding_copies_test.cc.
#ifndef EYRIE_HAL_CPU_ISOLATE_SHARED_HEAP_H_
#define EYRIE_HAL_CPU_ISOLATE_SHARED_HEAP_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/descriptor.h"
#include "base/fork_mark.h"
#include "hal/cpu/isolate/shared_mapping.h"
#include "hal/host_memory.h"

namespace eyrie::hal::cpu::isolate {

// Returns a copy with a number that no file of the worker has while it starts.
// Closes `file`. If that is -1, or the system refuses, the result is not open,
// and errno says why.
Descriptor WithHighNumber(int file);

class SharedHeap final : public HostMemory {
 public:
  // Reserves `size` bytes of address space at `address`; 0: anywhere. `name` is
  // shown by the system. ALREADY_EXISTS: something else is there. UNAVAILABLE:
  // the system refuses.
  static absl::StatusOr<std::shared_ptr<SharedHeap>> Create(const char* name,
                                                            uint64_t address,
                                                            uint64_t size);

  // Returns null if no memory is left, or in a forked child.
  absl::StatusOr<void*> AllocatePaid(size_t size, size_t alignment,
                                     WorkBudget* work) override;
  void* Allocate(size_t size, size_t alignment) override {
    return AllocatePaid(size, alignment, nullptr).value_or(nullptr);
  }
  // In a forked child, does nothing: the memory is the parent's.
  void Free(void* memory, size_t size) override;
  absl::string_view name() const override {
    return "the memory that isolated workers share";
  }
  // Reports whether all bytes are in the address range.
  bool CanUse(const void* memory, size_t size) const override;
  std::optional<SharedStatistics> shared() const override;
  void CountCopies(uint64_t arrays, uint64_t bytes);
  // Counts blocks in the statistics, also those of another heap.
  void CountCommitted(uint64_t bytes);
  void CountReturned(uint64_t bytes) {
    committed_.fetch_sub(bytes, std::memory_order_relaxed);
  }

  // Makes all bytes one block, whose pages appear when they are used. Call it
  // instead of Allocate. RESOURCE_EXHAUSTED: the system refuses.
  absl::Status UseWhole();

  uint8_t* data() const { return data_; }
  uint64_t size() const { return size_; }
  int file() const { return file_.get(); }

 private:
  // Free ranges by offset, and by size.
  using Ranges = std::map<uint64_t, uint64_t>;

  SharedHeap(Descriptor file, uint8_t* data, uint64_t size)
      : file_(std::move(file)),
        data_(data),
        size_(size),
        mapping_(file_.get(), data, size) {}

  void AddFree(uint64_t offset, uint64_t size);
  Ranges::iterator RemoveFree(Ranges::iterator range);
  // Returns the offset of a block, or size_ if none fits. The lock must be
  // held.
  uint64_t Take(uint64_t size, uint64_t alignment);
  // Adds a free range, joined with its neighbours. The lock must be held.
  void Join(uint64_t offset, uint64_t size);
  // Removes a part of the free range at the end from the file. Returns false if
  // there is none. The lock must be held.
  bool CutEnd();
  // Returns a block and its pages.
  void GiveBack(uint64_t offset, uint64_t size);
  // Makes the pages of a part of a block exist. Returns false if the system has
  // no memory.
  bool Commit(uint64_t offset, uint64_t size);

  const Descriptor file_;
  uint8_t* const data_;
  const uint64_t size_;
  SharedMapping mapping_;
  const ForkMark mark_;
  std::atomic<uint64_t> copied_arrays_{0};
  std::atomic<uint64_t> copied_bytes_{0};
  std::atomic<uint64_t> committed_{0};
  std::atomic<uint64_t> most_committed_{0};
  std::mutex mutex_;  // guards all below
  Ranges free_;
  std::set<std::pair<uint64_t, uint64_t>> by_size_;
  uint64_t end_ = 0;  // of the last block
};

}  // namespace eyrie::hal::cpu::isolate

#endif  // EYRIE_HAL_CPU_ISOLATE_SHARED_HEAP_H_
