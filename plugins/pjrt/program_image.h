// A compiled program: a module, and what PJRT must know of it.
//
// Its file is a .vmfb, a ZIP with one more member, "eyrie.pjrt.json":
//   {"version": 1, "name": "jit_f", "arguments": [{"shape": "4xf32",
//    "donated": true}], "results": [{"shape": "4xf32"}], "handlers": [],
//    "manifest": "", "reads_only": true}
// Other loaders ignore the member.
// Tested by hostile_test.cc, testing/formats_fuzz.cc.
#ifndef EYRIE_PLUGINS_PJRT_PROGRAM_IMAGE_H_
#define EYRIE_PLUGINS_PJRT_PROGRAM_IMAGE_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "plugins/pjrt/imports.h"
#include "plugins/pjrt/shape.h"

namespace eyrie::pjrt {

struct Interface {
  std::string name;
  std::vector<Shape> arguments;
  std::vector<Shape> results;
  std::vector<bool> donated;  // one for each argument
  Imports imports;
  // The program may change its arguments, so executions get copies of them.
  bool may_write = true;
};

// Returns the module with the note added, as a .vmfb. INVALID_ARGUMENT: the
// module is not a ZIP, or is damaged.
absl::StatusOr<std::string> WithNote(absl::string_view module,
                                     const Interface& interface);

// Reads the note of a .vmfb. NOT_FOUND: it has none. INVALID_ARGUMENT: it, or
// the file, is damaged. UNIMPLEMENTED: it is of a later version.
absl::StatusOr<Interface> ReadNote(absl::string_view file);

// Reads the text of a note. Fails as ReadNote does, but not with NOT_FOUND.
absl::StatusOr<Interface> ReadNoteText(absl::string_view text);

// Returns the interface of a function, as its signature has it.
// INVALID_ARGUMENT: an argument or a result has no known type and shape.
absl::StatusOr<Interface> InterfaceOf(const eyrie_signature_t& signature,
                                      absl::string_view name);

}  // namespace eyrie::pjrt

#endif  // EYRIE_PLUGINS_PJRT_PROGRAM_IMAGE_H_
