// Facts about a module's use of devices, read from its bytecode: device
// queries, executables, dispatches, allocations, parameters and the call graph.
//
// No code is run. A field whose value is known only at run time is nullopt.
// Tested by module_facts_test.cc, inspect_test.txt.
#ifndef EYRIE_ABI_NEEDS_MODULE_FACTS_H_
#define EYRIE_ABI_NEEDS_MODULE_FACTS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "vm/module/verifier.h"

namespace eyrie::abi {

// The category of queries of a device for the formats of its executables.
inline constexpr char kFormatCategory[] = "hal.executable.format";

// The position of an instruction.
struct CodePlace {
  uint32_t function = 0;
  uint32_t offset = 0;

  friend auto operator<=>(const CodePlace&, const CodePlace&) = default;
};

// Calls from one function to another, or to an import.
struct CallEdge {
  uint32_t caller;
  uint32_t callee;
  bool import;
  uint32_t count;  // of call instructions
};

// A question about a device, such as hal.executable.format.
struct DeviceQuery {
  std::string category;
  std::string key;

  friend auto operator<=>(const DeviceQuery&, const DeviceQuery&) = default;
};

// An instruction that creates an executable.
struct ExecutableUse {
  CodePlace place;
  std::string format;              // empty: unknown
  std::optional<uint32_t> rodata;  // its bytes
};

// A buffer that a dispatch uses.
struct BindingUse {
  // Names a buffer within a function: equal for the same buffer. Empty:
  // unknown.
  std::string buffer;
  std::optional<int64_t> bytes;
};

struct DispatchUse {
  CodePlace place;
  std::optional<size_t> executable;  // which of ModuleFacts::executables
  // At most one of these is set.
  std::string kernel;
  std::optional<int64_t> ordinal;
  std::array<std::optional<int64_t>, 3> workgroups;  // nullopt: unknown
  bool indirect = false;
  uint32_t constants = 0;
  uint32_t bindings = 0;
  std::vector<BindingUse> buffers;  // of the bindings, or empty: unknown
};

struct AllocationUse {
  CodePlace place;
  std::optional<int64_t> bytes;
  bool transient;  // freed at the end of the call
};

// A parameter of a file, and the largest part of it that is read or written.
struct ParameterUse {
  std::string scope;
  std::string key;
  uint64_t bytes;  // minimum size in the file

  friend auto operator<=>(const ParameterUse&, const ParameterUse&) = default;
};

struct ModuleFacts {
  std::vector<CallEdge> calls;  // by caller, then callee, functions first
  std::set<DeviceQuery> queries;
  std::vector<ExecutableUse> executables;  // in the order of the code
  std::vector<DispatchUse> dispatches;
  std::vector<AllocationUse> allocations;
  std::vector<ParameterUse> parameters;  // each once, ascending
  std::set<uint32_t> rodata;             // constants that code refers to
  // Error messages in the code that name a device or an executable.
  std::vector<std::string> target_texts;
  // The number of places whose parameters are unknown.
  size_t unknown_parameters = 0;
  // The number of functions that are too large for value flow analysis.
  size_t unfollowed = 0;
};

ModuleFacts ReadModuleFacts(const vm::VerifiedModule& module);

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_NEEDS_MODULE_FACTS_H_
