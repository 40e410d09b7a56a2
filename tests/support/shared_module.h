// Module files whose tables name one text many times: small, and large once
// each name is printed or copied.
#ifndef EYRIE_TESTS_SUPPORT_SHARED_MODULE_H_
#define EYRIE_TESTS_SUPPORT_SHARED_MODULE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace eyrie::tests {

// Which part of the module names the text. Every entry of a list is one shared
// table, so an entry costs the file 4 bytes.
enum class SharedPart : uint8_t {
  kNone,
  kModuleName,  // once; what says the module's name repeats it
  kAttributes,  // values of the module's attributes
  kKeys,        // the same, with a key of each its own
  kTypes,       // "!" and the text
  kDependencies,
  kImports,           // "m." and the text
  kImportAttributes,  // one list of `count` attributes, of `count` imports
  kExports,
  kFunctionAttributes,  // one list of `count` attributes, of `count` functions
  kReflection,          // one attribute of `count` functions
  kConventions,
  kFunctionNames,  // of the debug database
  kFiles,          // of its locations
  kLocationNames,
  kFusedMetadata,
  kFusedPlaces,  // one list of `count` places, of `count` locations
};

struct SharedModule {
  SharedPart part = SharedPart::kNone;
  // What is shared. kReflection has it as the value of "iree.abi".
  std::string text;
  size_t count = 1;
  // Calls of function 0 that function 0 has, and of import 0 where there is
  // one.
  size_t calls = 0;

  // The bare FlatBuffer.
  std::vector<uint8_t> Build() const;
};

}  // namespace eyrie::tests

#endif  // EYRIE_TESTS_SUPPORT_SHARED_MODULE_H_
