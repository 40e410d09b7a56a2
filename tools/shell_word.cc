#include "tools/shell_word.h"

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"

namespace eyrie::tools {
namespace {

constexpr absl::string_view kPlainMarks = "-_./=,:@%+";

bool IsPlain(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
         kPlainMarks.find(c) != absl::string_view::npos;
}

}  // namespace

std::string PathArgument(const std::string& path) {
  return absl::StartsWith(path, "-") ? absl::StrCat("./", path) : path;
}

std::string ShellWord(absl::string_view text) {
  if (!text.empty() && absl::c_all_of(text, IsPlain)) return std::string(text);
  return absl::StrCat("'", absl::StrReplaceAll(text, {{"'", "'\\''"}}), "'");
}

std::string ShellLine(std::span<const std::string> words) {
  return absl::StrJoin(words, " ", [](std::string* out, const auto& word) {
    out->append(ShellWord(word));
  });
}

}  // namespace eyrie::tools
