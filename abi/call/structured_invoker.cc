// Calls functions whose arguments and results are parts of structures.
//
// The Invoker of such a function contains a flat one, which calls the function
// with raw values. Arguments are taken out of their structures for it, and its
// results are put back into structures.
// Tested by structures_test.cc, tests/conformance/abi/abi_test.cc.
#include <algorithm>
#include <memory>
#include <utility>

#include "abi/call/invoker.h"
#include "abi/signature/structures.h"
#include "abi/value/sip_values.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/allocate.h"
#include "base/status_macros.h"

namespace eyrie::abi {

void Invoker::Flatten() {
  if (signature_.structured() == nullptr) return;
  flat_ = std::unique_ptr<Invoker>(new Invoker(
      session_, callable_, *signature_.structured()->flat, device_, memory_));
}

absl::StatusOr<std::vector<const HostValue*>> Invoker::FlatArguments(
    std::span<const HostValue* const> values,
    std::span<const absl::string_view> names, HostValue& rest) const {
  const StructuredCall& call = *signature_.structured();
  const std::vector<const v0::SipNode*>& nodes = call.structures->arguments;
  const size_t count = nodes.size();
  const auto positional = values.first(values.size() - names.size());
  if (positional.size() > count) return TooMany(positional.size());
  std::vector<const HostValue*> places;
  RETURN_IF_ERROR(Resize(places, count, kArguments));
  std::copy(positional.begin(), positional.end(), places.begin());
  RETURN_IF_ERROR(
      Place(values.subspan(positional.size()), names, places, rest));
  static const v0::SipNode* const kNothing = new v0::SipNode();
  v0::SipFlattener flattener(call.structures->signature.inputs,
                             call.flat->arguments().size());
  for (size_t i = 0; i < count; ++i) {
    const v0::SipNode* node = nodes[i] ? nodes[i] : kNothing;
    if (places[i] == nullptr && node == kNothing) continue;
    if (places[i] == nullptr) return Missing(i);
    const absl::Status status = flattener.Add(*node, *places[i]);
    if (status.ok()) continue;
    std::string name = signature_.ArgumentName(i);
    name[0] = absl::ascii_toupper(name[0]);
    return absl::Status(status.code(), absl::StrCat(name, flattener.path(),
                                                    ": ", status.message()));
  }
  // The signature has a place for every raw argument.
  std::vector<const HostValue*> raw;
  RETURN_IF_ERROR(Assign(raw, flattener.raw(), kArguments));
  return raw;
}

absl::Status Invoker::NestResults(std::vector<HostValue>& results) const {
  if (signature_.results().empty()) {
    results.clear();
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(
      HostValue nested,
      v0::SipNest(signature_.structured()->structures->signature.results,
                  std::move(results)));
  results.clear();
  results.push_back(std::move(nested));
  return absl::OkStatus();
}

}  // namespace eyrie::abi
