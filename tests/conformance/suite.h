// Conformance suites of the VM: assembly files. Their exported functions
// without arguments are the cases. A case passes if it returns. A case named
// "fail_…" passes if it fails.
//
// Tested by suite_test.cc.
#ifndef EYRIE_TESTS_CONFORMANCE_SUITE_H_
#define EYRIE_TESTS_CONFORMANCE_SUITE_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "vm/module/verifier.h"
#include "vm/run/compiled.h"

namespace eyrie::tests {

struct CaseResult {
  std::string name;
  absl::Status outcome;
  bool passed = false;
};

// A file's module, assembled and verified.
struct Suite {
  std::string path;
  std::shared_ptr<const vm::VerifiedModule> module;

  // Returns exports without arguments, except those that begin with "__".
  std::vector<std::string> CaseNames() const;
  // Returns the number of exports that are not cases because they take
  // arguments.
  size_t skipped() const;
};

// Returns the path itself, or the .vmasm files of a folder, sorted. NOT_FOUND:
// there are none.
absl::StatusOr<std::vector<std::string>> ListSuites(const std::string& path);

// Returns the errors of reading the file and of the assembler.
absl::StatusOr<Suite> LoadSuite(const std::string& path);

// Runs each case in its own context, and resumes it when it yields, for at most
// ten seconds. If `jit` is given, runs the machine code that it compiles.
// Modules may import the functions that upstream's suites use:
//   yieldable_test.yield_n             0ii_i      a, n: yields n times; a + n
//   yieldable_test.yield_variadic_sum  0CiDi_i    a..., n: the same; sum + n
absl::StatusOr<std::vector<CaseResult>> RunSuite(
    const Suite& suite, const std::shared_ptr<const vm::Jit>& jit = nullptr);

}  // namespace eyrie::tests

#endif  // EYRIE_TESTS_CONFORMANCE_SUITE_H_
