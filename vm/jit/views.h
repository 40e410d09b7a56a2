// Buffers and lists whose data and size stay in registers during a loop.
//
// A view belongs to one reference register that the loop does not write. It is
// read when the loop is entered, and again after anything that may change the
// object: calls and steps. If the object is unsuitable (null, of another type,
// read-only), the view has no elements; the interpreter's body then handles the
// access, as it does an index out of bounds. Without views, loops over buffers
// and lists take 2.2 to 3.5 times as long, a matrix product of VMVX 1.16 times.
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
  uint8_t shift = 0;  // log2 of its width in bytes
  bool stores = false;
  ElementType::Kind kind = ElementType::Kind::kVariant;  // for lists
  uint16_t ref = 0;

  // Reports whether the same view serves both.
  bool SharesView(const Element& other) const {
    return of == other.of && shift == other.shift && kind == other.kind &&
           ref == other.ref;
  }
};
Element ElementOf(const Instruction& instruction);

struct View {
  Element element;     // `stores` if any access stores
  uint32_t head;       // first block of the loop
  uint32_t last;       // last block of the loop
  uint32_t count_web;  // number of elements
  uint32_t data_web;   // address of the first element
};

// Returns the view of an element that an instruction in `block` accesses, or
// null.
const View* ViewOf(const std::vector<View>& views, const Element& element,
                   uint32_t block);

// Finds views and adds their webs. Finds fewer if the compiler must stop.
std::vector<View> FindViews(const Program& program, Webs& webs, Looks& looks);

}  // namespace eyrie::vm::jit

#endif  // EYRIE_VM_JIT_VIEWS_H_
