// Stops a call where its user wants, and does what they say there.
//
// Commands come as lines; docs/debug.md has them. Code runs between
// BeforeInstruction and the next: all of a debugger happens within it, or
// within Failed.
// Tested by debug_test.txt.
#ifndef EYRIE_TOOLS_DEBUG_DEBUGGER_H_
#define EYRIE_TOOLS_DEBUG_DEBUGGER_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tools/debug/condition.h"
#include "tools/debug/frame_tracker.h"
#include "tools/debug/listing.h"
#include "tools/debug/places.h"
#include "vm/bytecode_module.h"
#include "vm/stack.h"
#include "vm/stepper.h"

namespace eyrie::tools {

// The context's thread's, except Interrupt.
class Debugger final : public vm::Stepper {
 public:
  // `read` gives the next line, or nullopt at their end; `write` takes text.
  // Modules outlive the debugger.
  // `repeats`: an empty line does the last command again.
  Debugger(std::vector<const vm::BytecodeModule*> modules,
           std::function<std::optional<std::string>()> read,
           std::function<absl::Status(const std::string&)> write, bool repeats)
      : modules_(std::move(modules)),
        read_(std::move(read)),
        write_(std::move(write)),
        repeats_(repeats) {}

  // Stops before the next instruction, whichever it is.
  void StopNext() { mode_ = Mode::kStep; }
  // Stops no more, for what runs when the call has ended.
  void Detach();
  // The same, of a running call. Any thread's.
  void Interrupt() { interrupted_ = true; }

  // True once the user has left; the call then fails as CANCELLED.
  bool has_quit() const { return has_quit_; }
  // True while a line is waited for. Any thread's.
  bool is_asking() const { return is_asking_; }

  absl::Status BeforeInstruction(vm::Frame& frame, uint32_t offset) override;
  void Failed(vm::Frame& frame, uint32_t offset, const absl::Status& status,
              absl::string_view native) override;

 private:
  enum class Mode : uint8_t {
    kRun,     // to a breakpoint
    kStep,    // to the next instruction
    kNext,    // the same of this function, or of its callers
    kFinish,  // the same of its callers
    kLine,    // the same of another line, as kNext
  };
  struct Breakpoint {
    int number;
    std::string text;
    std::vector<CodeSpot> spots;
    std::optional<Condition> condition;  // for it to stop
  };
  struct Command {
    const char* name;
    const char* short_name;
    // False: the call goes on.
    bool (Debugger::*run)(absl::string_view argument);
    const char* arguments;
    const char* help;
  };
  static const Command kCommands[];

  // Why it stops here; nullopt: it does not.
  std::optional<std::string> ReasonToStop(const vm::Frame& frame,
                                          const CodeSpot& spot);
  // The first breakpoint there that stops; null: there is none.
  const Breakpoint* BreakpointAt(const vm::Frame& frame,
                                 const CodeSpot& spot) const;
  bool IsSteppedTo(const vm::Frame& frame, const CodeSpot& spot) const;
  void StopAt(const vm::Frame& frame, const CodeSpot& spot);
  // Reads and does commands until one lets the call go on.
  absl::Status Ask();
  void AskUntilOneGoesOn();
  bool Do(absl::string_view line);
  // The command of a name, of its short one, or of the beginning of one; null:
  // there is none, and this has been said.
  const Command* FindCommand(absl::string_view name);

  // Commands; debugger_commands.cc.
  bool Break(absl::string_view argument);
  bool Delete(absl::string_view argument);
  bool Step(absl::string_view argument);
  bool Next(absl::string_view argument);
  bool Line(absl::string_view argument);
  bool Finish(absl::string_view argument);
  bool Continue(absl::string_view argument);
  bool Registers(absl::string_view argument);
  bool Print(absl::string_view argument);
  bool Globals(absl::string_view argument);
  bool List(absl::string_view argument);
  bool ShowBacktrace(absl::string_view argument);
  bool Up(absl::string_view argument);
  bool Down(absl::string_view argument);
  bool Functions(absl::string_view argument);
  bool Help(absl::string_view argument);
  bool Quit(absl::string_view argument);

  // Fails as FindSpots, Condition::Parse and Condition::CheckFor.
  absl::StatusOr<Breakpoint> CreateBreakpoint(absl::string_view text);
  bool Advance(Mode mode, absl::string_view count);
  // The frame that is looked at, and where it is.
  const vm::Frame& Selected() const { return *frames_[selected_]; }
  CodeSpot SpotOf(const vm::Frame& frame) const;
  bool Select(size_t index);
  void ShowFrame(size_t index);
  void ShowSelected();
  void Say(absl::string_view text);

  std::vector<const vm::BytecodeModule*> modules_;
  std::function<std::optional<std::string>()> read_;
  std::function<absl::Status(const std::string&)> write_;
  const bool repeats_;
  Listing listing_;
  FrameTracker tracker_;
  std::vector<Breakpoint> breakpoints_;
  std::set<CodeSpot> spots_;  // of all breakpoints
  int next_number_ = 1;
  std::string last_line_;

  Mode mode_ = Mode::kRun;
  int64_t steps_ = 1;                // still to go; of kRun, breakpoints
  const vm::Frame* from_ = nullptr;  // where the step began
  std::string line_;                 // of the source, there
  std::atomic<bool> interrupted_ = false;
  std::atomic<bool> is_asking_ = false;
  bool has_quit_ = false;
  bool has_failed_ = false;  // the call that is looked at
  bool was_told_ = false;    // of the failure that is passing
  bool is_detached_ = false;
  absl::Status written_;

  // While it stops: the frames, innermost first.
  std::vector<const vm::Frame*> frames_;
  CodeSpot top_ = {};
  size_t selected_ = 0;
};

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_DEBUG_DEBUGGER_H_
