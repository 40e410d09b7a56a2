#include "base/ref.h"

namespace eyrie {

// Here, and not where references are dropped, which is everywhere.
void RefObject::OnLastRef() { delete this; }

}  // namespace eyrie
