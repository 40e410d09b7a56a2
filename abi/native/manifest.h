// What a native library offers: a module's name, types, functions.
//
//   {"module": "xffi",
//    "types": {"Counter": {"id": "CounterId", "info": "CounterInfo"}},
//    "functions": {"scale": {"convention": "xla_ffi", …}}}
// From the library's own note, or from a JSON file that is named.
// Tested by manifest_test.cc, native_fuzz.cc.
#ifndef EYRIE_ABI_NATIVE_MANIFEST_H_
#define EYRIE_ABI_NATIVE_MANIFEST_H_

#include <map>
#include <memory>
#include <string>

#include "abi/native/native_function.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace eyrie::native {

struct ManifestType {
  std::string id;    // the symbol of a function that gives the type's id
  std::string info;  // the same of its info; may be empty
};

struct ManifestFunction {
  std::string convention;
  std::shared_ptr<const NativeDeclaration> declaration;
};

struct Manifest {
  std::string module;
  bool global = false;  // its symbols serve libraries that are opened later
  std::map<std::string, ManifestType> types;
  std::map<std::string, ManifestFunction, std::less<>> functions;

  // INVALID_ARGUMENT: not JSON, or not a manifest; the sentence says where.
  static absl::StatusOr<Manifest> Parse(absl::string_view text);

  // One line for each function, "xffi.scale: xla_ffi (…) -> (…)", without
  // control characters.
  std::string Describe() const;
};

// The manifest of a library: its note, or else the JSON file beside it, of the
// library's name and ".json", or one that is named, which goes first. Runs no
// code. NOT_FOUND: there is none.
absl::StatusOr<Manifest> ReadManifest(const std::string& library,
                                      const std::string& manifest);

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_MANIFEST_H_
