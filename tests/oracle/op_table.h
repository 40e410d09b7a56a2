// Maps each instruction to a value, from rows for some of them.
#ifndef EYRIE_TESTS_ORACLE_OP_TABLE_H_
#define EYRIE_TESTS_ORACLE_OP_TABLE_H_

#include <array>
#include <cstddef>

#include "vm/isa/opcode.h"

namespace eyrie::tests {

template <typename Value>
class OpTable {
 public:
  struct Row {
    vm::Op op;
    Value value;
  };

  template <size_t kCount>
  explicit OpTable(const Row (&rows)[kCount]) {
    for (const Row& row : rows) values_[IndexOf(row.op)] = row.value;
  }

  // Returns the value, or a default value if no row names the instruction.
  const Value& operator[](vm::Op op) const { return values_[IndexOf(op)]; }

 private:
  static size_t IndexOf(vm::Op op) { return vm::RowOf(vm::InfoOf(op)); }

  std::array<Value, vm::kOpCount> values_ = {};
};

}  // namespace eyrie::tests

#endif  // EYRIE_TESTS_ORACLE_OP_TABLE_H_
