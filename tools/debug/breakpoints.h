// The breakpoints and watchpoints of a debugger.
//
// Tested by debug_test.txt.
#ifndef EYRIE_TOOLS_DEBUG_BREAKPOINTS_H_
#define EYRIE_TOOLS_DEBUG_BREAKPOINTS_H_

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/ref.h"
#include "tools/debug/condition.h"
#include "tools/debug/frame_tracker.h"
#include "tools/debug/listing.h"
#include "tools/debug/places.h"
#include "vm/lower/frame.h"
#include "vm/run/bytecode_module.h"

namespace eyrie::tools {

struct Breakpoint {
  int number;
  std::string text;
  std::vector<CodeSpot> spots;
  std::optional<Condition> condition;  // stops only if it holds
};

// Numbers both kinds in one row. Thread-compatible.
class Breakpoints {
 public:
  // Adds a breakpoint: "PLACE" or "PLACE if CONDITION". The result is valid
  // until the next change. Fails as FindSpots, Condition::Parse and
  // Condition::CheckFor.
  absl::StatusOr<const Breakpoint*> Add(
      absl::string_view text,
      const std::vector<const vm::BytecodeModule*>& modules, const CodeSpot& at,
      Listing& listing);
  // Adds a watchpoint of a buffer. INVALID_ARGUMENT: the object is not a
  // buffer. RESOURCE_EXHAUSTED: it is too large. Otherwise fails as SeeBytes.
  // Returns the line on it.
  absl::StatusOr<std::string> AddWatch(absl::string_view name,
                                       RefObject* object);
  // Removes the breakpoint or watchpoint of this number, or all. Returns a
  // sentence if there is none, else "".
  std::string Remove(absl::string_view number);
  void RemoveWatches() { watches_.clear(); }

  // Return a list with a line for each, or a sentence if there are none.
  std::string BreakpointLines() const;
  std::string WatchLines() const;

  // Returns the first breakpoint at `spot` that stops, or null.
  const Breakpoint* At(const vm::Frame& frame, const CodeSpot& spot,
                       const FrameTracker& tracker) const;
  // Returns a text on the first watched buffer that has changed since the last
  // call, if any.
  std::optional<std::string> ChangeOfWatched();

 private:
  // A buffer whose bytes are compared before each instruction.
  struct Watchpoint {
    int number;
    std::string text;
    Ref<RefObject> buffer;
    std::vector<uint8_t> bytes;  // as seen last
  };

  std::vector<Breakpoint> breakpoints_;
  std::vector<Watchpoint> watches_;
  std::set<CodeSpot> spots_;  // of all breakpoints
  int next_number_ = 1;
};

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_DEBUG_BREAKPOINTS_H_
