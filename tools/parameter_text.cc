// Keys come from files, so they are escaped before they are printed.
#include "tools/parameter_text.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/json.h"
#include "base/plain_text.h"

namespace eyrie::tools {
namespace {

using hal::Parameter;

void AppendEntryJson(const Parameter& parameter, std::string& out) {
  const auto text = [&out](absl::string_view value) {
    AppendJsonString(value, out);
  };
  out += "{\"key\": ";
  text(parameter.key);
  absl::StrAppend(&out, ", \"length\": ", parameter.length);
  if (const auto* at = std::get_if<hal::FileOffset>(&parameter.storage)) {
    absl::StrAppend(&out, ", \"offset\": ", at->offset, ", \"file\": ");
    text(parameter.file->path());
  } else {
    const auto& splat = std::get<hal::Splat>(parameter.storage);
    out += ", \"splat\": \"";
    for (size_t i = 0; i < splat.length; ++i) {
      absl::StrAppend(&out, absl::Hex(splat.pattern[i], absl::kZeroPad2));
    }
    out += "\"";
  }
  if (!parameter.metadata.empty()) {
    out += ", \"metadata\": ";
    text(parameter.metadata);
  }
  if (!parameter.fault.ok()) {
    out += ", \"error\": ";
    text(parameter.fault.message());
  }
  out += parameter.is_hidden ? ", \"hidden\": true}" : "}";
}

}  // namespace

void AppendParameterTable(const std::string& scope,
                          std::span<const Parameter> parameters,
                          std::string& out) {
  uint64_t total = 0;
  for (const Parameter& parameter : parameters) {
    total += parameter.length;
  }
  const std::string rule(110, '-');
  absl::StrAppend(&out, "//===", rule, "===//\n// Parameter scope ",
                  scope.empty()
                      ? std::string("<global>")
                      : absl::StrCat("`", PlainText(scope, kMaxKey), "`"),
                  " (", parameters.size(), " entries, ", total,
                  " total bytes)\n//===------------+------------------+------"
                  "------------+",
                  std::string(59, '-'),
                  "===//\n//         Start |              End |           "
                  "Length | Key\n//---------------+------------------+--------"
                  "----------+",
                  std::string(62, '-'), "//\n");
  for (const Parameter& parameter : parameters) {
    std::string begin = "-";
    std::string end = "-";
    if (const auto* at = std::get_if<hal::FileOffset>(&parameter.storage)) {
      begin = absl::StrCat(at->offset);
      end = absl::StrCat(at->offset + parameter.length);
    }
    std::string length = absl::StrCat(parameter.length);
    // The size of a tensor of an unknown type is not known either.
    if (!parameter.fault.ok()) end = length = "?";
    absl::StrAppend(
        &out, absl::StrFormat("%16s | %16s | %16s | `%s`\n", begin, end, length,
                              PlainText(parameter.key, kMaxKey)));
  }
  out += "\n";
}

std::string ScopesJson(const hal::ParameterScopes& scopes) {
  std::string out = "{";
  for (const auto& [scope, index] : scopes.scopes()) {
    out += out.size() > 1 ? ",\n " : "";
    AppendJsonString(scope, out);
    out += ": [";
    bool first = true;
    for (const Parameter& parameter : index.parameters()) {
      out += first ? "" : ",\n  ";
      first = false;
      AppendEntryJson(parameter, out);
    }
    out += "]";
  }
  return out + "}\n";
}

}  // namespace eyrie::tools
