// Instructions whose text is not simply their operands in order.
#include "vm/asm/syntax.h"

#include <array>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "vm/isa/operand.h"

namespace eyrie::vm {
namespace {

struct Family {
  const char* prefix;  // of the mnemonic; the first match counts
  const char* pattern;
  const char* other = nullptr;  // parsed, too
};

constexpr Family kFamilies[] = {
    {"select.ref", "$0 ? $2 : $3 -> $1"},
    {"select.", "$0 ? $1 : $2"},
    {"switch.ref", "$0[$3] else $2 -> $1"},
    {"switch.", "$0[$2] else $1"},
    {"buffer.store.", "$2, $0, $1"},
    {"global.load.indirect.ref", "$0 : $1", ".refs[$0] : $1"},
    {"global.load.indirect.", "$0", ".rwdata[$0]"},
    {"global.store.indirect.ref", "$0 : $1, $2", "$2, .refs[$0] : $1"},
    {"global.store.indirect.", "$0, $1", "$1, .rwdata[$0]"},
    {"global.store.ref", "$2, $0 : $1"},
    {"global.store.", "$1, $0"},
    {"list.alloc", "$1 : !vm.list<$0>"},
    {"cast.any.ref", "$0 : !vm.ref<?> -> $1"},
    {"call.variadic.yieldable", "$0 segments[$1]($2) -> $3($$)"},
    {"call.variadic", "$0 segments[$1]($2)"},
    {"call.yieldable", "$0($1) -> $2($$)"},
    {"call", "$0($1)"},
    {"br_table", "$0 { default: $1$2$3 }"},
    {"return", "{$0}"},
    {"discard.refs", "{$0}"},
    {"trace", "$0{, $1}", "$0($1)"},
    {"print", "$0{, $1}", "$0($1)"},
};

// Returns a pattern with the operands in order: "$0, $1$2 : $3".
std::string InOrder(const OpInfo& op) {
  std::string pattern;
  for (int i = 0; i < op.reads.count; ++i) {
    const char* before = ", ";
    if (i == 0 || op.reads[i] == OperandKind::kRemap) before = "";
    if (op.reads[i] == OperandKind::kType) before = " : ";
    absl::StrAppend(&pattern, before, "$", i);
  }
  return pattern;
}

std::vector<std::string> CreatePatterns(const OpInfo& op) {
  for (const Family& family : kFamilies) {
    if (!absl::StartsWith(op.text, family.prefix)) continue;
    if (family.other == nullptr) return {family.pattern};
    return {family.pattern, family.other};
  }
  return {InOrder(op)};
}

}  // namespace

const std::vector<std::string>& PatternsOf(const OpInfo& op) {
  static const auto& kPatterns = *[] {
    auto* all = new std::array<std::vector<std::string>, kOpCount>;
    for (size_t i = 0; i < kOpCount; ++i) (*all)[i] = CreatePatterns(kOps[i]);
    return all;
  }();
  return kPatterns[RowOf(op)];
}

}  // namespace eyrie::vm
