// Prints and changes registers, globals and the objects they refer to.
//
// Tested by debug_test.txt.
#ifndef EYRIE_TOOLS_DEBUG_VALUE_LINES_H_
#define EYRIE_TOOLS_DEBUG_VALUE_LINES_H_

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/ref.h"
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

// Returns an error message: a function with `count` registers of this kind does
// not have the register.
std::string NoRegister(const RegisterName& name, uint32_t count);

// Returns lines such as "%i4:5 = i64 7" or "%r0 = !vm.list ...": of all
// registers that were written and references that are not null, or a sentence
// if there are none.
std::string RegisterLines(const vm::Frame& frame, const FrameTracker& tracker);
// Returns the line of one register, for a named type: i32, i64, f32, f64 or
// hex, or that of its last value if `type` is empty; a buffer as a named type
// or tensor. Returns an error message if the register or the type does not
// exist, or needs more registers than there are.
std::string RegisterLine(const vm::Frame& frame, const RegisterName& name,
                         absl::string_view type, const FrameTracker& tracker);

// Returns the module's globals: references, then bytes with the types that
// instructions use, or as i32. Limited to the first of many.
std::string GlobalLines(const vm::BytecodeState& state);

// Set a value, which is a number of the type, or its bits as "0x...", or null
// for a reference. Return the line that shows the new value, or a sentence.
absl::StatusOr<std::string> SetRegister(const vm::Frame& frame,
                                        const RegisterName& name,
                                        absl::string_view type,
                                        absl::string_view value,
                                        FrameTracker& tracker);
absl::StatusOr<std::string> SetGlobal(const vm::BytecodeState& state,
                                      const GlobalName& name,
                                      absl::string_view type,
                                      absl::string_view value);

// Returns the object in "%r0" or ".refs[0]". INVALID_ARGUMENT: the function or
// its module has no such reference.
absl::StatusOr<RefObject*> FindReference(const vm::Frame& frame,
                                         absl::string_view name);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_DEBUG_VALUE_LINES_H_
