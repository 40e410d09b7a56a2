// The imports that the custom calls of a program have become.
// Tested by python/jax_plugin_test.py.
#ifndef EYRIE_PLUGINS_PJRT_IMPORTS_H_
#define EYRIE_PLUGINS_PJRT_IMPORTS_H_

#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "plugins/pjrt/compiler/custom_call_text.h"

namespace eyrie::pjrt {

struct Imports {
  // Which handler of XLA FFI each of xla.call0, xla.call1 and so on calls, with
  // its attributes (docs/native.md). "" if there are none.
  std::string manifest;
  std::set<std::string> handlers;  // their names
};

// Fails as eyrie_linked_program_create does.
absl::StatusOr<Imports> ImportsOf(const std::vector<CustomCall>& calls);

}  // namespace eyrie::pjrt

#endif  // EYRIE_PLUGINS_PJRT_IMPORTS_H_
