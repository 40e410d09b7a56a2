#include "abi/native/xla/probe.h"

#include <utility>

#include "abi/native/guarded_call.h"
#include "abi/native/xla/api.h"
#include "abi/native/xla/error.h"
#include "absl/strings/str_cat.h"
#include "base/plain_text.h"
#include "base/status_macros.h"

namespace eyrie::native {
namespace {

constexpr int32_t kUnset = -1;

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
                       PlainText(status.message(), kMaxThrownText)));
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

}  // namespace eyrie::native
