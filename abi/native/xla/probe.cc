#include "abi/native/xla/probe.h"

#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "abi/native/guarded_call.h"
#include "abi/native/xla/api.h"
#include "abi/native/xla/child_call.h"
#include "abi/native/xla/context.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/plain_text.h"
#include "base/status_macros.h"

namespace eyrie::native {
namespace {

constexpr int32_t kUnset = -1;
constexpr absl::Duration kLimit = absl::Seconds(10);  // of a child process

// Symbols that a child process has called, and that returned. Thread-safe.
class AnsweredSymbols {
 public:
  // Never destroyed, because libraries may be opened during exit.
  static AnsweredSymbols& Get() {
    static auto* const answered = new AnsweredSymbols();
    return *answered;
  }

  bool Has(eyrie_ffi_handler_t* symbol) {
    const std::lock_guard lock(mutex_);
    return symbols_.contains(symbol);
  }
  void Add(eyrie_ffi_handler_t* symbol) {
    const std::lock_guard lock(mutex_);
    symbols_.insert(symbol);
  }

 private:
  std::mutex mutex_;
  std::set<eyrie_ffi_handler_t*> symbols_;  // guarded by mutex_
};

absl::Status WrongVersion(const eyrie_ffi_version_t& version) {
  return absl::UnimplementedError(absl::StrCat(
      "The handler uses version ", version.major, ".", version.minor,
      " of XLA FFI; expected ", EYRIE_FFI_MAJOR, ".", kOldestFfiMinor,
      " or a later version ", EYRIE_FFI_MAJOR, ".x."));
}

// Room for the metadata of later versions. Handlers since 0.2 write past the
// size that they check.
struct Answer {
  eyrie_ffi_metadata_t metadata;
  uint64_t later[10];
};

}  // namespace

absl::StatusOr<FfiMetadata> ProbeHandler(eyrie_ffi_handler_t* handler) {
  Answer answer = {};
  eyrie_ffi_metadata_t& metadata = answer.metadata;
  metadata.size = sizeof(answer);
  metadata.api_version.size = EYRIE_FFI_SIZE(eyrie_ffi_version_t, minor);
  metadata.api_version.major = metadata.api_version.minor = kUnset;
  eyrie_ffi_metadata_extension_t extension = {};
  extension.base.size = sizeof(extension);
  extension.base.kind = EYRIE_FFI_EXTENSION_METADATA;
  extension.metadata = &metadata;
  eyrie_ffi_call_frame_t frame = {};
  frame.size = EYRIE_FFI_CALL_FRAME_SIZE;
  frame.extension = &extension.base;
  frame.api = &FfiApi(kNewestFfiMinor);
  frame.stage = EYRIE_FFI_EXECUTE;
  frame.args.size = EYRIE_FFI_SIZE(eyrie_ffi_values_t, values);
  frame.results.size = frame.args.size;
  frame.attributes.size = EYRIE_FFI_SIZE(eyrie_ffi_attributes_t, values);
  Thrown thrown;
  const absl::Status status =
      TakeFfiError(CallGuarded(handler, &frame, thrown));
  const eyrie_ffi_version_t& version = metadata.api_version;
  if (thrown.any()) {
    return absl::InvalidArgumentError(
        absl::StrCat("The handler, asked for its version, threw an exception: ",
                     ThrownLines(thrown)));
  }
  if (version.major == kUnset && version.minor == kUnset) {
    if (!status.ok()) {
      return absl::Status(
          status.code(),
          absl::StrCat("The handler, asked for its version, failed: ",
                       PlainLines(status.message(), kMaxThrownText)));
    }
    return absl::InvalidArgumentError(
        "The handler does not report its version of XLA FFI: it is older than "
        "0.1, or not a handler.");
  }
  if (version.major != EYRIE_FFI_MAJOR || version.minor < kOldestFfiMinor) {
    return WrongVersion(version);
  }
  RETURN_IF_ERROR(status);
  return FfiMetadata{version.minor, metadata.traits,
                     version.minor >= 2 ? metadata.state_type : 0};
}

absl::StatusOr<FfiMetadata> ProbeSymbol(eyrie_ffi_handler_t* symbol) {
  AnsweredSymbols& answered = AnsweredSymbols::Get();
  if (answered.Has(symbol)) return ProbeHandler(symbol);
  FfiApi(kNewestFfiMinor);  // or a child might wait for another thread's lock
  // The text is the status' code as a byte, and its message.
  const auto text = CallInChild(kLimit, [symbol] {
    const absl::Status status = ProbeHandler(symbol).status();
    return absl::StrCat(std::string(1, static_cast<char>(status.code())),
                        status.message());
  });
  if (absl::IsAborted(text.status()) ||
      absl::IsDeadlineExceeded(text.status())) {
    return absl::InvalidArgumentError(absl::StrCat(
        "The symbol is not an XLA FFI handler: it did not answer when a child "
        "process asked it for its version. ",
        text.status().message()));
  }
  if (text.ok() && (*text)[0] != 0) {
    return absl::Status(static_cast<absl::StatusCode>((*text)[0]),
                        text->substr(1));
  }
  answered.Add(symbol);
  return ProbeHandler(symbol);
}

void ProbeTogether(std::span<eyrie_ffi_handler_t* const> symbols) {
  AnsweredSymbols& answered = AnsweredSymbols::Get();
  std::vector<eyrie_ffi_handler_t*> asked;
  for (eyrie_ffi_handler_t* const symbol : symbols) {
    if (!answered.Has(symbol)) asked.push_back(symbol);
  }
  if (asked.size() < 2) return;
  FfiApi(kNewestFfiMinor);  // as above
  // A letter for each.
  const auto text = CallInChild(kLimit, [&asked] {
    std::string letters;
    for (auto* symbol : asked) letters += ProbeHandler(symbol).ok() ? 'y' : 'n';
    return letters;
  });
  if (!text.ok() || text->size() != asked.size()) return;
  for (size_t i = 0; i < asked.size(); ++i) {
    if ((*text)[i] == 'y') answered.Add(asked[i]);
  }
}

}  // namespace eyrie::native
