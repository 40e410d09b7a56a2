// Registers, globals and what they refer to, as lines.
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
#include "vm/stack.h"

namespace eyrie::tools {

// A register as assembly has it: "%i4", "%i4:5", "%r0".
struct RegisterName {
  bool is_ref;
  uint16_t index;
};
std::optional<RegisterName> ParseRegister(absl::string_view text);

// i32, i64, f32 or f64.
std::optional<RegisterKind> ParseRegisterKind(absl::string_view text);

// A number in registers or globals.
template <typename T>
T Load(const void* at) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return value;
}

// That a function with so many of its kind has no such register.
std::string NoRegister(const RegisterName& name, uint32_t count);

// "%i4:5 = i64 7" or "%r0 = !vm.list ..." on lines of their own, ending with a
// line break; nothing for the upper half of a pair. `kind` may be kUnwritten:
// then it is shown as an i32.
std::string NumberLine(const vm::Frame& frame, uint16_t index,
                       RegisterKind kind);
// The same as a type that is named: i32, i64, f32, f64 or hex; as `kind` for
// none. A sentence if there is no such type, or if it takes more than the
// `count` registers there are.
std::string NumberLineAs(const vm::Frame& frame, uint16_t index,
                         RegisterKind kind, absl::string_view type,
                         uint32_t count);
std::string RefLine(const vm::Frame& frame, uint16_t index);
// The same of a buffer as a type or tensor that is named, or a sentence.
std::string RefLineAs(const vm::Frame& frame, uint16_t index,
                      absl::string_view type);

// The module's globals: refs, then its bytes as what instructions take them
// for, or as i32. Of many the first.
std::string GlobalLines(const vm::BytecodeState& state);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_DEBUG_VALUE_LINES_H_
