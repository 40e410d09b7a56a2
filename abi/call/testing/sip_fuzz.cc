// Fuzzes structured index paths. Text may be rejected; if it is accepted, it is
// written in one form that parses to the same structure. The text after the
// last line break is a JSON array of arguments for a function of that
// structure; it may be any bytes.
//
// Run it as tests/fuzz/BUILD describes.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "abi/call/invoker.h"
#include "abi/signature/signature.h"
#include "abi/signature/signature_reader.h"
#include "abi/v0/sip_signature.h"
#include "abi/v0/testing/writers.h"
#include "abi/value/json_value.h"
#include "absl/strings/string_view.h"
#include "base/json.h"
#include "base/ref.h"
#include "tests/support/json_text.h"
#include "vm/isa/callconv.h"
#include "vm/isa/value.h"
#include "vm/module/module_def.h"

namespace eyrie::abi::v0 {
namespace {

// Computes the greatest raw index plus one, up to a limit.
class RawCounter : public SipVisitor {
 public:
  void Key(const SipKey&) override {}
  void Open(SipNode::Kind) override {}
  void Close() override {}
  void Leaf(int64_t raw) override {
    constexpr int64_t kMax = 100;
    count_ = std::max(count_, static_cast<size_t>(std::min(raw, kMax) + 1));
  }
  size_t count() const { return count_; }

 private:
  size_t count_ = 0;
};

void FuzzCall(const SipSignature& signature, absl::string_view sip,
              absl::string_view arguments) {
  RawCounter inputs;
  RawCounter results;
  VisitSip(signature.inputs, inputs);
  VisitSip(signature.results, results);
  const auto convention =
      vm::CallingConvention::Parse("0" + std::string(inputs.count(), 'r') +
                                   "_" + std::string(results.count(), 'r'));
  if (!convention.ok()) return;
  const std::vector<vm::Attribute> attributes = {{"sip", sip}};
  auto read = ReadSignature("f", attributes, *convention);
  const auto json = ParseJson(arguments);
  if (!read.ok() || !json.ok()) return;
  const auto value = FromJson(*json, JsonFiles::kRefused);
  if (!value.ok() || value->items() == nullptr) return;
  Invoker invoker = Invoker::WithoutFunction(nullptr, *std::move(read));
  auto encoded = invoker.Encode(*value->items(), {});
  if (!encoded.ok()) return;
  encoded->resize(results.count(), vm::Value(Ref<RefObject>()));
  const auto decoded = invoker.Decode(*std::move(encoded));
  if (!decoded.ok()) return;
  for (const HostValue& result : *decoded) tests::JsonText(result);
}

}  // namespace
}  // namespace eyrie::abi::v0

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using eyrie::abi::v0::SipSignature;
  const absl::string_view text(reinterpret_cast<const char*>(data), size);
  const size_t line = std::min(text.rfind('\n'), text.size());
  const absl::string_view sip = text.substr(0, line);
  const auto signature = SipSignature::Parse(sip);
  if (!signature.ok()) return 0;
  eyrie::abi::v0::SipText(signature->inputs);
  eyrie::abi::v0::SipText(signature->results);
  const auto again = SipSignature::Parse(eyrie::abi::v0::Mangle(*signature));
  if (!again.ok() || !(*again == *signature)) std::abort();
  eyrie::abi::v0::FuzzCall(*signature, sip,
                           text.substr(std::min(line + 1, text.size())));
  return 0;
}
