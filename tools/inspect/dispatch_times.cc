#include "tools/inspect/dispatch_times.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tools/inspect/kernel_words.h"

namespace eyrie::tools {
namespace {

// Returns the name that the dispatch's kernel has in a recording.
std::string RecordedName(const Report& report, const DispatchUse& dispatch) {
  std::string name = KernelName(report, dispatch);
  constexpr absl::string_view kUnnamed = "kernel ";
  if (dispatch.kernel.empty() && absl::StartsWith(name, kUnnamed)) {
    name = absl::StrCat("export ", name.substr(kUnnamed.size()));
  }
  return name;
}

// Returns the time of all runs of the place `index` of `count` places of a
// kernel.
double TimeAt(const KernelTime& time, size_t index, size_t count) {
  if (time.each.empty() || time.each.size() % count != 0) {
    return time.ns / static_cast<double>(count);
  }
  double sum = 0;
  for (size_t i = index; i < time.each.size(); i += count) sum += time.each[i];
  return sum;
}

}  // namespace

std::vector<std::optional<double>> TimesOfDispatches(const Report& report,
                                                     const KernelTimes& times) {
  const std::vector<DispatchUse>& dispatches = report.facts.dispatches;
  std::map<std::string, std::vector<size_t>> places;  // of kernels
  for (size_t i = 0; i < dispatches.size(); ++i) {
    places[RecordedName(report, dispatches[i])].push_back(i);
  }
  std::vector<std::optional<double>> list;
  for (const auto& [name, indices] : places) {
    const auto time = times.find(name);
    if (time == times.end()) continue;
    list.resize(dispatches.size());
    for (size_t i = 0; i < indices.size(); ++i) {
      list[indices[i]] = TimeAt(time->second, i, indices.size());
    }
  }
  return list;
}

std::vector<OperationTime> TimesByOperation(const Report& report) {
  std::map<std::string, OperationTime> sums;
  for (size_t i = 0; i < report.dispatch_ns.size(); ++i) {
    if (!report.dispatch_ns[i].has_value()) continue;
    const std::string kernel = KernelName(report, report.facts.dispatches[i]);
    const std::string name(WordsOf(kernel).operation);
    OperationTime& sum = sums[name];
    sum.name = name;
    sum.ns += *report.dispatch_ns[i];
    ++sum.dispatches;
  }
  std::vector<OperationTime> list;
  for (auto& [name, sum] : sums) list.push_back(std::move(sum));
  std::stable_sort(list.begin(), list.end(),
                   [](const auto& a, const auto& b) { return a.ns > b.ns; });
  return list;
}

double TotalTime(const Report& report) {
  double total = 0;
  for (const auto& ns : report.dispatch_ns) total += ns.value_or(0);
  return total;
}

double LongestTime(const Report& report) {
  double longest = 0;
  for (const auto& ns : report.dispatch_ns) {
    longest = std::max(longest, ns.value_or(0));
  }
  return longest;
}

}  // namespace eyrie::tools
