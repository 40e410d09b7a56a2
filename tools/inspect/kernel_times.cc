// The recorder writes a head, then an event a line, then "]}".
#include "tools/inspect/kernel_times.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/json.h"
#include "base/mapped_file.h"
#include "base/status_macros.h"
#include "tools/inspect/lines.h"

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

// One thread's part of a dispatch.
struct Part {
  double at;  // microseconds
  double ns;
  double workgroups;  // of this part
  double all;         // workgroups of the dispatch
};

// Returns the member of an object, or null; `json` may be null.
const Json* Member(const Json* json, absl::string_view key) {
  return json == nullptr ? nullptr : json->Find(key);
}

// Joins the parts of each dispatch. Dispatches of a kernel do not overlap.
// Returns nothing if one is incomplete.
std::vector<double> Join(std::vector<Part> parts) {
  std::stable_sort(parts.begin(), parts.end(),
                   [](const Part& a, const Part& b) { return a.at < b.at; });
  std::vector<double> each;
  double missing = 0;  // workgroups of the last dispatch
  for (const Part& part : parts) {
    if (missing <= 0) {
      each.push_back(0);
      missing = part.all;
    }
    each.back() += part.ns;
    missing -= part.workgroups;
  }
  if (missing != 0) each.clear();
  return each;
}

// Reads a trace line by line.
class Reader {
 public:
  void Take(absl::string_view line) {
    ++lines_;
    if (!status_.ok() || is_over_) return;
    if (lines_ == 1) is_trace_ = absl::EndsWith(line, "\"traceEvents\":[");
    is_over_ = line == "]}";
    if (!absl::StrContains(line, "\"cat\":\"dispatch\"")) return;
    absl::ConsumeSuffix(&line, ",");
    if (!AddDispatch(line)) {
      status_ = absl::InvalidArgumentError(absl::StrCat(
          "Line ", lines_, " is not an event with a name and a time."));
    } else if (times_.size() > kMaxKernels) {
      status_ = absl::ResourceExhaustedError(
          absl::StrCat("It names more than ", kMaxKernels, " kernels."));
    }
  }

  absl::StatusOr<KernelTimes> Finish() {
    RETURN_IF_ERROR(status_);
    if (!is_trace_ || !is_over_) {
      return absl::InvalidArgumentError(
          "It is not a complete trace of 'eyrie run --trace=FILE'.");
    }
    for (auto& [name, parts] : parts_) {
      times_[name].each = Join(std::move(parts));
    }
    return std::move(times_);
  }

 private:
  // Adds the event of a dispatch, or of one thread's part of it. Returns false
  // if it is malformed.
  bool AddDispatch(absl::string_view line);

  size_t lines_ = 0;
  bool is_trace_ = false;
  bool is_over_ = false;
  absl::Status status_;
  KernelTimes times_;
  std::map<std::string, std::vector<Part>> parts_;
};

bool Reader::AddDispatch(absl::string_view line) {
  const absl::StatusOr<Json> event = ParseJson(line);
  if (!event.ok()) return false;
  const Json* const name = event->Find("name");
  const std::optional<double> us = NumberOf(event->Find("dur"));
  if (name == nullptr || !name->is(Json::Kind::kString) || !us.has_value() ||
      !(*us >= 0)) {
    return false;
  }
  const Json* const args = event->Find("args");
  const double begin = NumberOf(Member(args, "begin")).value_or(0);
  const double end = NumberOf(Member(args, "end")).value_or(begin);
  double all = 1;
  if (const Json* const counts = Member(args, "workgroups")) {
    for (const Json& count : counts->items) {
      all *= NumberOf(&count).value_or(0);
    }
  } else {
    all = end - begin;
  }
  KernelTime& time = times_[name->text];
  time.ns += *us * kNsPerUs;
  if (begin == 0) ++time.count;
  parts_[name->text].push_back({NumberOf(event->Find("ts")).value_or(0),
                                *us * kNsPerUs, end - begin, all});
  return true;
}

}  // namespace

absl::StatusOr<KernelTimes> ReadKernelTimes(const std::string& path) {
  ASSIGN_OR_RETURN(const auto file, MappedFile::Open(path));
  Reader reader;
  const auto take = [&](absl::string_view line) { reader.Take(line); };
  Lines lines(take);
  lines.Add({reinterpret_cast<const char*>(file->bytes().data()),
             file->bytes().size()});
  lines.Add("\n");
  absl::StatusOr<KernelTimes> times = reader.Finish();
  if (times.ok()) return times;
  return Annotate(times.status(), absl::StrCat("(file '", path, "')"));
}

absl::StatusOr<KernelTimes> TimesOf(const trace::Recorder& recorder) {
  if (recorder.dropped() > 0) {
    return absl::ResourceExhaustedError(
        absl::StrCat("The recording is full: its last ", recorder.dropped(),
                     " events did not fit."));
  }
  Reader reader;
  const auto take = [&](absl::string_view line) { reader.Take(line); };
  Lines lines(take);
  RETURN_IF_ERROR(recorder.WriteJson([&](absl::string_view piece) {
    lines.Add(piece);
    return absl::OkStatus();
  }));
  return reader.Finish();
}

}  // namespace eyrie::tools
