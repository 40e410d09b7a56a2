// Prints registers, globals and the objects they refer to.
//
// Tested by debug_test.txt.
#ifndef EYRIE_TOOLS_DEBUG_VALUE_LINES_H_
#define EYRIE_TOOLS_DEBUG_VALUE_LINES_H_

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "tools/debug/frame_tracker.h"
#include "vm/lower/frame.h"
#include "vm/run/bytecode_module.h"

namespace eyrie::tools {

// A register in assembly syntax: "%i4", "%i4:5", "%r0".
struct RegisterName {
  bool is_ref;
  uint16_t index;
  bool is_pair = false;  // of two registers, which hold 64 bits
};
// "%i4:6" is not a register.
std::optional<RegisterName> ParseRegister(absl::string_view text);

// A global as 'globals' names it: ".refs[0]", or ".rwdata[8]" for its offset in
// bytes.
struct GlobalName {
  bool is_ref;
  uint32_t place;
};
std::optional<GlobalName> ParseGlobal(absl::string_view text);

// i32, i64, f32 or f64.
std::optional<RegisterKind> ParseRegisterKind(absl::string_view text);
// Returns the type to use for a register: the one that is named, or without a
// name `usual`, the type of its last value. INVALID_ARGUMENT: the name is not a
// type, or not one of 64 bits for a pair.
absl::StatusOr<RegisterKind> KindNamed(const RegisterName& name,
                                       absl::string_view type,
                                       RegisterKind usual);

// Reads a number from registers or globals.
template <typename T>
T Load(const void* at) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return value;
}

// Returns the size of a number in bytes.
size_t SizeOf(RegisterKind kind);

// Parses the bits of a number with "0x" before it, of 4 or 8 bytes.
std::optional<uint64_t> ParseHexBits(absl::string_view text, size_t bytes);

// Writes a number of this type, or its bits as "0x...". INVALID_ARGUMENT: the
// text is neither.
absl::Status StoreNumber(absl::string_view text, RegisterKind kind, void* at);

// Returns an error message: a function with `count` registers of this kind does
// not have the register.
std::string NoRegister(const RegisterName& name, uint32_t count);

// Returns "%i4:5 = i64 7" or "%r0 = !vm.list ...", ending with a line break, or
// "" for the upper half of a pair. A register of kind kUnwritten is shown as an
// i32.
std::string NumberLine(const vm::Frame& frame, uint16_t index,
                       RegisterKind kind);
// Returns the line for a named type: i32, i64, f32, f64 or hex, or for `usual`
// if `type` is empty. Returns an error message as KindNamed, or if the type
// needs more than the function's `count` registers.
std::string NumberLineAs(const vm::Frame& frame, const RegisterName& name,
                         RegisterKind usual, absl::string_view type,
                         uint32_t count);
std::string RefLine(const vm::Frame& frame, uint16_t index);
// Returns the line of a buffer as a named type or tensor, or an error message.
std::string RefLineAs(const vm::Frame& frame, uint16_t index,
                      absl::string_view type);

// Returns the type that instructions use for the global at an offset, or i32.
RegisterKind GlobalKind(const vm::BytecodeModule& module, uint32_t offset);
// Returns ".rwdata[8] = i64 7" or ".refs[0] = ...", ending with a line break.
// The global must exist.
std::string GlobalLine(const vm::BytecodeState& state, const GlobalName& name,
                       RegisterKind kind);

// Returns the module's globals: references, then bytes with the types that
// instructions use, or as i32. Limited to the first of many.
std::string GlobalLines(const vm::BytecodeState& state);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_DEBUG_VALUE_LINES_H_
