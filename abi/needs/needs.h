// The needs of a module, and whether this machine meets them: devices, formats
// of executables, other modules, parameters.
//
// No code of the module is run. Texts from the file are unescaped, except in
// sentences.
// Tested by abi/c/needs_test.cc, tools/inspect/report_test.cc.
#ifndef EYRIE_ABI_NEEDS_NEEDS_H_
#define EYRIE_ABI_NEEDS_NEEDS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "abi/needs/module_facts.h"
#include "absl/status/status.h"
#include "hal/driver.h"
#include "hal/executable_facts.h"
#include "vm/module/module_def.h"

namespace eyrie::abi {

// A requirement of the module, and whether this machine meets it.
struct Need {
  enum class Kind : uint8_t {
    kDevice,     // a name pattern: "vulkan*"
    kFormat,     // of executables
    kModule,     // another module's name
    kImport,     // a function that a host module lacks
    kParameters  // a scope
  };
  Kind kind;
  std::string name;
  std::vector<std::string> found;  // devices that meet it
  // If true, the module cannot run without it; otherwise it has an alternative.
  bool required = true;
  std::string detail;  // "12 keys, 3.4 MiB"; may be empty
};

struct ExecutableReport {
  std::string format;
  std::optional<uint32_t> rodata;
  std::string member;  // in the ZIP file; may be empty
  uint64_t bytes = 0;
  absl::Status readable;  // the reason if facts are empty
  hal::ExecutableFacts facts;
  std::vector<std::string> runs_on;  // devices
  std::string refused;               // why not on others: a sentence
};

struct Verdict {
  bool runs = false;
  std::vector<std::string> devices;  // any of which can run it
  std::vector<std::string> reasons;  // why it cannot run: sentences
  std::vector<std::string> notes;    // further requirements
};

struct ModuleNeeds {
  std::vector<Need> needs;
  std::vector<ExecutableReport> executables;  // each once
  std::vector<size_t> executable_of_use;      // by ModuleFacts::executables
  Verdict verdict;
};

// Reads the needs of a module with these facts. Opens the devices that it asks
// for with `options`.
ModuleNeeds ReadNeeds(const vm::ModuleDef& def, const ModuleFacts& facts,
                      const hal::DriverOptions& options);

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_NEEDS_NEEDS_H_
