// The recorder writes a head, then an event a line, then "]}".
#include "tools/inspect/kernel_times.h"

#include <memory>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/json.h"
#include "base/mapped_file.h"
#include "base/status_macros.h"

namespace eyrie::tools {
namespace {

constexpr size_t kMaxKernels = 100000;
constexpr double kNsPerUs = 1000;

std::optional<double> NumberOf(const Json* json) {
  if (json == nullptr) return std::nullopt;
  if (json->is(Json::Kind::kFloat)) return json->number;
  if (json->is(Json::Kind::kInt)) return static_cast<double>(json->integer);
  return std::nullopt;
}

// Adds the event of a dispatch, or of one thread's part of it. Returns false if
// it is malformed.
bool AddDispatch(absl::string_view line, KernelTimes& times) {
  const absl::StatusOr<Json> event = ParseJson(line);
  if (!event.ok()) return false;
  const Json* const name = event->Find("name");
  const std::optional<double> us = NumberOf(event->Find("dur"));
  if (name == nullptr || !name->is(Json::Kind::kString) || !us.has_value() ||
      !(*us >= 0)) {
    return false;
  }
  const Json* const args = event->Find("args");
  const std::optional<double> begin =
      NumberOf(args == nullptr ? nullptr : args->Find("begin"));
  KernelTime& time = times[name->text];
  time.ns += *us * kNsPerUs;
  if (begin.value_or(0) == 0) ++time.count;
  return true;
}

}  // namespace

absl::StatusOr<KernelTimes> ReadKernelTimes(const std::string& path) {
  ASSIGN_OR_RETURN(const auto file, MappedFile::Open(path));
  absl::string_view text(reinterpret_cast<const char*>(file->bytes().data()),
                         file->bytes().size());
  KernelTimes times;
  bool is_over = false;
  for (size_t number = 1; !text.empty() && !is_over; ++number) {
    absl::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(line.size() == text.size() ? line.size()
                                                  : line.size() + 1);
    if (number == 1 && !absl::EndsWith(line, "\"traceEvents\":[")) break;
    is_over = line == "]}";
    if (!absl::StrContains(line, "\"cat\":\"dispatch\"")) continue;
    absl::ConsumeSuffix(&line, ",");
    if (!AddDispatch(line, times)) {
      return absl::InvalidArgumentError(
          absl::StrCat("Line ", number, " of '", path,
                       "' is not an event with a name and a time."));
    }
    if (times.size() > kMaxKernels) {
      return absl::ResourceExhaustedError(absl::StrCat(
          "'", path, "' names more than ", kMaxKernels, " kernels."));
    }
  }
  if (is_over) return times;
  return absl::InvalidArgumentError(absl::StrCat(
      "'", path, "' is not a complete trace of 'eyrie run --trace=FILE'."));
}

}  // namespace eyrie::tools
