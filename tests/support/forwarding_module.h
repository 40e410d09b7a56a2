// Modules whose function passes its arguments on to an import. Only tests use
// this.
#ifndef EYRIE_TESTS_SUPPORT_FORWARDING_MODULE_H_
#define EYRIE_TESTS_SUPPORT_FORWARDING_MODULE_H_

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "eyrie/runtime.h"
#include "tests/support/module_builder.h"
#include "vm/isa/callconv.h"
#include "vm/isa/value.h"

namespace eyrie {

// Adds a function "f" with the import's calling convention, "0fi_f", that calls
// it. `declaration` is the function's, such as "sync func @f(%a: f32) -> f32".
inline void AddForwarding(tests::ModuleBuilder& module,
                          const std::string& import,
                          const std::string& convention,
                          const std::string& declaration = "",
                          const std::string& name = "f") {
  const uint32_t ordinal = module.AddImport(import, convention);
  const size_t middle = convention.find('_');
  vm::RegisterCounts registers;
  std::string arguments;
  std::string results;
  for (size_t i = 1; i < convention.size(); ++i) {
    const std::optional<vm::ValueType> type = vm::ValueTypeOf(convention[i]);
    if (!type.has_value()) continue;  // '_' or 'v'
    absl::StrAppend(i < middle ? &arguments : &results,
                    *type == vm::ValueType::kRef ? "r" : "i",
                    registers.Add(*type), " ");
  }
  auto& function = module.AddFunction(
      name, convention,
      absl::StrCat("entry: call #", ordinal, " [", arguments, "] [", results,
                   "] return [", results, "]"));
  if (!declaration.empty()) {
    function.attributes.emplace_back("iree.abi.declaration", declaration);
  }
}

inline Module Loaded(const tests::ModuleBuilder& module) {
  const std::vector<uint8_t> bytes = module.Build();
  auto loaded = Module::Load(std::as_bytes(std::span(bytes)));
  if (!loaded) std::abort();
  return *loaded;
}

inline Module Forwarding(const std::string& import,
                         const std::string& convention,
                         const std::string& declaration = "") {
  tests::ModuleBuilder module;
  AddForwarding(module, import, convention, declaration);
  return Loaded(module);
}

// Calls "f" of a module that forwards to "host.f".
inline Result<std::vector<Value>> CallForwarded(
    const Linker& linker, const std::string& convention,
    const std::string& declaration, const std::vector<Value>& arguments,
    Jit jit = Jit::kLazy) {
  auto context = Context::Create(*Device::Open("local-sync", {.jit = jit}),
                                 Forwarding("host.f", convention, declaration),
                                 {.linker = &linker});
  if (!context) return context.error();
  return context->Call("f", arguments);
}

}  // namespace eyrie

#endif  // EYRIE_TESTS_SUPPORT_FORWARDING_MODULE_H_
