// `eyrie params`: shows, creates and converts parameter files.
//
// Tested by cli_test.py.
#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/file_target.h"
#include "base/file_writer.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "base/suggest.h"
#include "hal/parameters/irpa_writer.h"
#include "hal/parameters/parameter_index.h"
#include "hal/tensor_type.h"
#include "tools/arg_parser.h"
#include "tools/command.h"
#include "tools/limit_flags.h"
#include "tools/load_progress.h"
#include "tools/parameter_changes.h"
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
constexpr Flag kParameterDumpFlags[] = {
    {"json", FlagKind::kBool, "false",
     "Prints one JSON object that maps scopes to arrays of entries."},
    {"extract", FlagKind::kList, "",
     "Writes a parameter's bytes to a file: [scope::]key=file."},
};
constexpr Flag kOutputFlags[] = {
    {"output", FlagKind::kString, "",
     "The .irpa file to write; '-' is standard output.", "-o"},
    {"alignment", FlagKind::kString, "64",
     "Alignment of data in bytes, a power of two up to 1G."},
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
     "name=x32=CAFEF00D) that takes no room. The name is that after --rename."},
    {"strip", FlagKind::kBool, "false", "Replaces all parameters with zeros."},
    {"types", FlagKind::kBool, "true",
     "Stores the types of .safetensors and .gguf tensors as metadata."},
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
  if (UsesPublicExitCodes()) {
    RETURN_IF_ERROR(WriteStdout(absl::StrCat(
        "Extracting parameter `", PlainText(text.substr(0, equals), kMaxKey),
        "` (", parameter->length, "b) to `", text.substr(equals + 1),
        "`...\n")));
  }
  return WriteTo(text.substr(equals + 1), parameter->length,
                 [&](ByteSink sink) {
                   return hal::WriteContents(SourceOf(*parameter), sink);
                 });
}

absl::Status PrintScopes(const Arguments& arguments,
                         const hal::ParameterScopes& scopes) {
  if (arguments.GetBool("json")) return WriteStdout(ScopesJson(scopes));
  std::string out;
  for (const auto& [scope, index] : scopes.scopes()) {
    AppendParameterTable(scope, index.parameters(), out);
    for (const Parameter& parameter : index.parameters()) {
      if (parameter.fault.ok()) continue;
      PrintNote(absl::StrCat("Parameter ", hal::QuotedName(parameter.key),
                             " cannot be read. ", parameter.fault.message()));
    }
  }
  return WriteStdout(out);
}

absl::Status Dump(const Arguments& arguments) {
  RETURN_IF_ERROR(CheckExtracted(arguments));
  ASSIGN_OR_RETURN(const auto scopes, LoadParameters(arguments));
  // The public tool prints the table first.
  const bool is_table_first = UsesPublicExitCodes();
  if (is_table_first) RETURN_IF_ERROR(PrintScopes(arguments, *scopes));
  for (const std::string& text : arguments.GetList("extract")) {
    RETURN_IF_ERROR(Extract(*scopes, text));
  }
  return is_table_first ? absl::OkStatus() : PrintScopes(arguments, *scopes);
}

// The output file may be one of the input files.
absl::Status CheckArchivePath(const Arguments& arguments) {
  const std::string& path = arguments.GetString("output");
  if (path.empty()) {
    return UsageError("--output must name a file to write.");
  }
  return CheckOutputPath(arguments.Prefix("output"), path, {});
}

std::vector<Parameter> WrittenParameters(
    std::span<const ParameterSource> sources, const hal::IrpaLayout& layout) {
  std::vector<Parameter> written;
  for (size_t i = 0; i < sources.size(); ++i) {
    Parameter& parameter = written.emplace_back();
    parameter.key = sources[i].key;
    parameter.length = sources[i].length;
    if (sources[i].content == ParameterSource::Content::kSplat) {
      parameter.storage = sources[i].splat;
    } else {
      parameter.storage = hal::FileOffset{layout.offsets[i]};
    }
  }
  return written;
}

// Writes the file, then prints its table.
absl::Status WriteArchive(const Arguments& arguments,
                          std::span<const ParameterSource> sources) {
  const std::string& path = arguments.GetString("output");
  uint64_t alignment = 0;
  RETURN_IF_ERROR(ReadSize(arguments, "alignment", alignment));
  const auto plan = hal::PlanIrpa(sources, alignment);
  // It depends on flags alone, or on names that they change.
  if (!plan.ok()) return AsUsageError(plan.status());
  const hal::IrpaLayout& layout = *plan;
  {
    LoadProgress progress;
    progress.Begin(absl::StrCat("writing ", path), layout.size);
    RETURN_IF_ERROR(WriteTo(path, layout.size, [&](ByteSink sink) {
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
  std::string out;
  AppendParameterTable("", WrittenParameters(sources, layout), out);
  return WriteStdout(out);
}

// "name=4x4xf32[=1.5]"
absl::StatusOr<ParameterSource> ParseNew(const char* flag,
                                         const std::string& text,
                                         ParameterSource::Content content) {
  const auto where = [&](const absl::Status& status) {
    return AsValueError(
        Annotate(status, absl::StrCat("(--", flag, "=", text, ")")));
  };
  const std::vector<std::string> parts = absl::StrSplit(text, '=');
  if (parts.size() < 2 || parts.size() > 3 || parts[0].empty()) {
    return where(absl::InvalidArgumentError(
        "Expected name=4x4xf32 or name=4x4xf32=1.5."));
  }
  ParameterSource source;
  source.key = parts[0];
  source.content = content;
  const auto spec = hal::TensorType::ParseStatic(parts[1]);
  if (!spec.ok()) return where(spec.status());
  const auto length = spec->ByteLength();
  if (!length.ok()) return where(length.status());
  const auto splat =
      ParseSplat(parts.size() > 2 ? parts[2] : "", spec->element);
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
  // In the order of the public tool.
  for (const Kind kind : {Kind{"splat", ParameterSource::Content::kSplat},
                          Kind{"data", ParameterSource::Content::kFill}}) {
    for (const std::string& text : arguments.GetList(kind.flag)) {
      ASSIGN_OR_RETURN(ParameterSource source,
                       ParseNew(kind.flag, text, kind.content));
      sources.push_back(std::move(source));
    }
  }
  return WriteArchive(arguments, sources);
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
  ASSIGN_OR_RETURN(ParameterChanges changes, ParameterChanges::Read(arguments));
  std::vector<ParameterSource> sources;
  std::map<std::string, std::string> scope_of;  // by key
  const bool types = arguments.GetBool("types");
  for (const auto& [scope, index] : scopes->scopes()) {
    for (const Parameter& parameter : index.parameters()) {
      if (parameter.is_hidden) continue;
      ParameterSource source = SourceOf(parameter);
      if (parameter.has_type && !types) source.metadata.clear();
      ASSIGN_OR_RETURN(const bool stays, changes.Apply(source));
      if (!stays) continue;
      RETURN_IF_ERROR(scopes->Find(scope, parameter.key).status());
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
       {ParameterFlags(), kParameterDumpFlags},
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
  // The public tools accept an empty list of files: they print nothing, or
  // write an empty archive.
  if (takes_files && arguments.GetList("parameters").empty() &&
      !UsesPublicExitCodes()) {
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
