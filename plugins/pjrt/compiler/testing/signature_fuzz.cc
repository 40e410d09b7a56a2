// Fuzzes texts of the compiler: seven of a signature, separated by NULs, and
// all of them as custom calls. They are read or refused, and what is read has
// no impossible value.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "plugins/pjrt/compiler/custom_call_text.h"
#include "plugins/pjrt/compiler/plain_mlir.h"
#include "plugins/pjrt/compiler/signature_text.h"

namespace {

void Check(const std::vector<eyrie::pjrt::ProgramArgument>& arguments) {
  for (const auto& argument : arguments) {
    if (argument.type.element.empty()) std::abort();
    for (const int64_t size : argument.type.dims) {
      if (size < -1) std::abort();
    }
  }
}

// StableHLO has no words of VHLO outside of strings, so it stays as it is.
void CheckPlain(absl::string_view text) {
  const auto plain = eyrie::pjrt::PlainMlir(text);
  if (!plain.ok()) {
    if (plain.status().message().empty()) std::abort();
    return;
  }
  if (!absl::StrContains(text, "vhlo") && *plain != text) std::abort();
}

void CheckCustomCalls(absl::string_view text) {
  const auto calls = eyrie::pjrt::ReadCustomCalls(text);
  if (!calls.ok()) {
    if (calls.status().message().empty()) std::abort();
    return;
  }
  for (const auto& call : *calls) {
    if (call.operand_count > call.operands.size() + 1 ||
        call.result_count > call.results.size() + 1) {
      std::abort();
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view all(reinterpret_cast<const char*>(data), size);
  CheckCustomCalls(all);
  std::vector<absl::string_view> texts = absl::StrSplit(all, '\0');
  for (const absl::string_view text : texts) CheckPlain(text);
  texts.resize(7);
  const auto signature = eyrie::pjrt::ReadSignature(
      {texts[0], texts[1], texts[2], texts[3], texts[4], texts[5], texts[6]});
  if (!signature.ok()) {
    if (signature.status().message().empty()) std::abort();
    return 0;
  }
  if (signature->name.empty() || signature->replicas < 1 ||
      signature->partitions < 1) {
    std::abort();
  }
  Check(signature->arguments);
  Check(signature->results);
  return 0;
}
