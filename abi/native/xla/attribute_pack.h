// Attributes in the form that handlers receive, built once per import and read
// by every call.
// Tested by tools/native_test.sh.
#ifndef EYRIE_ABI_NATIVE_XLA_ATTRIBUTE_PACK_H_
#define EYRIE_ABI_NATIVE_XLA_ATTRIBUTE_PACK_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "abi/native/attributes.h"
#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "eyrie/xla_ffi.h"

namespace eyrie::native {

// Returns the address of a library's symbol.
using SymbolFinder =
    absl::FunctionRef<absl::StatusOr<void*>(const std::string& name)>;

// Owns all data that its structs point to. Immutable; cannot be copied or
// moved.
class AttributePack {
 public:
  // NOT_FOUND: the library does not have a symbol.
  static absl::StatusOr<std::unique_ptr<const AttributePack>> Create(
      Attributes attributes, SymbolFinder find_symbol);

  AttributePack(const AttributePack&) = delete;
  AttributePack& operator=(const AttributePack&) = delete;

  const eyrie_ffi_attributes_t& attributes() const { return attributes_; }
  // Returns the index of an attribute. `name` must exist.
  size_t IndexOf(const std::string& name) const;

 private:
  AttributePack() = default;
  absl::Status Fill(SymbolFinder find_symbol);
  absl::StatusOr<void*> Add(const Attribute& value, SymbolFinder find_symbol);

  Attributes tree_;
  eyrie_ffi_attributes_t attributes_ = {};
  std::vector<int32_t> kinds_;
  std::vector<eyrie_ffi_bytes_t*> names_;
  std::vector<void*> values_;
  // The data that the structs point to; deques keep addresses stable.
  std::deque<eyrie_ffi_bytes_t> texts_;
  std::deque<eyrie_ffi_scalar_t> scalars_;
  std::deque<eyrie_ffi_array_t> arrays_;
  std::deque<int64_t> addresses_;
  std::vector<std::unique_ptr<const AttributePack>> dictionaries_;
};

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_XLA_ATTRIBUTE_PACK_H_
