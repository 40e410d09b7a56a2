// Any bytes may be refused as a FlatBuffer. Accepted ones print as JSON in both
// forms that can be
// parsed.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "base/file_growth.h"
#include "base/json.h"
#include "base/text_stream.h"
#include "tools/flatbuffer_json.h"
#include "vm/module/archive.h"
#include "vm/module/flatbuffer.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto archive = eyrie::vm::Archive::Borrow({data, size}, "fuzz");
  if (!archive.ok()) return 0;
  const auto module = eyrie::vm::VerifyFlatBuffer(**archive);
  if (!module.ok()) return 0;
  for (const bool pretty : {false, true}) {
    std::string text;
    const auto sink = [&text](absl::string_view piece) {
      text.append(piece.data(), piece.size());
      return absl::OkStatus();
    };
    eyrie::TextStream to(eyrie::MostTextOf(size), sink);
    eyrie::tools::PrintFlatBufferJson(**module, pretty, to);
    if (!to.Finish().ok()) std::abort();
    if (!to.is_too_long() && !eyrie::ParseJson(text).ok()) std::abort();
  }
  return 0;
}
