#include "tools/inspect/kernel_words.h"

#include "absl/strings/ascii.h"

namespace eyrie::tools {
namespace {

constexpr absl::string_view kMark = "dispatch_";

// Reports whether a word begins a shape: "12x4", "D", "Dx4".
bool IsShape(absl::string_view word) {
  if (word.empty()) return false;
  if (absl::ascii_isdigit(word[0])) return true;
  return word[0] == 'D' &&
         (word.size() == 1 || word[1] == 'x' || word[1] == '_');
}

// Returns the length of "12_" at the start of the text, or 0.
size_t NumberLength(absl::string_view text) {
  size_t digits = 0;
  while (digits < text.size() && absl::ascii_isdigit(text[digits])) ++digits;
  const bool is_number =
      digits > 0 && digits < text.size() && text[digits] == '_';
  return is_number ? digits + 1 : 0;
}

}  // namespace

KernelWords WordsOf(absl::string_view name) {
  for (size_t at = name.find(kMark); at != name.npos;
       at = name.find(kMark, at + 1)) {
    const size_t number = at + kMark.size();
    const size_t length = NumberLength(name.substr(number));
    if (length == 0) continue;
    const absl::string_view rest = name.substr(number + length);
    if (rest.empty()) break;
    size_t end = rest.find('_');
    while (end != rest.npos && !IsShape(rest.substr(end + 1))) {
      end = rest.find('_', end + 1);
    }
    return {name.substr(0, number), rest.substr(0, end),
            end == rest.npos ? "" : rest.substr(end + 1)};
  }
  return {"", name, ""};
}

}  // namespace eyrie::tools
