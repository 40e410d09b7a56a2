#include "tools/debug/line_editor.h"

#include <dlfcn.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cwchar>
#include <type_traits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "base/foreign_function.h"

namespace eyrie::tools {
namespace {

constexpr char kLibrary[] = "libedit.so.2";
constexpr int kHistory = 500;      // lines
constexpr size_t kMaxShown = 100;  // completions

// Operations of el_set() and history(), and results of an editor's function.
constexpr int kSetPrompt = 0, kSetEditor = 2, kSetSignal = 3, kSetBind = 4;
constexpr int kSetFunction = 9, kSetHistory = 10, kSetReader = 13;
constexpr int kPrepareTerminal = 16, kShowLine = 20;
constexpr int kHistorySize = 1, kHistoryEnter = 10, kHistoryUnique = 20;
constexpr unsigned char kRefresh = 4, kRedisplay = 8, kRefreshBeep = 9;

LineEditor* current = nullptr;
// Set when the process goes on after it was stopped. The terminal then has the
// shell's settings.
volatile std::sig_atomic_t was_continued = 0;

void NoteContinued(int) { was_continued = 1; }

// Returns what all words begin with.
absl::string_view CommonPart(const std::vector<std::string>& words) {
  absl::string_view common = words[0];
  for (const std::string& word : words) {
    size_t same = 0;
    while (same < common.size() && same < word.size() &&
           common[same] == word[same]) {
      ++same;
    }
    common = common.substr(0, same);
  }
  return common;
}

bool IsGoodTerminal() {
  const char* const terminal = std::getenv("TERM");
  return isatty(STDIN_FILENO) != 0 && isatty(STDOUT_FILENO) != 0 &&
         terminal != nullptr && *terminal != '\0' &&
         absl::string_view(terminal) != "dumb";
}

}  // namespace

// The library is never closed, because it may have registered handlers.
struct LineEditor::Library {
  struct Event {
    int number;
    const char* text;
  };
  struct Line {
    const char* begin;
    const char* cursor;
    const char* end;
  };

  EditLine* (*init)(const char*, FILE*, FILE*, FILE*) = nullptr;
  void (*end)(EditLine*) = nullptr;
  int (*set)(EditLine*, int, ...) = nullptr;
  int (*set_wide)(EditLine*, int, ...) = nullptr;
  const char* (*gets)(EditLine*, int*) = nullptr;
  const Line* (*line)(EditLine*) = nullptr;
  int (*insert)(EditLine*, const char*) = nullptr;
  History* (*history_init)() = nullptr;
  void (*history_end)(History*) = nullptr;
  int (*history)(History*, Event*, int, ...) = nullptr;

  static std::unique_ptr<const Library> Load() {
    void* const handle = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) return nullptr;
    auto made = std::make_unique<Library>();
    bool is_whole = true;
    const auto find = [&](const char* name, auto& to) {
      to = reinterpret_cast<std::remove_reference_t<decltype(to)>>(
          dlsym(handle, name));
      is_whole = is_whole && to != nullptr;
    };
    find("el_init", made->init);
    find("el_end", made->end);
    find("el_set", made->set);
    find("el_wset", made->set_wide);
    find("el_gets", made->gets);
    find("el_line", made->line);
    find("el_insertstr", made->insert);
    find("history_init", made->history_init);
    find("history_end", made->history_end);
    find("history", made->history);
    return is_whole ? std::move(made) : nullptr;
  }
};

struct LineEditor::Calls {
  static const char* Prompt(EditLine*) { return current->prompt_; }
  static int Read(EditLine*, wchar_t* to) { return current->ReadCharacter(to); }
  static unsigned char Complete(EditLine*, int) {
    return current->CompleteLine();
  }
};

std::unique_ptr<LineEditor> LineEditor::Open(const char* prompt,
                                             Complete complete) {
  if (!IsGoodTerminal()) return nullptr;
  std::unique_ptr<const Library> library = Library::Load();
  if (library == nullptr) return nullptr;
  std::unique_ptr<LineEditor> made(
      new LineEditor(std::move(library), prompt, std::move(complete)));
  return made->Start() ? std::move(made) : nullptr;
}

LineEditor::LineEditor(std::unique_ptr<const Library> library,
                       const char* prompt, Complete complete)
    : library_(std::move(library)),
      prompt_(prompt),
      complete_(std::move(complete)) {
  current = this;
}

EYRIE_CALLS_FOREIGN_CODE bool LineEditor::Start() {
  const Library& library = *library_;
  std::setlocale(LC_CTYPE, "C.UTF-8");
  edit_ = library.init("eyrie", stdin, stdout, stderr);
  history_ = library.history_init();
  if (edit_ == nullptr || history_ == nullptr) return false;
  Library::Event event;
  library.history(history_, &event, kHistorySize, kHistory);
  library.history(history_, &event, kHistoryUnique, 1);
  library.set(edit_, kSetPrompt, &Calls::Prompt);
  library.set(edit_, kSetEditor, "emacs");
  library.set(edit_, kSetSignal, 0);
  library.set(edit_, kSetHistory, library.history, history_);
  library.set(edit_, kSetReader, &Calls::Read);
  // el_set() would lose a copy of both texts.
  library.set_wide(edit_, kSetFunction, L"eyrie-complete", L"Completes a word.",
                   &Calls::Complete);
  library.set(edit_, kSetBind, "^I", "eyrie-complete", nullptr);
  library.set(edit_, kSetBind, "^R", "em-inc-search-prev", nullptr);
  struct sigaction action = {};
  action.sa_handler = NoteContinued;
  action.sa_flags = SA_RESTART;  // poll() returns even so
  return sigaction(SIGCONT, &action, nullptr) == 0;
}

EYRIE_CALLS_FOREIGN_CODE LineEditor::~LineEditor() {
  if (edit_ != nullptr) library_->end(edit_);
  if (history_ != nullptr) library_->history_end(history_);
  current = nullptr;
}

EYRIE_CALLS_FOREIGN_CODE std::optional<std::string> LineEditor::Read() {
  while (true) {
    int count = 0;
    const char* const line = library_->gets(edit_, &count);
    if (line != nullptr && count > 0) {
      Library::Event event;
      if (*line != '\n') {
        library_->history(history_, &event, kHistoryEnter, line);
      }
      return std::string(absl::StripSuffix(line, "\n"));
    }
    std::fputs("\n", stdout);
    std::fflush(stdout);
    if (!interrupted_.exchange(false)) return std::nullopt;
  }
}

int LineEditor::ReadCharacter(wchar_t* to) {
  std::mbstate_t state = {};
  while (true) {
    char byte = 0;
    const int count = ReadByte(&byte);
    if (count <= 0) return count;
    const size_t used = std::mbrtowc(to, &byte, 1, &state);
    if (used == static_cast<size_t>(-2)) continue;  // The character goes on.
    if (used == static_cast<size_t>(-1)) *to = L'\uFFFD';
    return 1;
  }
}

// A signal ends poll(), but not read(). One that comes just before poll() is
// seen after kPatience.
EYRIE_CALLS_FOREIGN_CODE int LineEditor::ReadByte(char* to) {
  constexpr int kPatience = 200;  // milliseconds
  pollfd input = {STDIN_FILENO, POLLIN, 0};
  int ready = 0;
  while (!interrupted_ && (ready == 0 || (ready < 0 && errno == EINTR))) {
    if (was_continued != 0) {
      was_continued = 0;
      library_->set(edit_, kPrepareTerminal, 0);  // else the next does nothing
      library_->set(edit_, kPrepareTerminal, 1);
      std::fputs("\n", stdout);
      library_->set(edit_, kShowLine);
    }
    ready = poll(&input, 1, kPatience);
  }
  if (interrupted_) return -1;
  return static_cast<int>(read(STDIN_FILENO, to, 1));
}

EYRIE_CALLS_FOREIGN_CODE unsigned char LineEditor::CompleteLine() {
  const Library::Line& info = *library_->line(edit_);
  const absl::string_view line(info.begin, info.cursor - info.begin);
  const size_t blank = line.find_last_of(" \t");
  const absl::string_view word =
      line.substr(blank == line.npos ? 0 : blank + 1);
  std::vector<std::string> words = complete_(line);
  if (words.empty()) return kRefreshBeep;
  std::string rest(CommonPart(words).substr(word.size()));
  if (words.size() == 1) rest += ' ';
  if (!rest.empty()) {
    return library_->insert(edit_, rest.c_str()) == 0 ? kRefresh : kRefreshBeep;
  }
  if (words.size() > kMaxShown) words.resize(kMaxShown);
  std::fputs(absl::StrCat("\n", absl::StrJoin(words, "  "), "\n").c_str(),
             stdout);
  return kRedisplay;
}

}  // namespace eyrie::tools
