#include "vm/jit/comparison.h"

namespace eyrie::vm::jit {

#define EYRIE_BOTH(name, suffix, ...) \
  case Op::k##name##32##suffix:       \
  case Op::k##name##64##suffix:       \
    return Comparison { __VA_ARGS__ }

std::optional<Comparison> ComparisonOf(Op op) {
  using enum Comparison::Of;
  using enum Comparison::Relation;
  switch (op) {
    case Op::kCmpEqRef:
      return Comparison{kRefs, kEqual};
    case Op::kCmpNeRef:
      return Comparison{kRefs, kNotEqual};
    case Op::kCmpNzRef:
      return Comparison{kRef, kNotEqual};
      EYRIE_BOTH(CmpNzI, , kInteger, kNotEqual);
      EYRIE_BOTH(CmpEqI, , kIntegers, kEqual);
      EYRIE_BOTH(CmpNeI, , kIntegers, kNotEqual);
      EYRIE_BOTH(CmpLtI, S, kIntegers, kLess);
      EYRIE_BOTH(CmpLtI, U, kIntegers, kBelow);
      EYRIE_BOTH(CmpEqF, O, kFloats, kEqual);
      EYRIE_BOTH(CmpEqF, U, kFloats, kEqual, /*or_unordered=*/true);
      EYRIE_BOTH(CmpNeF, O, kFloats, kNotEqual, /*or_unordered=*/true);
      EYRIE_BOTH(CmpNeF, U, kFloats, kNotEqual, /*or_unordered=*/true);
      EYRIE_BOTH(CmpLtF, O, kFloats, kLess);
      EYRIE_BOTH(CmpLtF, U, kFloats, kLess, /*or_unordered=*/true);
      EYRIE_BOTH(CmpLteF, O, kFloats, kLessOrEqual);
      EYRIE_BOTH(CmpLteF, U, kFloats, kLessOrEqual, /*or_unordered=*/true);
      EYRIE_BOTH(CmpNanF, , kFloats, kUnordered);
    default:
      return std::nullopt;
  }
}

#undef EYRIE_BOTH

}  // namespace eyrie::vm::jit
