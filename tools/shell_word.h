// Writes arguments for commands that a user types.
//
// Tested by shell_word_test.cc.
#ifndef EYRIE_TOOLS_SHELL_WORD_H_
#define EYRIE_TOOLS_SHELL_WORD_H_

#include <span>
#include <string>

#include "absl/strings/string_view.h"

namespace eyrie::tools {

// Returns a path so that a program does not take it for a flag: "./-m.onnx".
std::string PathArgument(const std::string& path);

// Returns the text as one word of sh: as it is if no character has a meaning to
// the shell, otherwise in single quotes.
std::string ShellWord(absl::string_view text);

// Returns the words of a command, separated by spaces.
std::string ShellLine(std::span<const std::string> words);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_SHELL_WORD_H_
