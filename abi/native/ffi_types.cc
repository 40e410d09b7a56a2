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

using enum hal::ElementType;
// Codes that have no name in the HAL.
constexpr auto kUint1 =
    static_cast<hal::ElementType>(uint32_t{kind::kUnsigned} << 24 | 1);
constexpr auto kUint2 =
    static_cast<hal::ElementType>(uint32_t{kind::kUnsigned} << 24 | 2);

constexpr FfiTypeInfo kTypes[] = {
#define FFI_TYPE(id, number, name, bytes, element, since) \
  {FfiType::k##id, name, bytes, element, since},
#include "abi/native/ffi_types.def"
#undef FFI_TYPE
};
constexpr size_t kNumbers = 34;
static_assert(static_cast<size_t>(std::end(kTypes)[-1].type) + 1 == kNumbers);

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

bool IsTakenAs(hal::ElementType have, FfiType want) {
  const hal::ElementType element = InfoOf(want).element;
  if (FfiTypeOf(have) == want) return want != FfiType::kNone;
  return hal::NumericalKind(have) == kind::kSignless &&
         hal::IsIntegerKind(element) &&
         hal::BitCount(have) == hal::BitCount(element);
}

}  // namespace eyrie::native
