#include "abi/native/xla/probe_library.h"

#include <signal.h>
#include <unistd.h>

#include <cstdint>
#include <map>
#include <memory>
#include <utility>

#include "abi/native/library.h"
#include "abi/native/xla/child_call.h"
#include "abi/native/xla/probe.h"
#include "abi/native/xla/signature_probe.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/json.h"
#include "base/plain_text.h"
#include "base/status_macros.h"

namespace eyrie::native {
namespace {

constexpr absl::Duration kLimit = absl::Minutes(5);  // of all probes
constexpr unsigned kLoadSeconds = 10;                // until a library is open
constexpr char kOpen[] = "\"?\"";  // what the author must write

std::string Quoted(absl::string_view text) {
  std::string quoted;
  AppendJsonString(text, quoted);
  return quoted;
}

// A handler, as the manifest refers to it.
struct Found {
  std::string reference;  // "\"symbol\": \"Scale\""
  eyrie_ffi_handler_t* stages[EYRIE_FFI_STAGES] = {};
};

// Returns "?x?xf32", "*xf32" or "buffer".
std::string ArgumentText(const ProbedBuffer& argument) {
  if (argument.type == FfiType::kNone) return "buffer";
  const char* const type = InfoOf(argument.type).name;
  if (argument.type == FfiType::kToken) return type;
  if (argument.rank < 0) return absl::StrCat("*x", type);
  std::string text;
  for (int i = 0; i < argument.rank; ++i) text += "?x";
  return text + type;
}

// Returns a result whose shape is open, unless it has no dimensions.
std::string ResultText(const ProbedBuffer& result) {
  if (result.type == FfiType::kToken) return "\"token\"";
  const std::string type =
      result.type == FfiType::kNone ? kOpen : Quoted(InfoOf(result.type).name);
  std::string shape = kOpen;
  if (result.rank >= 0) {
    const std::vector<std::string> dims(static_cast<size_t>(result.rank),
                                        kOpen);
    shape = absl::StrCat("[", absl::StrJoin(dims, ", "), "]");
  }
  return absl::StrCat("{\"dtype\": ", type, ", \"shape\": ", shape, "}");
}

std::string AttributesText(const ProbedSignature& signature) {
  std::vector<std::string> texts;
  bool open = signature.takes_any_attributes;
  for (const auto& [name, type] : signature.attributes) {
    if (type.empty()) {
      open = true;
    } else {
      texts.push_back(name + type);
    }
  }
  if (open) texts.push_back("*");
  return absl::StrJoin(texts, "&");
}

std::string FunctionText(const Found& found, const ProbedSignature& signature) {
  std::vector<std::string> arguments;
  for (const ProbedBuffer& each : signature.arguments) {
    arguments.push_back(Quoted(ArgumentText(each)));
  }
  if (signature.has_rest) arguments.push_back("{\"rest\": \"buffer\"}");
  std::vector<std::string> results;
  for (const ProbedBuffer& each : signature.results) {
    results.push_back(ResultText(each));
  }
  if (signature.has_rest_results) {
    results.push_back(absl::StrCat("{\"rest\": true, \"dtype\": ", kOpen,
                                   ", \"shape\": ", kOpen, "}"));
  }
  const std::string attributes = AttributesText(signature);
  return absl::StrCat("{\"convention\": \"xla_ffi\", ", found.reference,
                      attributes.empty() ? ""
                                         : absl::StrCat(", \"attributes\": ",
                                                        Quoted(attributes)),
                      ", \"arguments\": [", absl::StrJoin(arguments, ", "),
                      "], \"results\": [", absl::StrJoin(results, ", "), "]}");
}

absl::StatusOr<std::string> ProbeFunction(const Found& found) {
  eyrie_ffi_handler_t* const execute = found.stages[EYRIE_FFI_EXECUTE];
  ASSIGN_OR_RETURN(const FfiMetadata metadata, ProbeSymbol(execute));
  const int minor = metadata.minor;
  ASSIGN_OR_RETURN(ProbedSignature signature,
                   ProbeSignature(execute, EYRIE_FFI_EXECUTE, minor));
  // Attributes may be read by the first stage alone.
  eyrie_ffi_handler_t* const first = found.stages[EYRIE_FFI_INSTANTIATE];
  if (first != nullptr && signature.attributes.empty()) {
    ASSIGN_OR_RETURN(const ProbedSignature of_first,
                     ProbeSignature(first, EYRIE_FFI_INSTANTIATE, minor));
    signature.attributes = of_first.attributes;
    signature.takes_any_attributes = of_first.takes_any_attributes;
  }
  return FunctionText(found, signature);
}

absl::StatusOr<std::map<std::string, Found>> FindHandlers(
    const NativeLibrary& library, std::span<const std::string> symbols) {
  std::map<std::string, Found> all;
  for (const std::string& symbol : symbols) {
    ASSIGN_OR_RETURN(void* const address, library.FindFunction(symbol));
    Found& found = all[symbol];
    found.reference = absl::StrCat("\"symbol\": ", Quoted(symbol));
    found.stages[EYRIE_FFI_EXECUTE] =
        reinterpret_cast<eyrie_ffi_handler_t*>(address);
  }
  for (const auto& [name, handler] : library.registry().handlers()) {
    if (!IsHostPlatform(handler.platform)) continue;
    Found& found = all[name];
    found.reference = absl::StrCat("\"registered\": ", Quoted(name));
    std::copy(std::begin(handler.bundle.stages),
              std::end(handler.bundle.stages), found.stages);
  }
  if (!all.empty()) return all;
  return absl::NotFoundError(
      absl::StrCat("'", library.path(),
                   "' registers no handlers for the host. Name the "
                   "symbols of those that it exports."));
}

// Separates parts of the text that the child returns.
constexpr char kSeparator = '\0';

std::string TextOf(const absl::StatusOr<ProbedLibrary>& probed) {
  if (!probed.ok()) {
    return absl::StrCat(static_cast<int>(probed.status().code()),
                        std::string(1, kSeparator), probed.status().message());
  }
  std::vector<std::string> parts = {"0", probed->manifest};
  parts.insert(parts.end(), probed->notes.begin(), probed->notes.end());
  return absl::StrJoin(parts, std::string(1, kSeparator));
}

// The answer of a child that does not open its library in time, and its pipe.
struct LateAnswer {
  std::string text;
  int pipe;
};
LateAnswer* late = nullptr;

void AnswerLate(int) { EndChild(late->pipe, late->text); }

// Opens a library, whose constructors may not return. Only in a child: after
// kLoadSeconds, it ends with an answer that says so.
absl::StatusOr<std::shared_ptr<NativeLibrary>> OpenInTime(
    const std::string& path, int pipe) {
  LateAnswer answer = {
      TextOf(absl::DeadlineExceededError(
          absl::StrCat("Loading '", path, "' takes longer than ", kLoadSeconds,
                       " s, the limit of a probe: perhaps a constructor of "
                       "the library does not return."))),
      pipe};
  late = &answer;
  ::signal(SIGALRM, &AnswerLate);
  ::alarm(kLoadSeconds);
  auto library = NativeLibrary::Open(path);
  ::alarm(0);
  return library;
}

absl::StatusOr<ProbedLibrary> ProbeHere(const std::string& path,
                                        const std::string& module,
                                        std::span<const std::string> symbols,
                                        int pipe) {
  ASSIGN_OR_RETURN(const auto library, OpenInTime(path, pipe));
  ASSIGN_OR_RETURN(const auto handlers, FindHandlers(*library, symbols));
  ProbedLibrary probed;
  std::vector<std::string> functions;
  for (const auto& [name, found] : handlers) {
    const auto text = ProbeFunction(found);
    if (text.ok()) {
      functions.push_back(absl::StrCat("\n    ", Quoted(name), ": ", *text));
    } else {
      probed.notes.push_back(absl::StrCat(
          "'", PlainName(name), "' is left out. ", text.status().message()));
    }
  }
  if (functions.empty()) {
    return absl::NotFoundError(
        absl::StrCat("A manifest cannot be made for '", library->path(),
                     "'.\n  ", absl::StrJoin(probed.notes, "\n  ")));
  }
  probed.manifest =
      absl::StrCat("{\n  \"module\": ", Quoted(module), ",\n  \"functions\": {",
                   absl::StrJoin(functions, ","), "\n  }\n}\n");
  return probed;
}

}  // namespace

absl::StatusOr<ProbedLibrary> ProbeLibrary(
    const std::string& path, const std::string& module,
    std::span<const std::string> symbols) {
  const auto text = CallInChild(kLimit, [&](int pipe) {
    return TextOf(ProbeHere(path, module, symbols, pipe));
  });
  if (!text.ok()) {
    return Annotate(text.status(), absl::StrCat("(it opened '", path, "')"));
  }
  const std::vector<std::string> parts = absl::StrSplit(*text, kSeparator);
  int code = 0;
  if (parts.size() < 2 || !absl::SimpleAtoi(parts[0], &code)) {
    return absl::AbortedError(
        absl::StrCat("'", path, "' changed what the child process returned."));
  }
  if (code != 0) {
    return absl::Status(static_cast<absl::StatusCode>(code), parts[1]);
  }
  return ProbedLibrary{parts[1], {parts.begin() + 2, parts.end()}};
}

}  // namespace eyrie::native
