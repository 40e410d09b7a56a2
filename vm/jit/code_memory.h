// Memory for machine code, which is mapped executable and never writable.
//
// Code lies in anonymous files, to which it is written as to any file. What a
// module used goes to the next when that ends. A process that is forked gets
// files of its own, with the same code at the same places; what its parent has
// of theirs then is not written over.
// Tested by code_memory_test.cc.
#ifndef EYRIE_VM_JIT_CODE_MEMORY_H_
#define EYRIE_VM_JIT_CODE_MEMORY_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace eyrie::vm::jit {

// A file and where it is mapped.
class CodeChunk {
 public:
  // RESOURCE_EXHAUSTED: the system gives no such memory. PERMISSION_DENIED: it
  // refuses memory that is executable. Code that is written before any of it
  // runs may be mapped so that a debugger's breakpoints can be put there.
  static absl::StatusOr<std::unique_ptr<CodeChunk>> Create(
      size_t size, bool takes_breakpoints = false);
  CodeChunk(const CodeChunk&) = delete;
  CodeChunk& operator=(const CodeChunk&) = delete;
  ~CodeChunk();

  size_t size() const { return size_; }
  const uint8_t* code() const { return code_; }
  bool takes_breakpoints() const { return takes_breakpoints_; }
  // A child, which may not have copied it yet, runs what is in it.
  bool forked() const { return forked_.load(std::memory_order_relaxed); }
  // Copies code to an offset.
  absl::Status Write(size_t offset, const uint8_t* code, size_t size) const;

 private:
  friend class ForkedChunks;

  CodeChunk(int file, uint8_t* code, size_t size, bool takes_breakpoints);
  // In a child, which has the parent's file yet. False: there is no memory.
  bool CopyInChild();

  int file_;
  uint8_t* const code_;
  const size_t size_;
  const bool takes_breakpoints_;
  std::atomic<bool> forked_ = false;
  CodeChunk* next_ = nullptr;  // of all there are
  CodeChunk* previous_ = nullptr;
};

// Chunks that nobody uses. Thread-safe.
class CodePool {
 public:
  absl::StatusOr<std::unique_ptr<CodeChunk>> Take(size_t size);
  void Return(std::unique_ptr<CodeChunk> chunk);

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<CodeChunk>> chunks_;
};

// Of a module. Thread-compatible.
class CodeMemory {
 public:
  static constexpr size_t kAlignment = 32;

  explicit CodeMemory(std::shared_ptr<CodePool> pool,
                      bool takes_breakpoints = false)
      : pool_(std::move(pool)), takes_breakpoints_(takes_breakpoints) {}
  CodeMemory(const CodeMemory&) = delete;
  CodeMemory& operator=(const CodeMemory&) = delete;
  ~CodeMemory();

  // Where the next code will lie if it is no longer, a multiple of kAlignment.
  // Errors as CodeChunk's.
  absl::StatusOr<const uint8_t*> Reserve(size_t size);
  // Copies code and gives its place. Errors as CodeChunk's.
  absl::StatusOr<const uint8_t*> Publish(const uint8_t* code, size_t size);

 private:
  const std::shared_ptr<CodePool> pool_;
  const bool takes_breakpoints_;
  std::vector<std::unique_ptr<CodeChunk>> chunks_;
  size_t used_ = 0;  // of the last
};

}  // namespace eyrie::vm::jit

#endif  // EYRIE_VM_JIT_CODE_MEMORY_H_
