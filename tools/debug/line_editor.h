// Reads lines on a terminal with editing, history and completion, by libedit
// (Debian's package libedit2) if the system has it.
//
// Tested by debug_test.txt.
#ifndef EYRIE_TOOLS_DEBUG_LINE_EDITOR_H_
#define EYRIE_TOOLS_DEBUG_LINE_EDITOR_H_

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace eyrie::tools {

// Used by one thread, except Interrupt. At most one may exist at a time.
class LineEditor {
 public:
  // Returns the words that can complete the last word of a line, which ends at
  // the cursor.
  using Complete = std::function<std::vector<std::string>(absl::string_view)>;

  // Returns null if standard input or output is not a terminal, the terminal is
  // "dumb", or libedit is missing. `prompt` must outlive the editor.
  static std::unique_ptr<LineEditor> Open(const char* prompt,
                                          Complete complete);
  LineEditor(const LineEditor&) = delete;
  LineEditor& operator=(const LineEditor&) = delete;
  ~LineEditor();

  // Returns the next line without its line break, or nullopt at the end of
  // input. Adds it to the history.
  std::optional<std::string> Read();

  // Drops the line that is being edited. Async-signal-safe.
  void Interrupt() { interrupted_ = true; }

 private:
  struct Library;
  struct Calls;  // the functions that libedit calls

  LineEditor(std::unique_ptr<const Library> library, const char* prompt,
             Complete complete);
  bool Start();
  // Read for libedit. Return 1, 0 at the end of input, or -1 if interrupted.
  int ReadCharacter(wchar_t* to);
  int ReadByte(char* to);
  unsigned char CompleteLine();

  const std::unique_ptr<const Library> library_;
  const char* const prompt_;
  const Complete complete_;
  struct EditLine* edit_ = nullptr;
  struct History* history_ = nullptr;
  std::atomic<bool> interrupted_ = false;
};

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_DEBUG_LINE_EDITOR_H_
