// Programs with custom calls, such as JAX's with jax.ffi, for iree-compile.
//
//   auto program = eyrie::LinkedProgram::Create(text);
//   Use(program->text());  // compile it with iree-compile
//   auto library = eyrie::NativeLibrary::OpenText("k.so",
//                                                 program->manifest());
#ifndef EYRIE_LINKED_PROGRAM_H_
#define EYRIE_LINKED_PROGRAM_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "eyrie/c_program.h"
#include "eyrie/result.h"

namespace eyrie {

class LinkedProgram {
 public:
  // Reports whether a program has custom calls, or a comment that names them.
  // If it has none, Create fails.
  static bool HasCustomCalls(std::string_view text) {
    return eyrie_program_has_custom_calls(text.data(), text.size()) != 0;
  }

  // Turns each stablehlo.custom_call of a program in MLIR's text into a call of
  // an import of `module`. Returns the errors of eyrie_linked_program_create.
  static Result<LinkedProgram> Create(std::string_view text,
                                      const std::string& module = "xla") {
    const eyrie_linked_program_t* handle = nullptr;
    if (eyrie_error_t* error = eyrie_linked_program_create(
            text.data(), text.size(), module.c_str(), &handle)) {
      return Error(error);
    }
    return LinkedProgram(handle);
  }

  // Returns the program with imports, for a compiler.
  std::string text() const { return handle_->text; }
  // Returns the manifest of the imports, for libraries that have the handlers.
  std::string manifest() const { return handle_->manifest; }
  // Returns the names of the handlers that the program calls.
  std::vector<std::string> targets() const {
    return {handle_->targets, handle_->targets + handle_->target_count};
  }

 private:
  struct Free {
    void operator()(const eyrie_linked_program_t* program) const {
      eyrie_linked_program_free(program);
    }
  };

  explicit LinkedProgram(const eyrie_linked_program_t* handle)
      : handle_(handle) {}
  std::unique_ptr<const eyrie_linked_program_t, Free> handle_;
};

}  // namespace eyrie

#endif  // EYRIE_LINKED_PROGRAM_H_
