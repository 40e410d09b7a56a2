// Registers compiled code with gdb's JIT interface (see "JIT Interface" in its
// manual): for each piece of code, an object file in memory with the names of
// its functions and unwind information.
// Tested by gdb_test.cc, tools/gdb_test.sh.
#ifndef EYRIE_VM_JIT_GDB_H_
#define EYRIE_VM_JIT_GDB_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "vm/jit/unwinding.h"

namespace eyrie::vm::jit {

// A function, or a named part of one.
struct CodeName {
  std::string name;
  uint64_t offset;  // relative to the start of the code
  uint64_t size;
};

// Creates an ELF file that describes code at `address`.
std::vector<uint8_t> CreateObjectFile(uint64_t address, uint64_t size,
                                      const std::vector<CodeName>& names,
                                      const Unwinding& unwinding);

// Registers such a file for as long as it exists. Thread-safe.
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
