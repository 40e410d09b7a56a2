// The functions of a linker as VM modules, one for each module name.
//
// A call reads its arguments from the caller's frame into slots, calls the
// function, and writes its results to the frame. Numbers need no allocation.
// Tested by linker_test.cc, linker_hostile_test.cc.
#ifndef EYRIE_ABI_C_HOST_MODULE_H_
#define EYRIE_ABI_C_HOST_MODULE_H_

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "abi/c/host_call.h"
#include "abi/native/native_function.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "eyrie/c_linker.h"
#include "vm/module/module.h"

namespace eyrie::abi {

using HostRow = std::variant<std::shared_ptr<const HostFunction>,
                             std::shared_ptr<const native::NativeFunction>>;

// How the state of a module is created for each context.
struct HostState {
  eyrie_error_t* (*create)(void* user, void** out_state) = nullptr;
  void (*free)(void* state) = nullptr;
  std::shared_ptr<void> user;
};

// The functions of one module, by their names without the module's.
struct HostTable {
  std::map<std::string, HostRow, std::less<>> functions;
  HostState state;

  bool has_native() const;
};

// The modules of one context.
struct HostModuleSet {
  std::vector<std::shared_ptr<const vm::Module>> modules;
  // Set `context` when it exists.
  std::shared_ptr<HostServices> services;
};

}  // namespace eyrie::abi

struct eyrie_linker_t {
  std::atomic<uint32_t> references{1};
  // By module. Contexts share the tables, so a change copies one that is
  // shared.
  std::map<std::string, std::shared_ptr<eyrie::abi::HostTable>, std::less<>>
      tables;
  std::vector<std::string> names;  // "host.scale", ascending
  bool has_library = false;        // it has functions of a shared library

  // Adds a row. INVALID_ARGUMENT: the name is not "module.function".
  // ALREADY_EXISTS: it is defined.
  absl::Status Add(absl::string_view name, eyrie::abi::HostRow row);
  // Returns the module's table, which may be changed.
  eyrie::abi::HostTable& TableOf(absl::string_view module);

  // Creates the modules for a context. INVALID_ARGUMENT: there are native
  // functions and no device for their results. PERMISSION_DENIED: there is a
  // shared library, and a device does not allow native code.
  absl::StatusOr<eyrie::abi::HostModuleSet> CreateModules(
      const std::vector<eyrie::Ref<eyrie::hal::Device>>& devices,
      std::map<std::string, void*> native_data) const;
};

#endif  // EYRIE_ABI_C_HOST_MODULE_H_
