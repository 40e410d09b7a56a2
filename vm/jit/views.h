// Buffers and lists whose place and length stay in registers over a loop.
//
// A view is of one register of references, which nothing in the loop writes.
// It is read where the loop is entered, and again behind whatever may change
// the object: calls and steps. An object that a view does not suit (null, of
// another type, read-only) is one of no elements: the interpreter's body sees
// to it, as with an index out of bounds.
// Tested by views_test.cc, tests/vm/rows_test.cc, tests/oracle.
#ifndef EYRIE_VM_JIT_VIEWS_H_
#define EYRIE_VM_JIT_VIEWS_H_

#include <cstdint>
#include <vector>

#include "vm/jit/program.h"
#include "vm/jit/webs.h"
#include "vm/object/list.h"

namespace eyrie::vm::jit {

// An element that an instruction reads or writes.
struct Element {
  enum class Of : uint8_t { kNone, kBuffer, kList };
  Of of = Of::kNone;
  uint8_t shift = 0;  // of its width in bytes
  bool stores = false;
  ElementType::Kind kind = ElementType::Kind::kVariant;  // of lists
  uint16_t ref = 0;

  // True if one view serves both.
  bool Like(const Element& other) const {
    return of == other.of && shift == other.shift && kind == other.kind &&
           ref == other.ref;
  }
};
Element ElementOf(const Instruction& instruction);

struct View {
  Element element;     // `stores` if any is stored to
  uint32_t head;       // the block that the loop is entered by
  uint32_t last;       // block of it
  uint32_t count_web;  // elements
  uint32_t data_web;   // address of the first
};

// Of an element that an instruction of a block reads or writes; null: there is
// none.
const View* ViewOf(const std::vector<View>& views, const Element& element,
                   uint32_t block);

// Adds the views' webs to the others.
std::vector<View> FindViews(const Program& program, Webs& webs);

}  // namespace eyrie::vm::jit

#endif  // EYRIE_VM_JIT_VIEWS_H_
