// The type of build in Google Benchmark's output.
//
// Tested by cli_test.txt.
#ifndef EYRIE_TOOLS_BUILD_TYPE_H_
#define EYRIE_TOOLS_BUILD_TYPE_H_

#include <string>
#include <string_view>
#include <utility>

namespace eyrie::tools {

// Debian's Google Benchmark is optimized, but built with assertions: it says
// that it "was built as DEBUG", although that does not change what it measures.
inline std::string WithBuildType(std::string text) {
  constexpr std::pair<std::string_view, std::string_view> kTexts[] = {
      {"***WARNING*** Library was built as DEBUG. Timings may be affected.\n",
       ""},
      {"\"library_build_type\": \"debug\"",
       "\"library_build_type\": \"release\""},
  };
  for (const auto& [from, to] : kTexts) {
    const size_t at = text.find(from);
    if (at != text.npos) text.replace(at, from.size(), to);
  }
  return text;
}

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_BUILD_TYPE_H_
