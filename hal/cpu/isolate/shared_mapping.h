// A shared mapping of a file, of which a child of fork() gets a private copy.
//
// Otherwise parent and child would write to the same memory. The copy is made
// before fork() returns, and only of pages that were written: its time and
// memory are proportional to them. If memory for it is short, an access to
// the mapping ends the child.
// Tested by isolate_test.cc.
#ifndef EYRIE_HAL_CPU_ISOLATE_SHARED_MAPPING_H_
#define EYRIE_HAL_CPU_ISOLATE_SHARED_MAPPING_H_

#include <cstdint>

namespace eyrie::hal::cpu::isolate {

// Thread-safe.
class SharedMapping {
 public:
  // Owns the mapping `data` of `size` bytes, which begins at the begin of the
  // file and may be longer. Borrows the file, a memfd.
  SharedMapping(int file, void* data, uint64_t size);
  SharedMapping(const SharedMapping&) = delete;
  SharedMapping& operator=(const SharedMapping&) = delete;
  ~SharedMapping();

 private:
  friend class MappingsAtFork;

  // Before fork(): copies the file.
  void Copy();
  // In the parent: frees the copy.
  void FreeCopy();
  // In the child: replaces the mapping by the copy.
  void UseCopy();

  const int file_;
  void* const data_;
  const uint64_t size_;
  void* copy_ = nullptr;  // null: there is none
  uint64_t copied_ = 0;   // bytes
};

}  // namespace eyrie::hal::cpu::isolate

#endif  // EYRIE_HAL_CPU_ISOLATE_SHARED_MAPPING_H_
