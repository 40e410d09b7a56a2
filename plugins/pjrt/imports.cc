// Makes the manifest of imports: each custom call is written as StableHLO, and
// linked as a program of its own.
#include "plugins/pjrt/imports.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "eyrie/c_program.h"
#include "plugins/pjrt/error.h"
#include "plugins/pjrt/owned.h"

namespace eyrie::pjrt {
namespace {

using LinkedProgram =
    Owned<const eyrie_linked_program_t, eyrie_linked_program_free>;

// Returns the program "%0:2 = stablehlo.custom_call @…(%a0, %a1) {…} : …".
std::string ProgramOf(const CustomCall& call) {
  std::string names;
  for (size_t i = 0; i < call.operand_count; ++i) {
    absl::StrAppend(&names, i == 0 ? "%a" : ", %a", i);
  }
  const std::string result =
      call.result_count == 0 ? ""
                             : absl::StrCat("%0:", call.result_count, " = ");
  return absl::StrCat("module {\n  func.func @main() {\n    ",
                      call.result_count == 1 ? "%0 = " : result,
                      "stablehlo.custom_call @", call.target, "(", names, ") {",
                      call.attributes, "} : (", call.operands, ") -> (",
                      call.results, ")\n    return\n  }\n}\n");
}

// Returns the description of the one function in a manifest: "{…}".
absl::string_view FunctionIn(absl::string_view manifest) {
  const size_t functions = manifest.find("\"functions\"");
  const size_t begin = manifest.find("{\"convention\"", functions);
  if (begin == absl::string_view::npos) return {};
  return manifest.substr(begin, manifest.find('\n', begin) - begin);
}

}  // namespace

absl::StatusOr<Imports> ImportsOf(const std::vector<CustomCall>& calls) {
  Imports imports;
  if (calls.empty()) return imports;
  imports.manifest =
      "{\n  \"module\": \"xla\",\n  \"partial\": true,\n  \"functions\": {\n";
  for (size_t i = 0; i < calls.size(); ++i) {
    const std::string text = ProgramOf(calls[i]);
    const eyrie_linked_program_t* program = nullptr;
    RETURN_IF_ERROR(Taken(eyrie_linked_program_create(text.data(), text.size(),
                                                      "xla", &program)));
    const LinkedProgram owned(program);
    absl::StrAppend(&imports.manifest, i == 0 ? "" : ",\n", "    \"call", i,
                    "\": ", FunctionIn(program->manifest));
    for (size_t j = 0; j < program->target_count; ++j) {
      imports.handlers.insert(program->targets[j]);
    }
  }
  absl::StrAppend(&imports.manifest, "\n  }\n}\n");
  return imports;
}

}  // namespace eyrie::pjrt
