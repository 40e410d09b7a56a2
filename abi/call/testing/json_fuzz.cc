// Fuzzes JSON records, and arguments for their signature. Both may be rejected,
// but may not crash. The first line is the records and the rest is an array of
// arguments; either may be any bytes.
//
// Run it as tests/fuzz/BUILD describes.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "abi/call/invoker.h"
#include "abi/call/session.h"
#include "abi/signature/records.h"
#include "abi/signature/signature_reader.h"
#include "abi/value/decoder.h"
#include "abi/value/json_value.h"
#include "absl/strings/string_view.h"
#include "base/json.h"
#include "tests/support/json_text.h"

namespace eyrie::abi {
namespace {

const Ref<hal::Device>& TheDevice() {
  static const auto* const kDevice =
      new Ref<hal::Device>((*OpenDevices({}, hal::DriverOptions()))[0]);
  return *kDevice;
}

// Returns a calling convention with a register for every record.
std::string ConventionOf(absl::string_view json) {
  std::string text = "0";
  const auto records = ParseRecords(json);
  if (!records.ok() || !records->arguments) return "0riIfF";
  for (const Records::Record& record : *records->arguments) {
    const bool is_scalar = record.type.is(Type::Kind::kScalar);
    const uint32_t bits = hal::BitCount(record.type.element);
    const bool is_float = hal::NumericalKind(record.type.element) >> 4 == 2;
    text += !is_scalar ? 'r'
            : is_float ? (bits > 32 ? 'F' : 'f')
                       : (bits > 32 ? 'I' : 'i');
  }
  return text;
}

void FuzzCall(absl::string_view records, absl::string_view arguments) {
  const auto convention = vm::CallingConvention::Parse(ConventionOf(records));
  if (!convention.ok()) return;
  const std::vector<vm::Attribute> attributes = {{"iree.abi", records}};
  auto signature = ReadSignature("f", attributes, *convention);
  if (!signature.ok()) return;
  signature->ToString();
  const auto json = ParseJson(arguments);
  if (!json.ok()) return;
  const auto value = FromJson(*json, JsonFiles::kRefused);
  if (!value.ok()) return;
  tests::JsonText(*value);
  if (value->items() == nullptr) return;
  Invoker invoker =
      Invoker::WithoutFunction(TheDevice(), *std::move(signature));
  auto encoded = invoker.Encode(*value->items(), {});
  if (!encoded.ok()) return;
  for (size_t i = 0; i < encoded->size(); ++i) {
    CallStatistics statistics;
    Decoder decoder(&statistics);
    const auto decoded =
        decoder.Decode((*encoded)[i], invoker.signature().arguments()[i].type);
    if (decoded.ok()) tests::JsonText(*decoded);
  }
}

}  // namespace
}  // namespace eyrie::abi

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view text(reinterpret_cast<const char*>(data), size);
  const size_t line = std::min(text.find('\n'), text.size());
  eyrie::abi::FuzzCall(text.substr(0, line),
                       text.substr(std::min(line + 1, text.size())));
  return 0;
}
