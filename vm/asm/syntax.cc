#include "vm/asm/syntax.h"

#include <array>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "vm/isa/operand.h"

namespace eyrie::vm {
namespace {

// The column of opcodes.def, one line per row. An array of pointers would need
// relocations at every start.
constexpr char kSyntaxColumn[] =
#define OP(set, code, name, text, operands, results, since, traits, syntax) \
  syntax "\n"
#include "vm/isa/opcodes.def"
#undef OP
    ;

// Reports whether each place of the column is an operand or result of its row,
// which the printer and the parser take for granted.
constexpr bool PlacesFit() {
  const OpInfo* op = kOps;
  for (const char* c = kSyntaxColumn; *c != 0; ++c) {
    if (*c == '\n') ++op;
    if (*c != '$') continue;
    ++c;
    const bool fits = *c == '$' ? op->writes.count != 0
                                : *c >= '0' && *c - '0' < op->reads.count;
    if (!fits) return false;
  }
  return true;
}
static_assert(PlacesFit(), "opcodes.def: a place names no operand of its row");

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

}  // namespace

const std::vector<std::string>& PatternsOf(const OpInfo& op) {
  static const auto& kPatterns = *[] {
    auto* all = new std::array<std::vector<std::string>, kOpCount>;
    size_t row = 0;
    for (const absl::string_view syntax : absl::StrSplit(kSyntaxColumn, '\n')) {
      if (row == kOpCount) break;  // after the last line
      if (syntax.empty()) {
        (*all)[row] = {InOrder(kOps[row])};
      } else {
        (*all)[row] = absl::StrSplit(syntax, " | ");
      }
      ++row;
    }
    return all;
  }();
  return kPatterns[RowOf(op)];
}

}  // namespace eyrie::vm
