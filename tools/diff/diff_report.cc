// The report as text and as JSON.
#include "tools/diff/diff_report.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "absl/strings/ascii.h"
#include "absl/strings/str_split.h"
#include "base/file_growth.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "tools/json_object.h"

namespace eyrie::tools {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr size_t kMaxValue = 4096;  // bytes of a value in a line

std::string Plain(absl::string_view text) { return PlainText(text, kMaxValue); }

// Returns '-' for what only the first module has, '+' for what only the second
// has, and '~' for what both have.
template <typename Change>
const char* Mark(const Change& change) {
  if (change.after == nullptr) return "-";
  return change.before == nullptr ? "+" : "~";
}

class TextPrinter {
 public:
  TextPrinter(const DiffReport& report, size_t most, TextStream& to)
      : report_(report), most_(most == 0 ? SIZE_MAX : most), to_(to) {}

  void Print() {
    if (report_.changes.empty()) return;
    Line("--- ", PlainPath(report_.before));
    Line("+++ ", PlainPath(report_.after));
    for (const SectionChange& section : report_.changes) PrintSection(section);
  }

 private:
  template <typename... Args>
  void Line(const Args&... args) {
    to_.Add(args..., "\n");
  }
  void PrintSection(const SectionChange& section);
  void PrintItem(const ItemChange& item);
  void PrintCode(const std::string& code);

  const DiffReport& report_;
  const size_t most_;
  TextStream& to_;
};

void TextPrinter::PrintSection(const SectionChange& section) {
  std::string title = section.before->name;
  title[0] = absl::ascii_toupper(title[0]);
  Line("\n", title);
  const size_t shown = std::min(most_, section.items.size());
  for (size_t i = 0; i < shown && to_.ok(); ++i) PrintItem(section.items[i]);
  if (shown < section.items.size()) {
    Line("  ... ", section.items.size() - shown, " more; --all shows them.");
  }
}

// An added or removed item has its first property on its own line, and an item
// with nothing but a value has a line for each.
void TextPrinter::PrintItem(const ItemChange& item) {
  const char* mark = Mark(item);
  if (mark[0] == '~' && item.properties[0].name() == kValue) {
    Line("- ", Plain(item.name()), ": ",
         Plain(item.properties[0].before->value));
    Line("+ ", Plain(item.name()), ": ",
         Plain(item.properties[0].after->value));
    return;
  }
  auto rest = item.properties.begin();
  to_.Add(mark, " ", Plain(item.name()));
  if (mark[0] != '~' && rest != item.properties.end()) {
    to_.Add(": ", Plain((rest->before ? rest->before : rest->after)->value));
    ++rest;
  }
  Line();
  for (; rest != item.properties.end() && to_.ok(); ++rest) {
    for (const Property* value : {rest->before, rest->after}) {
      if (value == nullptr) continue;
      const char* side = value == rest->before ? "  - " : "  + ";
      Line(mark[0] == '~' ? side : "    ", Plain(value->name), ": ",
           Plain(value->value));
    }
  }
  const auto code = report_.code.find(item.before);
  if (code != report_.code.end()) PrintCode(code->second);
}

void TextPrinter::PrintCode(const std::string& code) {
  const std::vector<absl::string_view> lines =
      absl::StrSplit(absl::StripSuffix(code, "\n"), '\n');
  const size_t shown = std::min(most_, lines.size());
  for (size_t i = 0; i < shown && to_.ok(); ++i) {
    Line("    ", Plain(lines[i]));
  }
  if (shown < lines.size()) {
    Line("    ... ", lines.size() - shown, " more; --all shows them.");
  }
}

OrderedJson ValueJson(const Property* property) {
  return property == nullptr ? OrderedJson() : OrderedJson(property->value);
}

OrderedJson ItemJson(const DiffReport& report, const ItemChange& item) {
  const char* mark = Mark(item);
  OrderedJson json = {{"change", mark[0] == '-'   ? "removed"
                                 : mark[0] == '+' ? "added"
                                                  : "changed"},
                      {"name", item.name()},
                      {"properties", OrderedJson::array()}};
  for (const PropertyChange& property : item.properties) {
    json["properties"].push_back({{"name", property.name()},
                                  {"before", ValueJson(property.before)},
                                  {"after", ValueJson(property.after)}});
  }
  const auto code = report.code.find(item.before);
  if (code != report.code.end()) json["code"] = code->second;
  return json;
}

// Returns the error if the text was cut off.
absl::Status Finish(const DiffReport& report, uint64_t most, TextStream& text) {
  RETURN_IF_ERROR(text.Finish());
  return text.is_too_long() ? TextTooLongError(most, report.file_bytes)
                            : absl::OkStatus();
}

}  // namespace

absl::Status PrintDiffText(const DiffReport& report, size_t most,
                           TextSink sink) {
  const uint64_t most_bytes = MostTextOf(report.file_bytes);
  TextStream text(most_bytes, sink);
  TextPrinter(report, most, text).Print();
  return Finish(report, most_bytes, text);
}

absl::Status PrintDiffJson(const DiffReport& report, TextSink sink) {
  const uint64_t most_bytes = MostTextOf(report.file_bytes);
  TextStream text(most_bytes, sink);
  JsonObject to(text);
  to.Field("before", report.before);
  to.Field("after", report.after);
  to.Field("equal", report.changes.empty());
  to.Object("changes", [&report](JsonObject& sections) {
    for (const SectionChange& section : report.changes) {
      sections.List(section.before->name, section.items.size(), [&](size_t i) {
        return ItemJson(report, section.items[i]);
      });
    }
  });
  to.End();
  return Finish(report, most_bytes, text);
}

}  // namespace eyrie::tools
