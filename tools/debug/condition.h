// Conditions of breakpoints: "%i0 == 3", "%i4 f64 < 0.5", "%r0 != null".
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
#include "vm/lower/frame.h"

namespace eyrie::tools {

// A register compared with a number, or a reference with null.
class Condition {
 public:
  // INVALID_ARGUMENT: the text is not a condition.
  static absl::StatusOr<Condition> Parse(absl::string_view text);

  // OUT_OF_RANGE: the function at `spot` does not have the register.
  absl::Status CheckFor(const CodeSpot& spot) const;
  // Reports whether the condition holds in a frame. CheckFor must have
  // succeeded for the frame's function. `kinds` are the types of its registers;
  // they are used if the condition has no type.
  bool Holds(const vm::Frame& frame,
             const std::vector<RegisterKind>& kinds) const;

 private:
  enum class Relation : uint8_t { kEq, kNe, kLe, kGe, kLt, kGt };

  template <typename T>
  bool Compare(T value, T wanted) const;

  RegisterName register_ = {};
  std::optional<RegisterKind> kind_;  // nullopt: the register's current type
  Relation relation_ = Relation::kEq;
  double number_ = 0;
  std::optional<int64_t> whole_;  // number_ if it is an integer
  // A number "0x...", which is compared with the bits of the register.
  std::optional<uint64_t> bits_;
};

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_DEBUG_CONDITION_H_
