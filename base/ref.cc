#include "base/ref.h"

namespace eyrie {

// Not inline, to keep the many places that drop references small.
void RefObject::OnLastRef() { delete this; }

}  // namespace eyrie
