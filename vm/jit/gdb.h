// Shows compiled code to gdb by its JIT interface ("JIT Interface" in its
// manual): an object file in memory per piece of code, with the names of its
// functions and how to unwind from each place.
// Tested by gdb_test.cc, tools/gdb_test.sh.
#ifndef EYRIE_VM_JIT_GDB_H_
#define EYRIE_VM_JIT_GDB_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "vm/jit/unwinding.h"

namespace eyrie::vm::jit {

// A function, or part of one with a name of its own.
struct CodeName {
  std::string name;
  uint64_t offset;  // in the code
  uint64_t size;
};

// An ELF file of code that lies at `address`.
std::vector<uint8_t> CreateObjectFile(uint64_t address, uint64_t size,
                                      const std::vector<CodeName>& names,
                                      const Unwinding& unwinding);

// Makes such a file known while it lives. Thread-safe.
class GdbEntry {
 public:
  explicit GdbEntry(std::vector<uint8_t> file);
  GdbEntry(const GdbEntry&) = delete;
  GdbEntry& operator=(const GdbEntry&) = delete;
  ~GdbEntry();

 private:
  struct Node;
  const std::vector<uint8_t> file_;
  const std::unique_ptr<Node> node_;
};

}  // namespace eyrie::vm::jit

#endif  // EYRIE_VM_JIT_GDB_H_
