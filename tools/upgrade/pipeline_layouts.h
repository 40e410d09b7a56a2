// The arguments of kernels in modules that push constants and descriptor sets:
// those of releases before 20240828, whose executables do not declare them.
//
// Tested by upgrade_test.cc.
#ifndef EYRIE_TOOLS_UPGRADE_PIPELINE_LAYOUTS_H_
#define EYRIE_TOOLS_UPGRADE_PIPELINE_LAYOUTS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "abi/needs/module_facts.h"
#include "vm/flow/value_flow.h"
#include "vm/module/verifier.h"

namespace eyrie::tools {

struct KernelLayout {
  uint32_t constants = 0;
  // Pairs of set and binding, in the order of the kernel's arguments.
  std::vector<std::pair<uint32_t, uint32_t>> bindings;
};

class PipelineLayouts {
 public:
  // Follows the layouts from the calls that create them, through globals, to
  // those that create executables.
  static PipelineLayouts Read(const vm::VerifiedModule& module);

  // Returns the layouts of the kernels, by ordinal, of the executable that an
  // instruction creates. Null: they are unknown.
  const std::vector<KernelLayout>* Find(const abi::CodePlace& place) const;

  // Finds the layouts of the executable that a register's value in a function
  // refers to. If the module has only one executable, it must be that one.
  const std::vector<KernelLayout>* Find(
      uint32_t function, const std::optional<vm::KnownValue>& value) const;

 private:
  friend class LayoutReader;

  std::map<abi::CodePlace, std::vector<KernelLayout>> executables_;
  // The instruction whose result is in each global; nullopt if it varies.
  std::map<int64_t, std::optional<abi::CodePlace>> globals_;
};

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_UPGRADE_PIPELINE_LAYOUTS_H_
