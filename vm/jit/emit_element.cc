#include "vm/jit/emit_element.h"

#include "vm/jit/machine_code.h"
#include "vm/jit/references.h"
#include "vm/jit/views.h"

namespace eyrie::vm::jit {
namespace {

class ElementEmitter : public References {
 public:
  ElementEmitter(Assembly& code, const Checks& checks)
      : References(code), checks_(checks) {}

  bool Emit();

 private:
  // Accesses an element of a view, or of any object. Those of an object have
  // their count in register 2 and their address in register 0.
  void EmitViewed(const View& view);
  void EmitObject(const Element& element);

  const Checks& checks_;
};

bool ElementEmitter::Emit() {
  const Element element = ElementOf(current());
  if (element.of == Element::Of::kNone) return false;
  const View* const view = ViewOf(code_.views(), element, code_.place().block);
  if (view != nullptr) {
    EmitViewed(*view);
  } else {
    EmitObject(element);
  }
  return true;
}

void ElementEmitter::EmitViewed(const View& view) {
  const uint8_t data = homes()[view.data_web].reg;
  const uint8_t count = homes()[view.count_web].reg;
  const uint32_t shift = view.element.shift;
  if (checks_.IsSpared(number()) && !code_.again()) {
    return AccessElement(code_, data, shift);
  }
  const Slow slow = code_.AddSlow(Slow::Kind::kStep);
  AccessElement(code_, data, shift, count, slow.entry);
  Bind(slow.back);
}

void ElementEmitter::EmitObject(const Element& element) {
  const Slow slow = code_.AddSlow(Slow::Kind::kStep);
  LoadElements(element, /*data=*/0, /*count=*/2, slow.entry);
  AccessElement(code_, /*data=*/0, element.shift, /*count=*/2, slow.entry);
  Bind(slow.back);
}

}  // namespace

bool EmitElement(Assembly& code, const Checks& checks) {
  return ElementEmitter(code, checks).Emit();
}

}  // namespace eyrie::vm::jit
