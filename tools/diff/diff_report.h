// The results of a comparison of two modules, as `eyrie diff` prints them.
//
// Tested by diff_test.txt.
#ifndef EYRIE_TOOLS_DIFF_DIFF_REPORT_H_
#define EYRIE_TOOLS_DIFF_DIFF_REPORT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "base/text_stream.h"
#include "tools/diff/changes.h"

namespace eyrie::tools {

// The unified diffs of functions' code, by the item in SectionChange::before.
using CodeDiffs = absl::flat_hash_map<const Item*, std::string>;

struct DiffReport {
  std::string before;  // the files' names
  std::string after;
  uint64_t file_bytes = 0;  // of both
  std::vector<SectionChange> changes;
  CodeDiffs code;
};

// Prints nothing if the modules are equal. Prints at most `most` items of each
// section and lines of each function's code; 0: all. RESOURCE_EXHAUSTED: the
// text was cut off at MostTextOf() bytes. Otherwise returns the sink's error.
absl::Status PrintDiffText(const DiffReport& report, size_t most,
                           TextSink sink);

// Prints one JSON object with all changes. Fails in the same way.
absl::Status PrintDiffJson(const DiffReport& report, TextSink sink);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_DIFF_DIFF_REPORT_H_
