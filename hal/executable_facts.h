// A description of an executable, found without running any of it.
#ifndef EYRIE_HAL_EXECUTABLE_FACTS_H_
#define EYRIE_HAL_EXECUTABLE_FACTS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace eyrie::hal {

// One export.
struct KernelFacts {
  std::string name;  // empty if unknown
  // Nullopt if the executable does not declare them.
  std::optional<uint32_t> constant_count;
  std::optional<uint32_t> binding_count;
  uint32_t workgroup_size[3] = {1, 1, 1};
  uint32_t local_memory = 0;  // bytes per workgroup
  std::string source;         // "model.mlir:12"; empty if unknown
};

struct ExecutableFacts {
  std::string name;                  // empty if it has none
  std::vector<KernelFacts> kernels;  // by ordinal; empty if unknown
  // The features that its code uses: "avx2, fma", "Int64, Shader".
  std::string uses;
  // The required features that this machine lacks; empty if none.
  std::string lacks;
  // Why an isolated worker refuses it; empty: it does not.
  std::string not_isolated;
};

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_EXECUTABLE_FACTS_H_
