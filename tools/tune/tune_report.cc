#include "tools/tune/tune_report.h"

#include <algorithm>
#include <array>

#include "abi/needs/size_text.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tools/json_object.h"
#include "tools/shell_word.h"
#include "tools/tune/ranking.h"

namespace eyrie::tools {
namespace {

constexpr size_t kColumns = 7;
using Cells = std::array<std::string, kColumns>;

constexpr std::array<const char*, kColumns> kHeads = {
    "flags", "compiler", "ms", "ratio", "load ms", "size", "compile s"};
constexpr size_t kTextColumns = 2;  // aligned to the left

std::string Number(double number, int digits) {
  return absl::StrFormat("%.*f", digits, number);
}

// Returns a time with three digits or more.
std::string Milliseconds(double ms) {
  return Number(ms, ms < 1 ? 4 : ms < 10 ? 3 : ms < 100 ? 2 : 1);
}

Cells CellsOf(const Candidate& candidate) {
  Cells cells;
  cells.fill("-");
  cells[0] = candidate.set->name;
  cells[1] = candidate.compiler->version;
  if (candidate.bytes == 0) return cells;
  cells[5] = abi::SizeText(candidate.bytes);
  cells[6] = Number(candidate.compile_seconds, 1);
  if (candidate.session != nullptr) cells[4] = Number(candidate.load_ms, 2);
  if (!candidate.is_measured()) return cells;
  cells[2] = Milliseconds(candidate.ms);
  cells[3] = absl::StrFormat("%.2f (%.2f-%.2f)", candidate.ratio.middle,
                             candidate.ratio.low, candidate.ratio.high);
  return cells;
}

std::string NoteIn(const TuneReport& report, const Candidate& candidate) {
  if (!candidate.note.empty()) return candidate.note;
  if (&candidate == report.fastest) return "fastest";
  return &candidate == ReferenceOf(report.candidates) ? "reference" : "";
}

void AddLine(const Cells& cells, const std::array<size_t, kColumns>& widths,
             absl::string_view note, TextStream& out) {
  std::string line;
  for (size_t i = 0; i < kColumns; ++i) {
    const std::string padding(widths[i] - cells[i].size(), ' ');
    absl::StrAppend(&line, i == 0 ? "" : "  ", i < kTextColumns ? "" : padding,
                    cells[i], i < kTextColumns ? padding : "");
  }
  out.Add(line, note.empty() ? "" : "  ", note, "\n");
}

void AddTable(const TuneReport& report, TextStream& out) {
  std::vector<Cells> rows(1);
  std::copy(kHeads.begin(), kHeads.end(), rows[0].begin());
  for (const Candidate& candidate : report.candidates) {
    rows.push_back(CellsOf(candidate));
  }
  std::array<size_t, kColumns> widths = {};
  for (const Cells& row : rows) {
    for (size_t i = 0; i < kColumns; ++i) {
      widths[i] = std::max(widths[i], row[i].size());
    }
  }
  AddLine(rows[0], widths, "note", out);
  for (size_t i = 1; i < rows.size(); ++i) {
    AddLine(rows[i], widths, NoteIn(report, report.candidates[i - 1]), out);
  }
}

void AddFastest(const TuneReport& report, TextStream& out) {
  const Candidate& fastest = *report.fastest;
  const Candidate& reference = *ReferenceOf(report.candidates);
  out.Add("\n");
  if (&fastest == &reference) {
    out.Add("No other module is faster than ", reference.set->name, " of ",
            reference.compiler->version, " with a confidence of 95%.");
  } else {
    out.Add("The fastest is ", fastest.set->name, " of ",
            fastest.compiler->version, ": ", Number(fastest.ratio.middle, 2),
            " of the time of ", reference.set->name, " of ",
            reference.compiler->version, ".");
  }
  if (!report.output.empty()) {
    out.Add(" It is in ", ShellWord(report.output), ".");
  }
  out.Add(" To make it again:\n");
  for (const auto& command : report.commands) {
    out.Add("  ", ShellLine(command), "\n");
  }
}

JsonObject::Json JsonOf(const Candidate& candidate) {
  JsonObject::Json row = {{"flags", candidate.set->name},
                          {"compiler", candidate.compiler->version},
                          {"program", candidate.compiler->program},
                          {"arguments", candidate.flags},
                          {"note", candidate.note}};
  if (candidate.bytes == 0) return row;
  row["compile_s"] = candidate.compile_seconds;
  row["bytes"] = candidate.bytes;
  if (candidate.session == nullptr) return row;
  row["load_ms"] = candidate.load_ms;
  row["first_ms"] = candidate.first_ms;
  if (!candidate.is_measured()) return row;
  row["ms"] = candidate.ms;
  row["ratio"] = candidate.ratio.middle;
  row["ratio_low"] = candidate.ratio.low;
  row["ratio_high"] = candidate.ratio.high;
  row["turns"] = candidate.turns_ms.size();
  return row;
}

}  // namespace

absl::Status PrintTuneText(const TuneReport& report, TextSink sink) {
  TextStream out(sink);
  AddTable(report, out);
  if (report.fastest != nullptr) AddFastest(report, out);
  return out.Finish();
}

absl::Status PrintTuneJson(const TuneReport& report, TextSink sink) {
  TextStream out(sink);
  JsonObject object(out);
  object.Field("model", report.model);
  object.List("candidates", report.candidates.size(),
              [&report](size_t i) { return JsonOf(report.candidates[i]); });
  JsonObject::Json fastest;  // null
  if (report.fastest != nullptr) {
    fastest = report.fastest - report.candidates.data();
  }
  object.Field("fastest", fastest);
  object.Field("commands", report.commands);
  object.End();
  out.Add("\n");
  return out.Finish();
}

}  // namespace eyrie::tools
