// Module files whose tables name one text many times. The files are small, but
// printing or copying each name needs much memory.
#ifndef EYRIE_TESTS_SUPPORT_SHARED_MODULE_H_
#define EYRIE_TESTS_SUPPORT_SHARED_MODULE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace eyrie::tests {

// The part of the module that names the text. All entries of a list are one
// shared table, so each entry adds only 4 bytes to the file.
enum class SharedPart : uint8_t {
  kNone,
  kModuleName,  // once; output with the module's name repeats it
  kAttributes,  // values of the module's attributes
  kKeys,        // the same, each with its own key
  kTypes,       // "!" and the text
  kDependencies,
  kImports,           // "m." and the text
  kImportAttributes,  // one list of `count` attributes in `count` imports
  kExports,
  kFunctionAttributes,  // one list of `count` attributes in `count` functions
  kReflection,          // one attribute of `count` functions
  kConventions,
  kFunctionNames,  // of the debug database
  kFiles,          // of its locations
  kLocationNames,
  kFusedMetadata,
  kFusedPlaces,  // one list of `count` places in `count` locations
};

struct SharedModule {
  SharedPart part = SharedPart::kNone;
  // The shared text. For kReflection it is the value of "iree.abi".
  std::string text;
  size_t count = 1;
  // Number of calls in function 0: of itself, and of import 0 if it exists.
  size_t calls = 0;

  // Returns the bare FlatBuffer.
  std::vector<uint8_t> Build() const;
};

}  // namespace eyrie::tests

#endif  // EYRIE_TESTS_SUPPORT_SHARED_MODULE_H_
