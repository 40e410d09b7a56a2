#include "vm/module/backtrace.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "base/plain_text.h"

namespace eyrie::vm {
namespace {

// Limit for the source locations shown for one instruction.
constexpr size_t kMaxPlaces = 4;

constexpr absl::string_view kFirst = "\n  at ";
constexpr absl::string_view kNext = "\n  from ";

// Returns "add a.py:12:3": the location's name in the source, if any, and the
// location.
std::string PlaceText(const SourceLocation& place) {
  std::string text = PlainName(place.name);
  if (place.file.empty()) return text.empty() ? "?" : text;
  absl::StrAppend(&text, text.empty() ? "" : " ", PlainName(place.file));
  // Line 0 means the whole file.
  if (place.line == 0) return text;
  return absl::StrCat(text, ":", place.line, ":", place.column);
}

// Returns " (model.mlir:30:5, inlined at model.mlir:41:3)", or "" if the
// location is unknown.
std::string PlacesText(const std::vector<SourceLocation>& places) {
  if (places.empty()) return "";
  std::string text = absl::StrCat(" (", PlaceText(places[0]));
  for (size_t i = 1; i < places.size(); ++i) {
    if (i == kMaxPlaces) {
      absl::StrAppend(&text, ", and ", places.size() - i, " more");
      break;
    }
    absl::StrAppend(&text, ", inlined at ", PlaceText(places[i]));
  }
  return text + ")";
}

std::string FrameText(const BacktraceFrame& frame) {
  const ModuleDef& module = *frame.module;
  return absl::StrCat(
      PlainName(module.name), ".",
      PlainName(module.FunctionName(frame.function)), "+0x",
      absl::Hex(frame.offset),
      PlacesText(module.FindLocations(frame.function, frame.offset)));
}

}  // namespace

std::string FormatBacktrace(const Backtrace& backtrace,
                            absl::string_view native) {
  std::string text;
  if (!native.empty())
    absl::StrAppend(&text, kFirst, "native ", PlainName(native));
  const auto add = [&text](const Backtrace::Run& run) {
    absl::StrAppend(&text, text.empty() ? kFirst : kNext, FrameText(run.frame));
    if (run.count > 1) absl::StrAppend(&text, ", ", run.count, " deep");
  };
  for (const Backtrace::Run& run : backtrace.inner()) add(run);
  if (backtrace.left_out() != 0) {
    absl::StrAppend(&text, "\n  ... ", backtrace.left_out(),
                    " frames more ...");
  }
  for (const Backtrace::Run& run : backtrace.outer()) add(run);
  return text;
}

absl::Status WithBacktrace(const absl::Status& status, absl::string_view native,
                           const Backtrace& backtrace) {
  return absl::Status(
      status.code(),
      absl::StrCat(status.message(), FormatBacktrace(backtrace, native)));
}

absl::string_view WithoutBacktrace(absl::string_view message) {
  return message.substr(0, message.find(kFirst));
}

}  // namespace eyrie::vm
