// Programs with custom calls, in the C API.
//
// Tested by tests/integration/native_runtime_test.cc.
#include "eyrie/c_program.h"

#include <memory>
#include <string>
#include <utility>

#include "abi/c/c_handles.h"
#include "abi/native/manifest.h"
#include "abi/native/xla/program.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"

struct eyrie_linked_program_t {
  eyrie::native::LinkedProgram program;
};

namespace abi = eyrie::abi;
namespace native = eyrie::native;

int eyrie_program_has_custom_calls(const char* text, size_t size) {
  return native::HasCustomCalls({text, size}) ? 1 : 0;
}

eyrie_error_t* eyrie_linked_program_create(
    const char* text, size_t size, const char* module,
    eyrie_linked_program_t** out_program) {
  auto linked = native::LinkProgram({text, size}, module);
  absl::Status status = linked.status();
  // Checks the module's name.
  if (status.ok()) status = native::Manifest::Parse(linked->manifest).status();
  if (!status.ok()) return abi::CreateError(status);
  *out_program = new eyrie_linked_program_t{*std::move(linked)};
  return nullptr;
}

void eyrie_linked_program_free(eyrie_linked_program_t* program) {
  delete program;
}

const char* eyrie_linked_program_text(const eyrie_linked_program_t* program) {
  return program->program.text.c_str();
}

const char* eyrie_linked_program_manifest(
    const eyrie_linked_program_t* program) {
  return program->program.manifest.c_str();
}

const char* eyrie_linked_program_target(const eyrie_linked_program_t* program,
                                        size_t index) {
  const auto& targets = program->program.targets;
  return index < targets.size() ? targets[index].c_str() : nullptr;
}
