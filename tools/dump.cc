// `eyrie dump`: prints the contents of a module of any release.
#include <memory>
#include <string>

#include "abi/native/elf_note.h"
#include "abi/native/manifest.h"
#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/file_growth.h"
#include "base/folders.h"
#include "base/json.h"
#include "base/mapped_file.h"
#include "base/status_macros.h"
#include "base/text_stream.h"
#include "tools/arg_parser.h"
#include "tools/command.h"
#include "tools/compat_flag.h"
#include "tools/flatbuffer_json.h"
#include "tools/json_object.h"
#include "tools/module_text.h"
#include "tools/other_files.h"
#include "tools/usage_error.h"
#include "vm/asm/disassembler.h"
#include "vm/module/archive.h"
#include "vm/module/flatbuffer.h"
#include "vm/module/module_def.h"
#include "vm/module/verifier.h"

namespace eyrie::tools {
namespace {

constexpr Flag kDumpFlags[] = {
    kHelpFlag,
    kFlagfileFlag,
    {"output", FlagKind::kString, "all",
     "What to print: all, metadata, disassembly, flatbuffer-binary or\n"
     "flatbuffer-json. 'all' is the metadata and the functions. 'eyrie asm'\n"
     "assembles the disassembly into the same module. The last two are the\n"
     "file's tables with all their fields, as bytes without the size in front\n"
     "and as JSON with the names of the public schema."},
    {"json", FlagKind::kBool, "false", "Prints the metadata as JSON."},
    {"signatures", FlagKind::kBool, "false",
     "Prints the arguments and results of each function, one per line, and "
     "where\n"
     "the module describes them. --json prints the same as \"signature\" of "
     "each\n"
     "export."},
    {"verify", FlagKind::kBool, "true",
     "Rejects a module that Eyrie would not run; --noverify prints the "
     "readable\n"
     "parts of a damaged module."},
    {"function", FlagKind::kString, "",
     "Disassembles only this function, by name or number."},
    {"rodata", FlagKind::kString, "",
     "Writes constants of more than 256 bytes to files in this folder; the\n"
     "disassembly names them. Without it the text contains all constants."},
    {"bytecode_offsets", FlagKind::kBool, "false",
     "Adds offsets to the disassembly."},
    {"compat", FlagKind::kString, "",
     "A release of the public runtime, such as 3.13, whose text to match.\n"
     "Without Eyrie's notes the disassembly is not always a complete module."},
    {"pretty", FlagKind::kBool, "false",
     "Prints flatbuffer-json with a line for each field."},
    {"flatbuffer_pretty", FlagKind::kBool, "false", "The same as --pretty."},
    {"agents_md", FlagKind::kIgnored, "", ""},
};

constexpr char kDumpUsage[] =
    "Usage: eyrie dump [flags] model.vmfb\n"
    "Prints the contents of a compiled module of any release: requirements,\n"
    "types, imports, exports with their attributes, sizes. '-' reads standard\n"
    "input. For a native library (.so) or its manifest (.json), prints its\n"
    "functions.\n\n";

std::string RodataName(size_t ordinal) {
  return absl::StrCat("rodata_", ordinal, ".bin");
}

vm::DisassemblyOptions OptionsOf(const Arguments& arguments) {
  vm::DisassemblyOptions options;
  options.offsets = arguments.GetBool("bytecode_offsets");
  if (!arguments.GetString("compat").empty()) {
    options.text = vm::AssemblyText::kPublic;
  }
  return options;
}

absl::Status PrintDisassembly(const Arguments& arguments,
                              const vm::VerifiedModule& module, TextSink sink) {
  vm::DisassemblyOptions options = OptionsOf(arguments);
  options.function = arguments.GetString("function");
  const std::string& folder = arguments.GetString("rodata");
  if (!folder.empty()) {
    options.store = [&folder](size_t ordinal, std::span<const uint8_t> bytes)
        -> absl::StatusOr<std::string> {
      std::string path = absl::StrCat(folder, "/", RodataName(ordinal));
      RETURN_IF_ERROR(WriteFile(path, bytes));
      return path;
    };
  }
  return vm::Disassemble(module, options, sink);
}

// Prints the disassembly after the metadata, which already lists constants.
absl::Status PrintFunctions(const Arguments& arguments,
                            const vm::VerifiedModule& module, uint64_t most,
                            TextSink sink) {
  vm::DisassemblyOptions options = OptionsOf(arguments);
  options.most_text = most;
  if (options.text == vm::AssemblyText::kRestorable) {
    options.store = [](size_t ordinal, std::span<const uint8_t>) {
      return RodataName(ordinal);
    };
  }
  return vm::Disassemble(module, options, sink);
}

// Ends a text of at most MostTextOf() bytes.
absl::Status Finish(TextStream& to, uint64_t file_bytes) {
  RETURN_IF_ERROR(to.Finish());
  if (!to.is_too_long()) return absl::OkStatus();
  return TextTooLongError(MostTextOf(file_bytes), file_bytes);
}

// Prints the tables of a module, whose values are not checked.
absl::Status PrintTables(const Arguments& arguments, const vm::Archive& archive,
                         TextSink sink) {
  if (vm::FindOlderModule(archive) != nullptr) {
    return absl::UnimplementedError(
        "The tables of modules with bytecode 13 have other fields, which "
        "--output=flatbuffer-json does not print; --json prints the metadata.");
  }
  ASSIGN_OR_RETURN(const vm::fbs::Module* module,
                   vm::VerifyFlatBuffer(archive));
  const uint64_t file_bytes = archive.bytes().size();
  TextStream to(MostTextOf(file_bytes), sink);
  const bool pretty =
      arguments.GetBool("pretty") || arguments.GetBool("flatbuffer_pretty");
  PrintFlatBufferJson(*module, pretty, to);
  return Finish(to, file_bytes);
}

// Prints the metadata, then the functions if `has_functions`, which needs a
// verified module. Prints at most MostTextOf() bytes.
absl::Status PrintModule(const Arguments& arguments, const vm::ModuleDef& def,
                         const vm::VerifiedModule* verified, bool has_functions,
                         TextSink sink) {
  const vm::VerifiedModule* const module = has_functions ? verified : nullptr;
  const uint64_t file_bytes = def.archive().bytes().size();
  TextStream to(MostTextOf(file_bytes), sink);
  if (arguments.GetBool("json")) {
    JsonObject object(to);
    PrintMetadataJson(def, verified, object);
    object.End();
  } else {
    PrintMetadata(def, to);
    if (module != nullptr && !arguments.GetString("compat").empty()) {
      to.Add("\n");
    }
  }
  RETURN_IF_ERROR(Finish(to, file_bytes));
  if (module == nullptr) return absl::OkStatus();
  return PrintFunctions(arguments, *module, to.left(), sink);
}

// Reports whether a flag asks for something: "--nojson" and "--function=" do
// not.
bool IsGiven(const Arguments& arguments, absl::string_view flag) {
  if (!arguments.IsSet(flag)) return false;
  for (const char* text : {"output", "function", "rodata"}) {
    if (flag == text) return !arguments.GetString(flag).empty();
  }
  return arguments.GetBool(flag);
}

// Returns the file's bytes, or null if the file can be read only once.
absl::StatusOr<std::shared_ptr<const MappedFile>> OpenRegular(
    const std::string& path) {
  if (!IsRegularFile(path)) return nullptr;
  return MappedFile::Open(path);
}

bool IsManifest(const MappedFile& file, const std::string& path) {
  if (!absl::EndsWith(path, ".json")) return false;
  const auto bytes = file.bytes();
  const absl::StatusOr<Json> json =
      ParseJson({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  return json.ok() && json->Find("functions") != nullptr;
}

// Reports whether the file is an ELF file, a manifest, or named *.so without
// being a module.
bool IsNative(const MappedFile& file, const std::string& path) {
  if (native::IsElf(file.bytes()) || IsManifest(file, path)) return true;
  return absl::EndsWith(path, ".so") && !vm::Archive::Open(path).ok();
}

// Describes the functions of a native library or a manifest. Runs no code of
// the library.
absl::StatusOr<std::string> NativeFunctions(const Arguments& arguments,
                                            const MappedFile& file,
                                            const std::string& path) {
  for (const char* flag : {"json", "output", "function", "signatures", "rodata",
                           "bytecode_offsets"}) {
    if (!IsGiven(arguments, flag)) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "'", path, "' is a native library",
        absl::EndsWith(path, ".json") ? "'s manifest" : "",
        ": its functions are printed as text only; omit --", flag, "."));
  }
  if (absl::EndsWith(path, ".json")) {
    ASSIGN_OR_RETURN(const native::Manifest manifest,
                     native::ReadManifest("", path));
    return manifest.Describe();
  }
  ASSIGN_OR_RETURN(const native::Manifest manifest,
                   native::ReadManifest(path, ""));
  if (const absl::Status status = native::CheckNativeElf(file.bytes(), path);
      !status.ok()) {
    PrintNote(
        absl::StrCat("The library cannot be loaded here: ", status.message()));
  }
  return manifest.Describe();
}

// Prints one module.
absl::Status Dump(const Arguments& arguments, const std::string& path,
                  TextSink sink) {
  const std::string& output = arguments.GetString("output");
  ASSIGN_OR_RETURN(const auto file, OpenRegular(path));
  if (file != nullptr && IsNative(*file, path)) {
    ASSIGN_OR_RETURN(const std::string text,
                     NativeFunctions(arguments, *file, path));
    return sink(text);
  }
  ASSIGN_OR_RETURN(auto archive, WithCommands(vm::Archive::Open(path), path));
  if (output == "flatbuffer-binary") {
    const auto bytes = archive->flatbuffer().subspan(sizeof(uint32_t));
    return sink({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }
  if (output == "flatbuffer-json") {
    return Annotate(PrintTables(arguments, *archive, sink),
                    absl::StrCat("(in ", path, ")"));
  }
  const bool json = arguments.GetBool("json");
  const bool code =
      output == "disassembly" || !arguments.GetString("function").empty();
  ASSIGN_OR_RETURN(vm::ModuleDef module, vm::ModuleDef::Decode(archive));
  std::shared_ptr<const vm::VerifiedModule> verified;
  if (code || arguments.GetBool("verify")) {
    ASSIGN_OR_RETURN(verified, vm::VerifiedModule::Verify(module));
  }
  if (arguments.GetBool("signatures") && !json) {
    return sink(SignaturesText(module, verified.get()));
  }
  if (code) return PrintDisassembly(arguments, *verified, sink);
  const bool functions = output == "all" && !json;
  return PrintModule(arguments, module, verified.get(), functions, sink);
}

constexpr absl::string_view kOutputs[] = {
    "all", "metadata", "disassembly", "flatbuffer-binary", "flatbuffer-json"};

// Returns the flag that decides what is printed, for messages.
std::string DecidingFlag(const Arguments& arguments) {
  const std::string& function = arguments.GetString("function");
  const std::string& output = arguments.GetString("output");
  if (output == "all" && !function.empty()) {
    return absl::StrCat("--function=", function);
  }
  if (output == "all" || output == "metadata") {
    for (const char* flag : {"json", "signatures"}) {
      if (arguments.GetBool(flag)) return absl::StrCat("--", flag);
    }
  }
  return absl::StrCat("--output=", output);
}

// Refuses an unknown output, and flags that the output does not use.
absl::Status CheckUse(const Arguments& arguments) {
  const std::string& output = arguments.GetString("output");
  if (!absl::c_linear_search(kOutputs, output)) {
    return UsageError(absl::StrCat(
        "--output is '", output,
        "'; expected all, metadata, disassembly, flatbuffer-binary or "
        "flatbuffer-json."));
  }
  const std::string deciding = DecidingFlag(arguments);
  const bool is_all = output == "all";
  const bool is_json = output == "flatbuffer-json";
  const bool is_code =
      output == "disassembly" || absl::StartsWith(deciding, "--function=");
  const bool is_metadata = !is_code && (is_all || output == "metadata");
  const struct {
    const char* flag;
    bool is_used;
    const char* needs;
  } kUses[] = {
      {"pretty", is_json, "--output=flatbuffer-json"},
      {"flatbuffer_pretty", is_json, "--output=flatbuffer-json"},
      {"json", is_metadata, "--output=metadata"},
      {"signatures", is_metadata, "--output=metadata"},
      {"function", is_code, "--output=disassembly"},
      {"rodata", is_code, "--output=disassembly"},
      {"bytecode_offsets", is_code || deciding == "--output=all",
       "--output=disassembly"},
  };
  if (is_code && arguments.IsSet("verify") && !arguments.GetBool("verify")) {
    return UsageError(absl::StrCat("--noverify has no effect on ", deciding,
                                   ": only verified code is disassembled."));
  }
  for (const auto& use : kUses) {
    if (use.is_used || !IsGiven(arguments, use.flag)) continue;
    return UsageError(absl::StrCat("--", use.flag, " needs ", use.needs,
                                   "; it has no effect on ", deciding, "."));
  }
  return absl::OkStatus();
}

absl::Status RunDump(std::span<const char* const> args) {
  ASSIGN_OR_RETURN(const Arguments arguments, ParseArguments(kDumpFlags, args));
  if (arguments.GetBool("help")) {
    return WriteStdout(absl::StrCat(kDumpUsage, FlagsHelp(kDumpFlags)));
  }
  if (arguments.positional().size() != 1) {
    return UsageError(absl::StrCat("eyrie dump takes one module file, not ",
                                   arguments.positional().size(), "."));
  }
  RETURN_IF_ERROR(CheckCompat(arguments));
  RETURN_IF_ERROR(CheckUse(arguments));
  if (const std::string& folder = arguments.GetString("rodata");
      !folder.empty()) {
    if (!IsFolder(folder)) {
      return absl::NotFoundError(
          absl::StrCat("--rodata='", folder, "' is not a folder."));
    }
    RETURN_IF_ERROR(CheckOutputPath(
        "--rodata=", absl::StrCat(folder, "/", RodataName(0)), {}));
  }
  return WriteTextTo("-", [&arguments](TextSink sink) {
    return Dump(arguments, arguments.positional()[0], sink);
  });
}

}  // namespace

int DumpMain(std::span<const char* const> args) {
  const absl::Status status = RunDump(args);
  return status.ok() ? 0 : ReportError(status);
}

}  // namespace eyrie::tools
