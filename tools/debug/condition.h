// What must hold for a breakpoint to stop: "%i0 == 3", "%i4 f64 < 0.5",
// "%r0 != null".
//
// Tested by debug_test.txt.
#ifndef EYRIE_TOOLS_DEBUG_CONDITION_H_
#define EYRIE_TOOLS_DEBUG_CONDITION_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tools/debug/frame_tracker.h"
#include "tools/debug/places.h"
#include "tools/debug/value_lines.h"
#include "vm/stack.h"

namespace eyrie::tools {

// A register compared with a number, or a reference with null.
class Condition {
 public:
  // INVALID_ARGUMENT: the text is none.
  static absl::StatusOr<Condition> Parse(absl::string_view text);

  // OUT_OF_RANGE: the function of a place has no such register.
  absl::Status CheckFor(const CodeSpot& spot) const;
  // Of a frame of such a function. `kinds` are what its registers hold: without
  // a type in the text a number is taken for that.
  bool Holds(const vm::Frame& frame,
             const std::vector<RegisterKind>& kinds) const;

 private:
  enum class Relation : uint8_t { kEq, kNe, kLe, kGe, kLt, kGt };

  template <typename T>
  bool Compare(T value, T wanted) const;

  RegisterName register_ = {};
  std::optional<RegisterKind> kind_;  // nullopt: the register's own
  Relation relation_ = Relation::kEq;
  double number_ = 0;
  std::optional<int64_t> whole_;  // the same, if it is one
};

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_DEBUG_CONDITION_H_
