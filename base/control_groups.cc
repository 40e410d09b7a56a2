#include "base/control_groups.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace eyrie {
namespace {

constexpr size_t kLongestFile = 16384;

// Calls `visit` with the folders of a group and its parents. `path` is like
// "/a/b", or empty for the root.
void VisitAlong(absl::string_view root, absl::string_view path, bool unified,
                absl::FunctionRef<void(const std::string&, bool)> visit) {
  while (true) {
    visit(absl::StrCat(root, path, "/"), unified);
    if (path.empty()) return;
    path = path.substr(0, path.rfind('/'));
  }
}

}  // namespace

// Uses plain system calls for speed: opening a device waits for these files.
std::optional<std::string> ReadSystemText(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  std::string text;
  char part[512];
  ssize_t size = 1;
  while (size > 0 && text.size() < kLongestFile) {
    size = read(file, part, sizeof(part));
    if (size > 0) text.append(part, static_cast<size_t>(size));
  }
  close(file);
  return text;
}

void VisitControlGroups(
    absl::string_view controller, ReadText read,
    absl::FunctionRef<void(const std::string& folder, bool unified)> visit) {
  const std::string groups = read("/proc/self/cgroup").value_or("");
  for (absl::string_view line : absl::StrSplit(groups, '\n')) {
    // "0::/user.slice", or "4:cpu,cpuacct:/docker/ab12".
    const std::vector<absl::string_view> fields =
        absl::StrSplit(line, absl::MaxSplits(':', 2));
    if (fields.size() != 3) continue;
    const absl::string_view path = absl::StripSuffix(fields[2], "/");
    if (!path.empty() && path[0] != '/') continue;
    if (fields[1].empty()) {
      VisitAlong("/sys/fs/cgroup", path, /*unified=*/true, visit);
      continue;
    }
    for (absl::string_view name : absl::StrSplit(fields[1], ',')) {
      if (name != controller) continue;
      VisitAlong(absl::StrCat("/sys/fs/cgroup/", controller), path,
                 /*unified=*/false, visit);
    }
  }
}

std::optional<uint64_t> GroupMemory(ReadText read) {
  std::optional<uint64_t> least;
  VisitControlGroups(
      "memory", read, [&](const std::string& folder, bool unified) {
        const std::string text =
            read(absl::StrCat(folder, unified ? "memory.max"
                                              : "memory.limit_in_"
                                                "bytes"))
                .value_or("");
        uint64_t bytes = 0;  // "max" is not a number
        if (!absl::SimpleAtoi(text, &bytes)) return;
        least = std::min(bytes, least.value_or(bytes));
      });
  return least;
}

}  // namespace eyrie
