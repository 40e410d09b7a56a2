// `eyrie params`: shows, creates and converts parameter files.
//
// Tested by cli_test.py.
#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "abi/tensor/tensor_text.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/file_target.h"
#include "base/file_writer.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "base/suggest.h"
#include "hal/parameters/irpa_writer.h"
#include "hal/parameters/parameter_index.h"
#include "tools/arg_parser.h"
#include "tools/command.h"
#include "tools/limit_flags.h"
#include "tools/load_progress.h"
#include "tools/parameter_flags.h"
#include "tools/parameter_text.h"
#include "tools/usage_error.h"

namespace eyrie::tools {
namespace {

using hal::Parameter;
using hal::ParameterSource;

constexpr Flag kCommonFlags[] = {
    kHelpFlag,
    kFlagfileFlag,
};
constexpr Flag kDumpFlags[] = {
    {"json", FlagKind::kBool, "false",
     "Prints one JSON object that maps scopes to arrays of entries."},
    {"extract", FlagKind::kList, "",
     "Writes a parameter's bytes to a file: [scope::]key=file."},
};
constexpr Flag kOutputFlags[] = {
    {"output", FlagKind::kString, "",
     "The .irpa file to write; '-' is standard output.", "-o"},
    {"alignment", FlagKind::kString, "64",
     "Alignment of data in bytes, a power of two from 16 to 1G."},
    {"quiet", FlagKind::kBool, "false",
     "Does not print a table of the written file."},
};
constexpr Flag kCreateFlags[] = {
    {"data", FlagKind::kList, "",
     "A parameter in the file: name=4x4xf32 is zeros, name=4x4xf32=1.5 that\n"
     "number repeated."},
    {"splat", FlagKind::kList, "",
     "One number for all elements, which takes no room: name=4x4xf32=1.5."},
};
constexpr Flag kConvertFlags[] = {
    {"exclude", FlagKind::kList, "", "Omits a parameter, by name."},
    {"rename", FlagKind::kList, "", "Renames a parameter: old=new."},
    {"splat", FlagKind::kList, "",
     "Replaces a parameter by zeros (name) or a number (name=f32=4.5,\n"
     "name=x32=CAFEF00D) that takes no room."},
    {"strip", FlagKind::kBool, "false", "Replaces all parameters with zeros."},
};

// Returns a source that copies a parameter unchanged.
ParameterSource SourceOf(const Parameter& parameter) {
  ParameterSource source;
  source.key = parameter.key;
  source.metadata = parameter.metadata;
  source.length = parameter.length;
  source.bytes = parameter.bytes();
  if (const auto* splat = std::get_if<hal::Splat>(&parameter.storage)) {
    source.content = ParameterSource::Content::kSplat;
    source.splat = *splat;
  }
  return source;
}

// Checks the values of --extract and the files that they name.
absl::Status CheckExtracted(const Arguments& arguments) {
  for (const std::string& text : arguments.GetList("extract")) {
    const size_t equals = text.rfind('=');
    if (equals == text.npos || equals + 1 == text.size()) {
      return UsageError(
          absl::StrCat("--extract='", text, "' is not [scope::]key=file."));
    }
    RETURN_IF_ERROR(CheckOutputPath("--extract=", text.substr(equals + 1),
                                    ParameterPaths(arguments)));
  }
  return absl::OkStatus();
}

absl::Status Extract(const hal::ParameterScopes& scopes,
                     const std::string& text) {
  const size_t equals = text.rfind('=');
  std::string scope;
  std::string key = text.substr(0, equals);
  if (const size_t colons = key.find("::"); colons != key.npos) {
    scope = key.substr(0, colons);
    key = key.substr(colons + 2);
  }
  ASSIGN_OR_RETURN(const Parameter* parameter, scopes.Find(scope, key));
  return WriteTo(text.substr(equals + 1), parameter->length,
                 [&](ByteSink sink) {
                   return hal::WriteContents(SourceOf(*parameter), sink);
                 });
}

absl::Status Dump(const Arguments& arguments) {
  RETURN_IF_ERROR(CheckExtracted(arguments));
  ASSIGN_OR_RETURN(const auto scopes, LoadParameters(arguments));
  for (const std::string& text : arguments.GetList("extract")) {
    RETURN_IF_ERROR(Extract(*scopes, text));
  }
  if (arguments.GetBool("json")) return WriteStdout(ScopesJson(*scopes));
  std::string out;
  for (const auto& [scope, index] : scopes->scopes()) {
    AppendParameterTable(scope, index, out);
  }
  return WriteStdout(out);
}

// The output file may be one of the input files.
absl::Status CheckArchivePath(const Arguments& arguments) {
  const std::string& path = arguments.GetString("output");
  if (path.empty()) {
    return UsageError("--output must name a file to write.");
  }
  return CheckOutputPath(arguments.Prefix("output"), path, {});
}

// Writes the file, then prints its table.
absl::Status WriteArchive(const Arguments& arguments,
                          std::span<const ParameterSource> sources) {
  const std::string& path = arguments.GetString("output");
  uint64_t alignment = 0;
  RETURN_IF_ERROR(ReadSize(arguments, "alignment", alignment));
  ASSIGN_OR_RETURN(const uint64_t size, hal::IrpaSize(sources, alignment));
  {
    LoadProgress progress;
    progress.Begin(absl::StrCat("writing ", path), size);
    RETURN_IF_ERROR(WriteTo(path, size, [&](ByteSink sink) {
      return hal::WriteIrpa(sources, alignment,
                            [&](std::span<const uint8_t> bytes) {
                              progress.done() += bytes.size();
                              return sink(bytes);
                            });
    }));
  }
  if (arguments.GetBool("quiet") || path == "-") return absl::OkStatus();
  // A pipe or a device has no table to print.
  const auto target = FindFileTarget(path);
  if (!target.ok() || target->is_stream()) return target.status();
  hal::ParameterScopes written;
  RETURN_IF_ERROR(written.AddFile("", path, hal::ParameterFile::Mode::kMapped));
  std::string out;
  AppendParameterTable("", written.scope(""), out);
  return WriteStdout(out);
}

// A number of an element type as a pattern. Types of less than a byte have
// none.
absl::StatusOr<hal::Splat> ParseSplat(absl::string_view number,
                                      hal::ElementType type) {
  hal::Splat splat;
  const uint32_t bits = hal::StrideBits(type);
  if (bits % 8 != 0 || bits / 8 > splat.pattern.size()) {
    return absl::UnimplementedError(
        absl::StrCat("A repeated number of type ", hal::ElementTypeName(type),
                     " is not a whole number of bytes."));
  }
  splat.length = static_cast<uint8_t>(bits / 8);
  if (number.empty()) return splat;
  const auto element = std::span(splat.pattern).first(splat.length);
  const absl::Status parsed = abi::ParseElement(number, type, element);
  if (!parsed.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(parsed.message(), "."));
  }
  return splat;
}

// "name=4x4xf32[=1.5]"
absl::StatusOr<ParameterSource> ParseNew(const char* flag,
                                         const std::string& text,
                                         ParameterSource::Content content) {
  const auto where = [&](const absl::Status& status) {
    return Annotate(status, absl::StrCat("(--", flag, "=", text, ")"));
  };
  const std::vector<std::string> parts = absl::StrSplit(text, '=');
  if (parts.size() < 2 || parts.size() > 3 || parts[0].empty()) {
    return where(absl::InvalidArgumentError(
        "Expected name=4x4xf32 or name=4x4xf32=1.5."));
  }
  ParameterSource source;
  source.key = parts[0];
  source.content = content;
  const auto spec = abi::ParseTensorSpec(parts[1]);
  if (!spec.ok()) return where(spec.status());
  const auto length = spec->ByteLength();
  if (!length.ok()) return where(length.status());
  const auto splat = ParseSplat(parts.size() > 2 ? parts[2] : "", spec->type);
  if (!splat.ok()) return where(splat.status());
  source.length = *length;
  source.splat = *splat;
  return source;
}

absl::Status Create(const Arguments& arguments) {
  RETURN_IF_ERROR(CheckArchivePath(arguments));
  std::vector<ParameterSource> sources;
  struct Kind {
    const char* flag;
    ParameterSource::Content content;
  };
  for (const Kind kind : {Kind{"data", ParameterSource::Content::kFill},
                          Kind{"splat", ParameterSource::Content::kSplat}}) {
    for (const std::string& text : arguments.GetList(kind.flag)) {
      ASSIGN_OR_RETURN(ParameterSource source,
                       ParseNew(kind.flag, text, kind.content));
      sources.push_back(std::move(source));
    }
  }
  return WriteArchive(arguments, sources);
}

// The changes of --splat, --rename and --exclude, by parameter name.
class Changes {
 public:
  static absl::StatusOr<Changes> Read(const Arguments& arguments);

  // Returns false if the parameter is excluded.
  absl::StatusOr<bool> Apply(ParameterSource& source);
  // NOT_FOUND: a flag names a parameter that does not exist.
  absl::Status CheckAllUsed() const;

 private:
  struct Change {
    std::string flag;  // as given
    bool exclude = false;
    bool splat = false;
    std::string number;  // "f32=4.5"
    std::string rename;
    bool used = false;
  };
  std::multimap<std::string, Change> changes_;
  bool strip_ = false;
};

absl::StatusOr<Changes> Changes::Read(const Arguments& arguments) {
  Changes changes;
  changes.strip_ = arguments.GetBool("strip");
  const auto add = [&](const char* flag, const std::string& text) -> Change& {
    const std::string name = text.substr(0, text.find('='));
    Change& change = changes.changes_.emplace(name, Change())->second;
    change.flag = absl::StrCat("--", flag, "=", text);
    return change;
  };
  for (const std::string& text : arguments.GetList("exclude")) {
    add("exclude", text).exclude = true;
  }
  for (const std::string& text : arguments.GetList("splat")) {
    Change& change = add("splat", text);
    change.splat = true;
    const size_t equals = text.find('=');
    if (equals != text.npos) change.number = text.substr(equals + 1);
  }
  for (const std::string& text : arguments.GetList("rename")) {
    const size_t equals = text.find('=');
    if (equals == text.npos || equals + 1 == text.size()) {
      return UsageError(absl::StrCat("--rename='", text, "' is not old=new."));
    }
    add("rename", text).rename = text.substr(equals + 1);
  }
  return changes;
}

// "f32=4.5", or "x32=CAFEF00D"; empty is zero.
absl::StatusOr<hal::Splat> ParseTypedNumber(const std::string& text) {
  if (text.empty()) return hal::Splat();
  const std::vector<std::string> parts = absl::StrSplit(text, '=');
  if (parts.size() != 2) {
    return absl::InvalidArgumentError(
        "Expected a type and a number, such as f32=4.5.");
  }
  ASSIGN_OR_RETURN(const hal::ElementType type,
                   hal::ParseElementType(parts[0]));
  return ParseSplat(parts[1], type);
}

absl::StatusOr<bool> Changes::Apply(ParameterSource& source) {
  bool stays = true;
  if (strip_) {
    source.content = ParameterSource::Content::kSplat;
    source.splat = hal::Splat();
  }
  const auto [begin, end] = changes_.equal_range(source.key);
  for (auto it = begin; it != end; ++it) {
    Change& change = it->second;
    change.used = true;
    stays &= !change.exclude;
    if (!change.rename.empty()) source.key = change.rename;
    if (!change.splat) continue;
    const auto splat = ParseTypedNumber(change.number);
    if (!splat.ok()) {
      return Annotate(splat.status(), absl::StrCat("(", change.flag, ")"));
    }
    source.content = ParameterSource::Content::kSplat;
    source.splat = *splat;
  }
  return stays;
}

absl::Status Changes::CheckAllUsed() const {
  for (const auto& [name, change] : changes_) {
    if (change.used) continue;
    return absl::NotFoundError(absl::StrCat(
        change.flag, ": there is no parameter ", hal::QuotedName(name), "."));
  }
  return absl::OkStatus();
}

// Archives have no scopes. INVALID_ARGUMENT: two scopes have the same key.
absl::Status CheckMerged(const std::map<std::string, std::string>& scopes,
                         const std::string& key, const std::string& scope) {
  const auto found = scopes.find(key);
  if (found == scopes.end() || found->second == scope) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "Parameter ", hal::QuotedName(key), " is of the scopes ",
      hal::QuotedName(found->second), " and ", hal::QuotedName(scope),
      "; an .irpa file has no scopes, so that they are merged."));
}

absl::Status Convert(const Arguments& arguments) {
  RETURN_IF_ERROR(CheckArchivePath(arguments));
  ASSIGN_OR_RETURN(const auto scopes, LoadParameters(arguments));
  ASSIGN_OR_RETURN(Changes changes, Changes::Read(arguments));
  std::vector<ParameterSource> sources;
  std::map<std::string, std::string> scope_of;  // by key
  for (const auto& [scope, index] : scopes->scopes()) {
    for (const Parameter& parameter : index.parameters()) {
      ParameterSource source = SourceOf(parameter);
      ASSIGN_OR_RETURN(const bool stays, changes.Apply(source));
      if (!stays) continue;
      RETURN_IF_ERROR(CheckMerged(scope_of, source.key, scope));
      scope_of.emplace(source.key, scope);
      sources.push_back(std::move(source));
    }
  }
  RETURN_IF_ERROR(changes.CheckAllUsed());
  return WriteArchive(arguments, sources);
}

struct Verb {
  const char* name;
  absl::Status (*run)(const Arguments&);
  std::vector<std::span<const Flag>> flags;
  const char* summary;
};

const std::vector<Verb>& Verbs() {
  static const auto& verbs = *new std::vector<Verb>{
      {"dump",
       Dump,
       {ParameterFlags(), kDumpFlags},
       "prints the parameters in files"},
      {"create",
       Create,
       {kCreateFlags, kOutputFlags},
       "creates an .irpa file of zeros or numbers"},
      {"convert",
       Convert,
       {ParameterFlags(), kConvertFlags, kOutputFlags},
       "copies parameter files into one .irpa file"},
  };
  return verbs;
}

std::string Usage() {
  std::string text =
      "# Usage: eyrie params COMMAND [flags] [file ...]\n"
      "# Parameter files are .irpa, .safetensors or .gguf files.\n#\n";
  for (const Verb& verb : Verbs()) {
    absl::StrAppend(&text, "#   ", verb.name,
                    std::string(9 - std::string(verb.name).size(), ' '),
                    verb.summary, "\n");
  }
  return text + "#\n# eyrie params COMMAND --help lists the flags.\n";
}

absl::Status RunVerb(const Verb& verb, std::span<const char* const> args) {
  std::vector<Flag> flags(std::begin(kCommonFlags), std::end(kCommonFlags));
  bool takes_files = false;
  for (const std::span<const Flag> group : verb.flags) {
    flags.insert(flags.end(), group.begin(), group.end());
    takes_files |= group.data() == ParameterFlags().data();
  }
  std::vector<const char*> all(args.begin(), args.end());
  ASSIGN_OR_RETURN(Arguments arguments, ParseArguments(flags, all));
  // Positional arguments are files: parses again, with --parameters flags for
  // them.
  std::vector<std::string> files;
  for (const std::string& path : arguments.positional()) {
    files.push_back(absl::StrCat("--parameters=", path));
  }
  if (takes_files && !files.empty()) {
    std::vector<const char*> more;
    for (const std::string& file : files) more.push_back(file.c_str());
    all.insert(all.begin(), more.begin(), more.end());
    ASSIGN_OR_RETURN(arguments, ParseArguments(flags, all));
  }
  if (arguments.GetBool("help")) {
    return WriteStdout(absl::StrCat("# Usage: eyrie params ", verb.name,
                                    " [flags]",
                                    takes_files ? " [file ...]" : "", "\n# It ",
                                    verb.summary, ".\n\n", FlagsHelp(flags)));
  }
  if (!takes_files && !arguments.positional().empty()) {
    return UsageError(absl::StrCat("eyrie params ", verb.name,
                                   " takes no file such as '",
                                   arguments.positional()[0], "'."));
  }
  if (takes_files && arguments.GetList("parameters").empty()) {
    // The public tool prints nothing then.
    if (UsesPublicExitCodes() && absl::string_view(verb.name) == "dump") {
      return absl::OkStatus();
    }
    return UsageError("No parameter file is given.");
  }
  return verb.run(arguments);
}

}  // namespace

int ParamsMain(std::span<const char* const> args) {
  const std::string name = args.empty() ? "" : args[0];
  for (const Verb& verb : Verbs()) {
    if (name != verb.name) continue;
    const absl::Status status = RunVerb(verb, args.subspan(1));
    return status.ok() ? 0 : ReportError(status);
  }
  if (name == "--help" || name == "help") {
    const absl::Status status = WriteStdout(Usage());
    return status.ok() ? 0 : ReportError(status);
  }
  std::vector<std::string> names;
  for (const Verb& verb : Verbs()) names.push_back(verb.name);
  return ReportError(UsageError(absl::StrCat(
      name.empty()
          ? "No command is named"
          : absl::StrCat("There is no command '", PlainName(name), "'"),
      "; eyrie params takes dump, create or convert.",
      DidYouMean(name, names))));
}

}  // namespace eyrie::tools
