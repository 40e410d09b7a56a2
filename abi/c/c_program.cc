// Programs with custom calls, in the C API.
//
// Tested by tests/integration/native_runtime_test.cc.
#include "eyrie/c_program.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "abi/c/c_handles.h"
#include "abi/native/manifest.h"
#include "abi/native/xla/program.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace eyrie::abi {
namespace {

struct OwnedProgram : eyrie_linked_program_t {
  native::LinkedProgram program;
  std::vector<const char*> addresses;
};

}  // namespace
}  // namespace eyrie::abi

namespace abi = eyrie::abi;
namespace native = eyrie::native;

int eyrie_program_has_custom_calls(const char* text, size_t size) {
  return native::HasCustomCalls({text, size}) ? 1 : 0;
}

eyrie_error_t* eyrie_linked_program_create(
    const char* text, size_t size, const char* module,
    const eyrie_linked_program_t** out_program) {
  auto linked = native::LinkProgram({text, size}, module);
  absl::Status status = linked.status();
  // Checks the module's name.
  if (status.ok()) status = native::Manifest::Parse(linked->manifest).status();
  if (!status.ok()) return abi::CreateError(status);
  auto program = std::make_unique<abi::OwnedProgram>();
  program->program = *std::move(linked);
  for (const std::string& target : program->program.targets) {
    program->addresses.push_back(target.c_str());
  }
  program->struct_size = sizeof(eyrie_linked_program_t);
  program->text = program->program.text.c_str();
  program->manifest = program->program.manifest.c_str();
  program->targets = program->addresses.data();
  program->target_count = program->addresses.size();
  *out_program = program.release();
  return nullptr;
}

void eyrie_linked_program_free(const eyrie_linked_program_t* program) {
  delete static_cast<const abi::OwnedProgram*>(program);
}
