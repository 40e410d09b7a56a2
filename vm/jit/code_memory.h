// Memory for machine code, mapped executable and never writable.
//
// Code is in anonymous files and is written to them with pwrite. When a module
// ends, its memory is reused for the next one. A forked child gets files of its
// own, with the same code at the same addresses. The parent does not overwrite
// code in files that a child may not have copied yet.
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

// A file and its mapping.
class CodeChunk {
 public:
  // Returns RESOURCE_EXHAUSTED if there is not enough memory, and
  // PERMISSION_DENIED if the system forbids executable memory. With
  // `takes_breakpoints`, a debugger can set breakpoints in the code; all code
  // must be written before any of it runs.
  static absl::StatusOr<std::unique_ptr<CodeChunk>> Create(
      size_t size, bool takes_breakpoints = false);
  CodeChunk(const CodeChunk&) = delete;
  CodeChunk& operator=(const CodeChunk&) = delete;
  ~CodeChunk();

  size_t size() const { return size_; }
  const uint8_t* code() const { return code_; }
  bool takes_breakpoints() const { return takes_breakpoints_; }
  // Reports whether a forked child may still be running code from this file.
  bool forked() const { return forked_.load(std::memory_order_relaxed); }
  // Replaces the mapping by another one of the file, at the same address.
  // Returns false if that fails. Async-signal-safe.
  bool MapAgain() const;
  // Copies code to an offset in the file.
  absl::Status Write(size_t offset, const uint8_t* code, size_t size) const;

 private:
  friend class ForkedChunks;

  CodeChunk(int file, uint8_t* code, size_t size, bool takes_breakpoints);
  // Called in a child: replaces the parent's file with a copy. Returns false if
  // there is not enough memory.
  bool CopyInChild();

  int file_;
  uint8_t* const code_;
  const size_t size_;
  const bool takes_breakpoints_;
  std::atomic<bool> forked_ = false;
  CodeChunk* next_ = nullptr;  // in the list of all chunks
  CodeChunk* previous_ = nullptr;
};

// Unused chunks, for reuse. Thread-safe.
class CodePool {
 public:
  absl::StatusOr<std::unique_ptr<CodeChunk>> Take(size_t size);
  void Return(std::unique_ptr<CodeChunk> chunk);

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<CodeChunk>> chunks_;
};

// The code memory of one module. Thread-compatible.
class CodeMemory {
 public:
  static constexpr size_t kAlignment = 32;

  explicit CodeMemory(std::shared_ptr<CodePool> pool,
                      bool takes_breakpoints = false)
      : pool_(std::move(pool)), takes_breakpoints_(takes_breakpoints) {}
  CodeMemory(const CodeMemory&) = delete;
  CodeMemory& operator=(const CodeMemory&) = delete;
  ~CodeMemory();

  // Returns the address, a multiple of kAlignment, where the next Publish will
  // store code of at most `size` bytes. Returns the errors of CodeChunk.
  absl::StatusOr<const uint8_t*> Reserve(size_t size);
  // Copies code and returns its address. Returns the errors of CodeChunk.
  absl::StatusOr<const uint8_t*> Publish(const uint8_t* code, size_t size);

 private:
  const std::shared_ptr<CodePool> pool_;
  const bool takes_breakpoints_;
  std::vector<std::unique_ptr<CodeChunk>> chunks_;
  size_t used_ = 0;  // bytes used of the last chunk
};

}  // namespace eyrie::vm::jit

#endif  // EYRIE_VM_JIT_CODE_MEMORY_H_
