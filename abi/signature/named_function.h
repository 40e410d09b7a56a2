// How messages name a function.
#ifndef EYRIE_ABI_SIGNATURE_NAMED_FUNCTION_H_
#define EYRIE_ABI_SIGNATURE_NAMED_FUNCTION_H_

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/plain_text.h"

namespace eyrie::abi {

// Returns "Function 'name'", with which a message begins. A module's names may
// have any characters.
inline std::string NamedFunction(absl::string_view name) {
  return absl::StrCat("Function '", PlainName(name), "'");
}

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_SIGNATURE_NAMED_FUNCTION_H_
