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

#include "absl/strings/string_view.h"
#include "tools/debug/frame_tracker.h"
#include "vm/lower/frame.h"

namespace eyrie::tools {

// A register in assembly syntax: "%i4", "%i4:5", "%r0".
struct RegisterName {
  bool is_ref;
  uint16_t index;
};
std::optional<RegisterName> ParseRegister(absl::string_view text);

// i32, i64, f32 or f64.
std::optional<RegisterKind> ParseRegisterKind(absl::string_view text);

// Reads a number from registers or globals.
template <typename T>
T Load(const void* at) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return value;
}

// Returns an error message: a function with `count` registers of this kind does
// not have the register.
std::string NoRegister(const RegisterName& name, uint32_t count);

// Returns "%i4:5 = i64 7" or "%r0 = !vm.list ...", ending with a line break, or
// "" for the upper half of a pair. A register of kind kUnwritten is shown as an
// i32.
std::string NumberLine(const vm::Frame& frame, uint16_t index,
                       RegisterKind kind);
// Returns the line for a named type: i32, i64, f32, f64 or hex, or for `kind`
// if `type` is empty. Returns an error message if the type is unknown, or needs
// more than the function's `count` registers.
std::string NumberLineAs(const vm::Frame& frame, uint16_t index,
                         RegisterKind kind, absl::string_view type,
                         uint32_t count);
std::string RefLine(const vm::Frame& frame, uint16_t index);
// Returns the line of a buffer as a named type or tensor, or an error message.
std::string RefLineAs(const vm::Frame& frame, uint16_t index,
                      absl::string_view type);

// Returns the module's globals: references, then bytes with the types that
// instructions use, or as i32. Limited to the first of many.
std::string GlobalLines(const vm::BytecodeState& state);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_DEBUG_VALUE_LINES_H_
