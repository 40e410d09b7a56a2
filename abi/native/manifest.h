// The manifest of a native library: its module name, types and functions.
//
//   {"module": "xffi",
//    "types": {"Counter": {"id": "CounterId", "info": "CounterInfo"}},
//    "functions": {"scale": {"convention": "xla_ffi", …}}}
//
// It is in the library's note or in a JSON file.
// Tested by manifest_test.cc, tests/fuzz/native_fuzz.cc.
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
  std::string id;    // symbol of a function that returns the id
  std::string info;  // the same for the info; may be empty
};

struct ManifestFunction {
  std::string convention;
  std::shared_ptr<const NativeDeclaration> declaration;
};

struct Manifest {
  std::string module;
  bool global = false;  // its symbols are visible to later libraries
  // The library may lack handlers of it, which another library may have.
  bool partial = false;
  std::map<std::string, ManifestType> types;
  std::map<std::string, ManifestFunction, std::less<>> functions;

  // Parses a manifest. INVALID_ARGUMENT: not JSON, or not a manifest; the
  // message says where.
  static absl::StatusOr<Manifest> Parse(absl::string_view text);

  // Returns one line per function, "xffi.scale: xla_ffi (…) -> (…)", without
  // control characters.
  std::string Describe() const;
};

// Reads a library's manifest without running its code. Uses the file `manifest`
// if not empty, else the library's note, else the JSON file next to the
// library, which has its name plus ".json". NOT_FOUND: there is none.
absl::StatusOr<Manifest> ReadManifest(const std::string& library,
                                      const std::string& manifest);

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_MANIFEST_H_
