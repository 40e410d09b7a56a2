#include "abi/native/ffi_types.h"

#include <array>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/plain_text.h"
#include "base/suggest.h"

namespace eyrie::native {
namespace {

namespace kind = hal::numerical_kind;

constexpr FfiTypeInfo kTypes[] = {
#define XLA_ELEMENT_TYPE(id, name, kind, bits, numpy, mlir, dlpack, xla_id, \
                         number, xla_name, since)                           \
  {FfiType::k##xla_id,      xla_name, ((bits) + 7) / 8,                     \
   hal::ElementType::k##id, since,    dlpack},
#define XLA_TYPE(xla_id, number, xla_name, since, bytes) \
  {FfiType::k##xla_id, xla_name, bytes, hal::ElementType::kNone, since, -1},
#include "hal/element_types.def"
};
constexpr size_t kNumbers = 34;

constexpr auto kByNumber = [] {
  std::array<FfiTypeInfo, kNumbers> rows{};
  for (const FfiTypeInfo& row : kTypes) {
    rows[static_cast<size_t>(row.type)] = row;
  }
  return rows;
}();

}  // namespace

const FfiTypeInfo& InfoOf(FfiType type) {
  return kByNumber[static_cast<size_t>(type)];
}

absl::StatusOr<FfiType> ParseFfiType(absl::string_view name) {
  if (name == "i1") return FfiType::kPred;
  std::string spelt(name);
  if (!spelt.empty() && spelt[0] == 'i') spelt[0] = 's';
  std::vector<std::string> names;
  for (const FfiTypeInfo& row : kTypes) {
    if (spelt == row.name) return row.type;
    names.emplace_back(row.name);
  }
  return absl::NotFoundError(absl::StrCat("There is no element type '",
                                          PlainName(name), "' of XLA FFI.",
                                          DidYouMean(spelt, names)));
}

FfiType FfiTypeOf(hal::ElementType element) {
  if (hal::NumericalKind(element) == kind::kSigned) {  // as signless
    element = static_cast<hal::ElementType>(uint32_t{kind::kSignless} << 24 |
                                            hal::BitCount(element));
  }
  if (element == hal::ElementType::kNone) return FfiType::kNone;
  for (const FfiTypeInfo& row : kTypes) {
    if (row.element == element) return row.type;
  }
  return FfiType::kNone;
}

char ScalarLetter(hal::ElementType element) {
  const uint32_t bits = hal::BitCount(element);
  if (hal::IsIntegerOrBool(element)) {
    return bits == 64 ? 'I' : bits >= 8 && bits <= 32 ? 'i' : 0;
  }
  switch (element) {
    case hal::ElementType::kFloat16:
    case hal::ElementType::kBfloat16:
      return 'i';
    case hal::ElementType::kFloat32:
      return 'f';
    case hal::ElementType::kFloat64:
      return 'F';
    default:
      return 0;
  }
}

bool IsTakenAs(hal::ElementType have, FfiType want) {
  const hal::ElementType element = InfoOf(want).element;
  if (FfiTypeOf(have) == want) return want != FfiType::kNone;
  return hal::NumericalKind(have) == kind::kSignless &&
         hal::IsIntegerKind(element) &&
         hal::BitCount(have) == hal::BitCount(element);
}

}  // namespace eyrie::native
