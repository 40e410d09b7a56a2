// `eyrie completion`: prints a script by which a shell completes commands,
// flags, functions and devices.
//
// The script passes the typed words to `eyrie completion words`. Flags come
// from the command's own --help, which is made from its table.
// Tested by cli_test.txt.
#include <string>
#include <vector>

#include "abi/call/session.h"
#include "abi/signature/user_exports.h"
#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/folders.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "tools/arg_parser.h"
#include "tools/benchmark_flags.h"
#include "tools/capture.h"
#include "tools/command.h"
#include "tools/usage_error.h"

namespace eyrie::tools {
namespace {

constexpr Flag kCompletionFlags[] = {
    kHelpFlag,
};

constexpr char kCompletionUsage[] =
    "# Usage: eyrie completion bash|zsh\n"
    "# Prints a script that completes commands, flags, the functions of a "
    "module\n"
    "# and devices. Add it to the shell's start file:\n"
    "#   ~/.bashrc   source <(eyrie completion bash)\n"
    "#   ~/.zshrc    source <(eyrie completion zsh)   # after compinit\n\n";

// xargs removes quotes and backslashes; a quote that is still open is closed
// for it. bash replaces the last part of a word, which begins after such a
// quote, '=' or ':'. Characters that the shell would expand, or that would end
// the quote, are quoted in a way that xargs understands when the line goes on.
constexpr char kBash[] = R"sh(_eyrie() {
  local IFS=$' \t\n' line=${COMP_LINE:0:COMP_POINT} words typed part quote
  for quote in '' \" \'; do
    words=$(xargs printf '%s\n' <<< "$line$quote" 2>/dev/null) && break
  done
  mapfile -t typed <<< "$words"
  if [[ -z $quote && $line == *[[:space:]] && $line != *\\[[:space:]] ]]; then
    typed+=('')
  fi
  part=${typed[-1]##*[=:]}
  [[ -z $quote ]] || part=${line##*"$quote"}
  mapfile -t COMPREPLY < <(
    "${typed[0]}" completion words "${typed[@]:1}" 2>/dev/null)
  COMPREPLY=("${COMPREPLY[@]#"${typed[-1]%"$part"}"}")
  if (( ${#COMPREPLY[@]} )); then
    mapfile -t COMPREPLY < <(
      case $quote in
        (\') printf '%s\n' "${COMPREPLY[@]}" | sed "s/'/'\"&\"'/g" ;;
        (\") printf '%s\n' "${COMPREPLY[@]}" | sed 's/[\\"$`!]/"'\''&'\''"/g' ;;
        (*) printf '%q\n' "${COMPREPLY[@]}" ;;
      esac)
  fi
  [[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace
}
complete -o bashdefault -o default -F _eyrie eyrie
)sh";

// clang-format off
constexpr char kZsh[] = R"sh(_eyrie() {
  local -a found
  found=(${(f)"$("${words[1]}" completion words \
    "${(@Q)words[2,CURRENT]}" 2>/dev/null)"})
  if (( ! $#found )); then
    _files
    return
  fi
  compadd -S '' -- ${(M)found:#*=}
  compadd -- ${found:#*=}
}
compdef _eyrie eyrie
)sh";
// clang-format on

constexpr const char* kCommands[] = {
#define COMMAND(name, main, summary) name,
#include "tools/commands.def"
};

// Returns what this program prints, or "" if it fails.
std::string OutputOf(std::vector<std::string> words) {
  words.insert(words.begin(), "/proc/self/exe");
  const absl::StatusOr<Captured> captured = RunAndCapture(words);
  return captured.ok() ? captured->output : "";
}

// Returns the names of the sets of flags of `eyrie tune`.
std::vector<std::string> FlagSetNames() {
  std::vector<std::string> names;
  const std::string sets = OutputOf({"tune", "--list_sets"});
  for (const absl::string_view line :
       absl::StrSplit(sets, '\n', absl::SkipEmpty())) {
    if (line[0] != ' ') names.emplace_back(line.substr(0, line.find(':')));
  }
  return names;
}

// The typed words of a command line. The last one is to be completed.
class TypedWords {
 public:
  explicit TypedWords(std::vector<std::string> words)
      : words_(std::move(words)) {}

  // Returns the words that may be meant.
  std::vector<std::string> Complete() const;

 private:
  const std::string& current() const { return words_.back(); }
  std::vector<std::string> Subcommands(const std::string& help) const;
  std::vector<std::string> Flags(const std::string& help) const;
  // Returns the values of a flag.
  std::vector<std::string> Values(absl::string_view flag) const;
  std::vector<std::string> Functions() const;
  // Returns the path of the last module before the current word, or "".
  std::string ModulePath() const;

  const std::vector<std::string> words_;
};

std::vector<std::string> TypedWords::Subcommands(
    const std::string& help) const {
  std::vector<std::string> found;
  const std::string own = absl::StrCat("eyrie ", words_[0], " ");
  const bool lists = absl::StrContains(help, absl::StrCat(own, "COMMAND"));
  for (absl::string_view line : absl::StrSplit(help, '\n')) {
    if (!absl::ConsumePrefix(&line, "#   ")) continue;
    const bool is_example = absl::ConsumePrefix(&line, own);
    const absl::string_view word = line.substr(0, line.find(' '));
    line.remove_prefix(word.size());
    if (is_example ? absl::StartsWith(line, " --help:")
                   : lists && absl::StartsWith(line, "  ")) {
      found.emplace_back(word);
    }
  }
  return found;
}

std::vector<std::string> TypedWords::Flags(const std::string& help) const {
  std::vector<std::string> found;
  for (absl::string_view line : absl::StrSplit(help, '\n')) {
    absl::ConsumePrefix(&line, "# ");
    if (!absl::StartsWith(line, "--")) continue;
    const size_t equals = line.find('=');
    const absl::string_view name = line.substr(0, equals);
    const absl::string_view value = line.substr(name.size());
    if (absl::StrContains(name, ' ')) continue;  // an example
    const bool takes = !value.empty() && value != "=true" && value != "=false";
    found.push_back(absl::StrCat(name, takes ? "=" : ""));
  }
  return found;
}

std::string TypedWords::ModulePath() const {
  std::string path;
  for (size_t i = 1; i + 1 < words_.size(); ++i) {
    absl::string_view word = words_[i];
    absl::ConsumePrefix(&word, "--module=");
    std::string text(word);
    if (!absl::StartsWith(word, "-") && IsRegularFile(text)) path = text;
  }
  return path;
}

std::vector<std::string> TypedWords::Functions() const {
  std::vector<std::string> names;
  const std::string path = ModulePath();
  if (path.empty()) return names;
  const absl::StatusOr<abi::Program> program = abi::LoadProgram(path, false);
  if (!program.ok()) return names;
  const vm::ModuleDef& def = (*program)->def();
  const auto exports = abi::UserExports(def);
  if (!exports.ok()) return names;
  for (const uint32_t index : *exports) {
    // A terminal cannot show other names.
    const std::string name(def.exports[index].name);
    if (PlainName(name) == name) names.push_back(name);
  }
  return names;
}

std::vector<std::string> TypedWords::Values(absl::string_view flag) const {
  if (flag == "--function") return Functions();
  if (flag == "--sets") return FlagSetNames();
  if (flag != "--device") return {};
  return absl::StrSplit(OutputOf({"run", "--list_devices"}), '\n',
                        absl::SkipEmpty());
}

std::vector<std::string> TypedWords::Complete() const {
  std::vector<std::string> found;
  const bool is_flag = absl::StartsWith(current(), "-");
  if (words_.size() == 1 || (words_.size() == 2 && words_[0] == "help")) {
    found.assign(std::begin(kCommands), std::end(kCommands));
    found.insert(found.end(), {"help", "--help", "--version"});
  } else if (const size_t equals = current().find('=');
             is_flag && equals != std::string::npos) {
    const std::string flag = current().substr(0, equals);
    for (const std::string& value : Values(flag)) {
      found.push_back(absl::StrCat(flag, "=", value));
    }
  } else if (!is_flag && absl::StartsWith(words_[words_.size() - 2], "--")) {
    found = Values(words_[words_.size() - 2]);
  } else {
    const std::string help = OutputOf({words_[0], "--help"});
    const std::vector<std::string> more = Subcommands(help);
    const bool has_more =
        words_.size() > 2 && absl::c_linear_search(more, words_[1]);
    if (words_.size() == 2) found = more;
    if (is_flag) {
      found =
          Flags(has_more ? OutputOf({words_[0], words_[1], "--help"}) : help);
      if (words_[0] == "bench") {
        for (std::string& flag : BenchmarkFlagNames()) {
          found.push_back(std::move(flag));
        }
      }
    }
  }
  // Helps mention flags in sentences, too.
  absl::flat_hash_set<std::string> seen;
  std::erase_if(found, [&](const std::string& word) {
    return !absl::StartsWith(word, current()) || !seen.insert(word).second;
  });
  return found;
}

absl::Status RunCompletion(std::span<const char* const> args) {
  const std::string shell = args.empty() ? "" : args[0];
  if (shell == "words") {
    std::vector<std::string> words(args.begin() + 1, args.end());
    if (words.empty()) words.emplace_back();
    std::string text;
    for (const std::string& word : TypedWords(std::move(words)).Complete()) {
      absl::StrAppend(&text, word, "\n");
    }
    return WriteStdout(text);
  }
  ASSIGN_OR_RETURN(const Arguments arguments,
                   ParseArguments(kCompletionFlags, args));
  if (arguments.GetBool("help")) {
    return WriteStdout(
        absl::StrCat(kCompletionUsage, FlagsHelp(kCompletionFlags)));
  }
  if (args.size() == 1 && shell == "bash") return WriteStdout(kBash);
  if (args.size() == 1 && shell == "zsh") return WriteStdout(kZsh);
  return UsageError(absl::StrCat(
      "eyrie completion takes the name of a shell, bash or zsh, not '",
      absl::StrJoin(args, " "), "'."));
}

}  // namespace

int CompletionMain(std::span<const char* const> args) {
  const absl::Status status = RunCompletion(args);
  return status.ok() ? 0 : ReportError(status);
}

}  // namespace eyrie::tools
