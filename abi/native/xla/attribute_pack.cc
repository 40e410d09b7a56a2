#include "abi/native/xla/attribute_pack.h"

#include <iterator>
#include <utility>

#include "base/status_macros.h"

namespace eyrie::native {
namespace {

int32_t KindOf(const Attribute& value) {
  switch (value.kind) {
    case Attribute::Kind::kArray:
      return EYRIE_FFI_ARRAY;
    case Attribute::Kind::kString:
      return EYRIE_FFI_STRING;
    case Attribute::Kind::kDictionary:
      return EYRIE_FFI_DICTIONARY;
    case Attribute::Kind::kScalar:
    case Attribute::Kind::kSymbol:
      return EYRIE_FFI_SCALAR;
  }
  return 0;
}

}  // namespace

absl::StatusOr<std::unique_ptr<const AttributePack>> AttributePack::Create(
    Attributes attributes, SymbolFinder find_symbol) {
  std::unique_ptr<AttributePack> pack(new AttributePack());
  pack->tree_ = std::move(attributes);
  RETURN_IF_ERROR(pack->Fill(find_symbol));
  return pack;
}

size_t AttributePack::IndexOf(const std::string& name) const {
  return static_cast<size_t>(std::distance(tree_.begin(), tree_.find(name)));
}

absl::Status AttributePack::Fill(SymbolFinder find_symbol) {
  for (const auto& [name, value] : tree_) {
    kinds_.push_back(KindOf(value));
    names_.push_back(
        &texts_.emplace_back(eyrie_ffi_bytes_t{name.data(), name.size()}));
    ASSIGN_OR_RETURN(void* pointer, Add(value, find_symbol));
    values_.push_back(pointer);
  }
  attributes_.size = EYRIE_FFI_SIZE(eyrie_ffi_attributes_t, values);
  attributes_.count = static_cast<int64_t>(tree_.size());
  attributes_.kinds = kinds_.data();
  attributes_.names = names_.data();
  attributes_.values = values_.data();
  return absl::OkStatus();
}

absl::StatusOr<void*> AttributePack::Add(const Attribute& value,
                                         SymbolFinder find_symbol) {
  const std::string& bytes = value.bytes;
  const auto type = static_cast<int32_t>(value.type);
  switch (value.kind) {
    case Attribute::Kind::kScalar:
      return &scalars_.emplace_back(eyrie_ffi_scalar_t{type, bytes.data()});
    case Attribute::Kind::kArray:
      return &arrays_.emplace_back(eyrie_ffi_array_t{
          type, bytes.size() / InfoOf(value.type).bytes, bytes.data()});
    case Attribute::Kind::kString:
      return &texts_.emplace_back(
          eyrie_ffi_bytes_t{bytes.data(), bytes.size()});
    case Attribute::Kind::kSymbol: {
      ASSIGN_OR_RETURN(void* symbol, find_symbol(bytes));
      int64_t& address =
          addresses_.emplace_back(reinterpret_cast<int64_t>(symbol));
      return &scalars_.emplace_back(
          eyrie_ffi_scalar_t{static_cast<int32_t>(FfiType::kS64), &address});
    }
    case Attribute::Kind::kDictionary: {
      ASSIGN_OR_RETURN(auto inner, Create(value.members, find_symbol));
      dictionaries_.push_back(std::move(inner));
      return const_cast<eyrie_ffi_attributes_t*>(
          &dictionaries_.back()->attributes());
    }
  }
  return nullptr;
}

}  // namespace eyrie::native
