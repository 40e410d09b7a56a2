// The needs of modules, of the C API.
//
// Tested by needs_test.cc.
#include "eyrie/c_needs.h"

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

namespace eyrie::abi {
namespace {

// A list of texts, and their addresses.
struct List {
  void Add(std::string text) { texts.push_back(std::move(text)); }
  void AddAll(std::vector<std::string> all) { texts = std::move(all); }
  void Show(const char* const*& out_texts, size_t& out_count) {
    for (const std::string& text : texts) addresses.push_back(text.c_str());
    out_texts = addresses.data();
    out_count = addresses.size();
  }

  std::vector<std::string> texts;
  std::vector<const char*> addresses;
};

struct OwnedNeeds : eyrie_needs_t {
  List devices, reasons, notes, patterns, formats, modules, scopes;
};

// Returns the list of a kind of need; null if there is none.
List* ListOf(Need::Kind kind, OwnedNeeds& needs) {
  switch (kind) {
    case Need::Kind::kDevice:
      return &needs.patterns;
    case Need::Kind::kFormat:
      return &needs.formats;
    case Need::Kind::kModule:
      return &needs.modules;
    case Need::Kind::kParameters:
      return &needs.scopes;
    case Need::Kind::kImport:  // it is a reason
      return nullptr;
  }
  return nullptr;
}

absl::Status Read(const eyrie_module_t& module,
                  const eyrie_device_options_t* options,
                  const eyrie_needs_t** out_needs) {
  ASSIGN_OR_RETURN(const DeviceSetup setup, DeviceSetupOf(options));
  const vm::VerifiedModule& verified = module.program->verified();
  const ModuleFacts facts = ReadModuleFacts(verified);
  ModuleNeeds read = ReadNeeds(verified.def(), facts, setup.driver);
  auto needs = std::make_unique<OwnedNeeds>();
  eyrie_needs_t& shown = *needs;
  shown.struct_size = sizeof(shown);
  shown.runs_here = read.verdict.runs ? 1 : 0;
  shown.reserved = 0;
  needs->devices.AddAll(std::move(read.verdict.devices));
  needs->reasons.AddAll(std::move(read.verdict.reasons));
  needs->notes.AddAll(std::move(read.verdict.notes));
  for (const Need& need : read.needs) {
    List* const list = ListOf(need.kind, *needs);
    if (list != nullptr) list->Add(PlainName(need.name));
  }
  needs->devices.Show(shown.devices, shown.device_count);
  needs->reasons.Show(shown.reasons, shown.reason_count);
  needs->notes.Show(shown.notes, shown.note_count);
  needs->patterns.Show(shown.patterns, shown.pattern_count);
  needs->formats.Show(shown.formats, shown.format_count);
  needs->modules.Show(shown.modules, shown.module_count);
  needs->scopes.Show(shown.scopes, shown.scope_count);
  *out_needs = needs.release();
  return absl::OkStatus();
}

}  // namespace
}  // namespace eyrie::abi

namespace abi = eyrie::abi;

eyrie_error_t* eyrie_needs_create(const eyrie_module_t* module,
                                  const eyrie_device_options_t* options,
                                  const eyrie_needs_t** out_needs) {
  return abi::CreateError(abi::Read(*module, options, out_needs));
}

void eyrie_needs_free(const eyrie_needs_t* needs) {
  delete static_cast<const abi::OwnedNeeds*>(needs);
}
