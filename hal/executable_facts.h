// What an executable holds, as far as that is known without running any of it.
#ifndef EYRIE_HAL_EXECUTABLE_FACTS_H_
#define EYRIE_HAL_EXECUTABLE_FACTS_H_

#include <cstdint>
#include <string>
#include <vector>

namespace eyrie::hal {

// One export.
struct KernelFacts {
  std::string name;  // empty: not known
  uint32_t constant_count = 0;
  uint32_t binding_count = 0;
  uint32_t workgroup_size[3] = {1, 1, 1};
  uint32_t local_memory = 0;  // bytes of each workgroup
  std::string source;         // "model.mlir:12"; empty: not known
};

struct ExecutableFacts {
  std::string name;                  // empty: it has none
  std::vector<KernelFacts> kernels;  // by ordinal; empty: not known
  // What its code is made for: "avx2, fma", "Int64, Shader".
  std::string uses;
  // Of that, what it needs and this machine has not; empty: nothing.
  std::string lacks;
};

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_EXECUTABLE_FACTS_H_
