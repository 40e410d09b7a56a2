// The needs of a module, and whether this machine meets them.
//
//   auto needs = eyrie::ReadNeeds(*module);
//   if (!needs->runs_here) std::puts(needs->reasons[0].c_str());
#ifndef EYRIE_NEEDS_H_
#define EYRIE_NEEDS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "eyrie/c_needs.h"
#include "eyrie/device.h"
#include "eyrie/result.h"
#include "eyrie/runtime.h"

namespace eyrie {

struct Needs {
  // A device of this machine can run the module, provided that it gets what the
  // notes say.
  bool runs_here = false;
  std::vector<std::string> devices;   // names, any of which can run it
  std::vector<std::string> reasons;   // why it cannot run here: sentences
  std::vector<std::string> notes;     // what else it needs: sentences
  std::vector<std::string> patterns;  // of names of devices: "vulkan*"
  std::vector<std::string> formats;   // of executables; one of them suffices
  std::vector<std::string> modules;   // that it imports
  std::vector<std::string> scopes;    // of parameters; "" is one, too
};

// Reads the needs of a module without running its code. Opens the devices that
// it asks for, those of the CPU if it asks for none. Of the options, only
// allow_system_executables, isolate and no_native_code have an effect.
inline Result<Needs> ReadNeeds(const Module& module,
                               const DeviceOptions& choices = {}) {
  eyrie_device_options_t options = {};
  options.struct_size = sizeof(options);
  options.allow_system_executables = choices.allow_system_executables;
  options.no_native_code = choices.no_native_code;
  options.isolate = choices.isolate;
  const eyrie_needs_t* read = nullptr;
  if (eyrie_error_t* error =
          eyrie_needs_create(module.get(), &options, &read)) {
    return Error(error);
  }
  const auto list = [](const char* const* texts, size_t count) {
    return std::vector<std::string>(texts, texts + count);
  };
  Needs needs = {read->runs_here != 0,
                 list(read->devices, read->device_count),
                 list(read->reasons, read->reason_count),
                 list(read->notes, read->note_count),
                 list(read->patterns, read->pattern_count),
                 list(read->formats, read->format_count),
                 list(read->modules, read->module_count),
                 list(read->scopes, read->scope_count)};
  eyrie_needs_free(read);
  return needs;
}

}  // namespace eyrie

#endif  // EYRIE_NEEDS_H_
