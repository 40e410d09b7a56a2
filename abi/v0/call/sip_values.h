// Extracts raw values from structures of host values, and puts them back.
// Tested by sip_values_test.cc, sip_round_trip_test.cc.
#ifndef EYRIE_ABI_V0_CALL_SIP_VALUES_H_
#define EYRIE_ABI_V0_CALL_SIP_VALUES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "abi/v0/sip_signature.h"
#include "abi/value/host_value.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace eyrie::abi::v0 {

// Reports whether two values have the same kind and the same bits.
bool SameValue(const HostValue& a, const HostValue& b);

// Collects raw values from structures. Borrows the values.
class SipFlattener {
 public:
  // `root` is the structure of all inputs. Its raw indices must be below
  // `count`.
  SipFlattener(const SipNode& root, size_t count)
      : root_(root), raw_(count, nullptr) {}

  // Collects the raw values of a value whose structure is `node`, a part of the
  // root. Lists and tuples must have as many items as the signature's list;
  // extra items and those that the list lacks must be null. Dicts must have the
  // same keys, in any order. INVALID_ARGUMENT: the value has another structure,
  // or differs from an earlier value for the same raw index.
  absl::Status Add(const SipNode& node, const HostValue& value);

  // Returns the place of the last error in the value: "['a'][2]".
  const std::string& path() const { return path_; }
  // By raw index; null for those without a path.
  const std::vector<const HostValue*>& raw() const { return raw_; }

 private:
  absl::Status Leaf(int64_t raw, const HostValue& value);
  absl::Status List(const SipNode& node, const HostValue& value);
  absl::Status Dict(const SipNode& node, const HostValue& value);
  absl::Status AddToPath(const SipKey& key, absl::Status status);

  const SipNode& root_;
  std::vector<const HostValue*> raw_;
  std::string path_;
};

// Maximum number of copies of raw values in a structure, not counting the first
// of each; counts items and 16 bytes of strings. Arrays are shared.
inline constexpr size_t kSipMaxCopied = size_t{1} << 22;

// Puts raw values into a structure. A list's missing items become null. All raw
// indices must be below raw.size(). A raw value goes to all its places; one
// without a place is dropped. RESOURCE_EXHAUSTED: the limit above.
absl::StatusOr<HostValue> SipNest(const SipNode& node,
                                  std::vector<HostValue> raw);

}  // namespace eyrie::abi::v0

#endif  // EYRIE_ABI_V0_CALL_SIP_VALUES_H_
