// Raw values out of structures of host values, and back into them.
//
// Tested by sip_values_test.cc, round_trip_test.cc.
#ifndef EYRIE_ABI_V0_SIP_VALUES_H_
#define EYRIE_ABI_V0_SIP_VALUES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "abi/host_value.h"
#include "abi/v0/sip_signature.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace eyrie::abi::v0 {

// True if two values are the same: of one kind, with the same bits.
bool SameValue(const HostValue& a, const HostValue& b);

// Collects raw values from structures. Values are the caller's to keep.
class SipFlattener {
 public:
  // `root` is the structure of all inputs; its leaves are below `count`.
  SipFlattener(const SipNode& root, size_t count)
      : root_(root), raw_(count, nullptr) {}

  // Takes what a value holds, whose structure is `node`, a part of the root.
  // Lists and tuples have as many items as the signature's list, or more that
  // are null, as all are that it lacks; dicts have its keys, in any order.
  // INVALID_ARGUMENT: the value is structured in another way, or differs from
  // one given before for the same raw index.
  absl::Status Add(const SipNode& node, const HostValue& value);

  // Where in the value the last error is: "['a'][2]".
  const std::string& path() const { return path_; }
  // By raw index; null for those that were at no path.
  const std::vector<const HostValue*>& raw() const { return raw_; }

 private:
  absl::Status Leaf(int64_t raw, const HostValue& value);
  absl::Status List(const SipNode& node, const HostValue& value);
  absl::Status Dict(const SipNode& node, const HostValue& value);
  absl::Status At(const SipKey& key, absl::Status status);

  const SipNode& root_;
  std::vector<const HostValue*> raw_;
  std::string path_;
};

// Copies that a structure may hold of its raw values besides the first, in
// items and in 16 bytes of strings; arrays are shared.
inline constexpr size_t kSipMaxCopied = size_t{1} << 22;

// Puts raw values into a structure: lists have null where they lack an item.
// The leaves are below raw.size(), each of which stands at all its places;
// those at none are dropped. RESOURCE_EXHAUSTED: the limit above.
absl::StatusOr<HostValue> SipNest(const SipNode& node,
                                  std::vector<HostValue> raw);

}  // namespace eyrie::abi::v0

#endif  // EYRIE_ABI_V0_SIP_VALUES_H_
