// Kernels in machine code that attack their host. Each machine has its own
// file.
#ifndef EYRIE_HAL_CPU_ISOLATE_TESTING_HOSTILE_CODE_H_
#define EYRIE_HAL_CPU_ISOLATE_TESTING_HOSTILE_CODE_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace eyrie::hal::cpu::isolate {

// Instructions of this machine.
using Code = std::vector<uint8_t>;

// Code of a kernel, and the sentence that it ends with.
struct HostileRow {
  const char* name;
  Code code;
  std::string want;             // in the message
  bool needs_dispatch = false;  // it differs, or is absent, in other functions
};

// Returns with a code.
Code Returns(int32_t code);
// Adds the constant to the word of each workgroup.
Code Adds();
// Adds the constant once the second word of the buffer is not zero.
Code Waits();
// Counts to a million, which takes about a millisecond.
Code Counts();
// Never ends.
Code Spins();
// Sleeps until its own command changes, which it does not.
Code Sleeps();
// Makes a system call.
Code Calls(int64_t number, uint64_t first = 0, uint64_t second = 0,
           uint64_t third = 0);
// Reads a word at an address, or writes it.
Code Reads(uint64_t address);
Code Writes(uint64_t address);
// An instruction that does not exist.
Code Undefined();

// The next three write into the first lane's output, and never end.
Code WritesOutput(size_t offset, uint32_t value);
Code SaysItIsDone();
// Says that a command of the right group has failed, and that all are done.
Code ForgesFailure(uint32_t command, uint32_t code);
// Writes a signal into the first lane's output, then raises SIGILL.
Code ForgesSignal(uint32_t signal);

std::vector<HostileRow> JoinRows(
    std::initializer_list<std::vector<HostileRow>> groups);

// Rows whose instructions differ in more than their encoding.
std::vector<HostileRow> MachineRows();

// A compiled executable, and the offset and size of its code in the file.
struct CompiledFile {
  const char* folder;  // in hal/cpu/testdata
  size_t code;         // of add_v6.so
  size_t code_size;
};
extern const CompiledFile kCompiled;

// Fills the space between functions.
extern const Code kReturn;

}  // namespace eyrie::hal::cpu::isolate

#endif  // EYRIE_HAL_CPU_ISOLATE_TESTING_HOSTILE_CODE_H_
