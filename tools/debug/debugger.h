// Stops a call at breakpoints or after steps, and executes commands there.
//
// Commands are lines; docs/debug.md lists them. They are executed in
// BeforeInstruction, in Failed, and before and after a dispatch.
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
#include "absl/strings/string_view.h"
#include "hal/dispatch_observer.h"
#include "tools/debug/breakpoints.h"
#include "tools/debug/frame_tracker.h"
#include "tools/debug/listing.h"
#include "tools/debug/places.h"
#include "vm/limits/stepper.h"
#include "vm/lower/frame.h"
#include "vm/run/bytecode_module.h"

namespace eyrie::tools {

// Used by the context's thread only, except Interrupt and is_asking.
class Debugger final : public vm::Stepper, public hal::DispatchObserver {
 public:
  // `read` returns the next line, or nullopt at the end of input; `write`
  // prints text. Modules must outlive the debugger. `repeats`: an empty line
  // repeats the last command.
  Debugger(std::vector<const vm::BytecodeModule*> modules,
           std::function<std::optional<std::string>()> read,
           std::function<absl::Status(const std::string&)> write, bool repeats)
      : modules_(std::move(modules)),
        read_(std::move(read)),
        write_(std::move(write)),
        repeats_(repeats) {}

  // Stops before the next instruction.
  void StopNext() { mode_ = Mode::kStep; }
  // Disables all stops, for code that runs after the call has ended.
  void Detach();
  // Stops a running call before its next instruction. Thread-safe.
  void Interrupt() { interrupted_ = true; }

  // True after the user has quit; the call then fails with CANCELLED.
  bool has_quit() const { return has_quit_; }
  // True while the debugger waits for a line. Thread-safe.
  bool is_asking() const { return is_asking_; }

  // Returns the words that can complete the last word of a command. Must be
  // called only while the debugger waits for a line.
  std::vector<std::string> Completions(absl::string_view line) const;

  absl::Status BeforeInstruction(vm::Frame& frame, uint32_t offset) override;
  void Failed(vm::Frame& frame, uint32_t offset, const absl::Status& status,
              absl::string_view native) override;

  void Loaded(const hal::Executable& executable) override;
  bool Wants(const hal::Executable& executable, uint32_t ordinal) override;
  absl::Status Before(const hal::ObservedDispatch& dispatch) override;
  absl::Status After(const hal::ObservedDispatch& dispatch) override;
  // Says so if the call has ended while it was to run to a dispatch.
  void ReportMissedDispatch();

 private:
  enum class Mode : uint8_t {
    kRun,       // to a breakpoint
    kStep,      // to the next instruction
    kNext,      // to the next one of this function or its callers
    kFinish,    // to the next one of its callers
    kLine,      // as kNext, to another source line
    kDispatch,  // to a dispatch that matches dispatch_pattern_
  };
  struct Command {
    const char* name;
    const char* short_name;
    // Returns false to continue the call.
    bool (Debugger::*run)(absl::string_view argument);
    const char* arguments;
    const char* help;
  };
  static const Command kCommands[];

  // Returns the reason to stop here, or nullopt to continue.
  std::optional<std::string> ReasonToStop(const vm::Frame& frame,
                                          const CodeSpot& spot);
  bool IsSteppedTo(const vm::Frame& frame, const CodeSpot& spot) const;
  void StopAt(const vm::Frame& frame, const CodeSpot& spot);
  // Reads and executes commands until one continues the call.
  absl::Status Ask();
  // Shows a dispatch and asks.
  absl::Status StopAtDispatch(const hal::ObservedDispatch& dispatch,
                              absl::string_view text);
  void AskUntilOneGoesOn();
  bool Do(absl::string_view line);
  // Finds a command by its name, its short name or a prefix. Prints an error
  // and returns null if there is none.
  const Command* FindCommand(absl::string_view name);

  // Commands.
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
  bool Dispatch(absl::string_view argument);
  bool Bindings(absl::string_view argument);
  bool Set(absl::string_view argument);
  bool Watch(absl::string_view argument);
  bool Help(absl::string_view argument);
  bool Quit(absl::string_view argument);

  bool Advance(Mode mode, absl::string_view count);
  // The frame that commands refer to, and its position.
  const vm::Frame& Selected() const { return *frames_[selected_]; }
  CodeSpot SpotOf(const vm::Frame& frame) const;
  // Reports whether the code runs before all other functions.
  static bool IsInit(const CodeSpot& spot);
  // Returns the line on a binding of dispatch_.
  std::string BindingText(size_t index, absl::string_view type) const;
  // Prints a binding. Returns false if `name` is not a binding's.
  bool PrintBinding(absl::string_view name, absl::string_view type);
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
  Breakpoints breakpoints_;
  std::string last_line_;

  Mode mode_ = Mode::kRun;
  int64_t steps_ = 1;                // remaining; with kRun, breakpoints
  const vm::Frame* from_ = nullptr;  // where the step started
  std::string line_;                 // the source line at from_
  std::atomic<bool> interrupted_ = false;
  std::atomic<bool> is_asking_ = false;
  bool has_quit_ = false;
  bool has_failed_ = false;  // the current call
  bool was_told_ = false;    // the user, of the current failure
  bool is_detached_ = false;
  absl::Status written_;

  std::set<std::string> dispatch_names_;  // of the loaded executables
  std::string dispatch_pattern_;
  bool stops_after_ = false;  // the dispatch that is running
  // The instruction that runs; null before the first.
  const vm::Frame* now_ = nullptr;
  uint32_t now_offset_ = 0;
  // The dispatch that the call has stopped at, or null.
  const hal::ObservedDispatch* dispatch_ = nullptr;

  // Valid while stopped: the frames, innermost first.
  std::vector<const vm::Frame*> frames_;
  CodeSpot top_ = {};
  size_t selected_ = 0;
};

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_DEBUG_DEBUGGER_H_
