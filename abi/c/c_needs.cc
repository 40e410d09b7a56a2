// The needs of modules, of the C API.
//
// Tested by needs_test.cc.
#include "eyrie/c_needs.h"

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "abi/c/c_handles.h"
#include "abi/c/c_options.h"
#include "abi/needs/module_facts.h"
#include "abi/needs/needs.h"
#include "absl/status/status.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "vm/module/module_def.h"

struct eyrie_needs_t {
  bool runs_here = false;
  std::array<std::vector<std::string>, EYRIE_NEEDS_SCOPES + 1> lists;
};

namespace eyrie::abi {
namespace {

using List = std::vector<std::string>;

// Returns the list of a kind of need; null if there is none.
List* ListOf(Need::Kind kind, eyrie_needs_t& needs) {
  switch (kind) {
    case Need::Kind::kDevice:
      return &needs.lists[EYRIE_NEEDS_PATTERNS];
    case Need::Kind::kFormat:
      return &needs.lists[EYRIE_NEEDS_FORMATS];
    case Need::Kind::kModule:
      return &needs.lists[EYRIE_NEEDS_MODULES];
    case Need::Kind::kParameters:
      return &needs.lists[EYRIE_NEEDS_SCOPES];
    case Need::Kind::kImport:  // it is a reason
      return nullptr;
  }
  return nullptr;
}

absl::Status Read(const eyrie_module_t& module,
                  const eyrie_device_options_t* options,
                  eyrie_needs_t** out_needs) {
  ASSIGN_OR_RETURN(const DeviceSetup setup, DeviceSetupOf(options));
  const vm::VerifiedModule& verified = module.program->verified();
  const ModuleFacts facts = ReadModuleFacts(verified);
  ModuleNeeds read = ReadNeeds(verified.def(), facts, setup.driver);
  auto needs = std::make_unique<eyrie_needs_t>();
  needs->runs_here = read.verdict.runs;
  needs->lists[EYRIE_NEEDS_DEVICES] = std::move(read.verdict.devices);
  needs->lists[EYRIE_NEEDS_REASONS] = std::move(read.verdict.reasons);
  needs->lists[EYRIE_NEEDS_NOTES] = std::move(read.verdict.notes);
  for (const Need& need : read.needs) {
    List* const list = ListOf(need.kind, *needs);
    if (list != nullptr) list->push_back(PlainName(need.name));
  }
  *out_needs = needs.release();
  return absl::OkStatus();
}

const List* At(const eyrie_needs_t& needs, int list) {
  const bool known = list >= 0 && list <= EYRIE_NEEDS_SCOPES;
  return known ? &needs.lists[static_cast<size_t>(list)] : nullptr;
}

}  // namespace
}  // namespace eyrie::abi

namespace abi = eyrie::abi;

eyrie_error_t* eyrie_needs_create(const eyrie_module_t* module,
                                  const eyrie_device_options_t* options,
                                  eyrie_needs_t** out_needs) {
  return abi::CreateError(abi::Read(*module, options, out_needs));
}

void eyrie_needs_free(eyrie_needs_t* needs) { delete needs; }

int eyrie_needs_runs_here(const eyrie_needs_t* needs) {
  return needs->runs_here ? 1 : 0;
}

size_t eyrie_needs_count(const eyrie_needs_t* needs, eyrie_needs_list_t list) {
  const auto* const texts = abi::At(*needs, list);
  return texts != nullptr ? texts->size() : 0;
}

const char* eyrie_needs_text(const eyrie_needs_t* needs,
                             eyrie_needs_list_t list, size_t index) {
  const auto* const texts = abi::At(*needs, list);
  return texts != nullptr && index < texts->size() ? (*texts)[index].c_str()
                                                   : nullptr;
}
