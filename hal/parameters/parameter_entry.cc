#include "hal/parameters/parameter_entry.h"

#include "absl/strings/str_cat.h"
#include "base/plain_text.h"

namespace eyrie::hal {

std::string QuotedName(absl::string_view name) {
  constexpr size_t kMaxShown = 200;
  return absl::StrCat("'", PlainText(name, kMaxShown), "'");
}

}  // namespace eyrie::hal
