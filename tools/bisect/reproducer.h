// Writes a folder with which a finding can be reproduced, also by the public
// runtimes of the modules' releases: the dispatch as a module of each side, its
// inputs, the results of both sides, and a README.md with the commands.
//
// Tested by bisect_test.txt.
#ifndef EYRIE_TOOLS_BISECT_REPRODUCER_H_
#define EYRIE_TOOLS_BISECT_REPRODUCER_H_

#include <string>

#include "absl/status/status.h"
#include "tools/bisect/finding.h"
#include "tools/bisect/side.h"

namespace eyrie::tools {

// Writes the folder for the first finding. Memory that the dispatch only reads
// is cut after the last byte that it needs. Runs both modules first.
// FAILED_PRECONDITION: they do not compute what the sides computed, or the
// memory was too large to be kept. ALREADY_EXISTS: the folder is not empty.
// Otherwise fails as WriteDispatchModule and FileWriter do.
absl::Status WriteReproducer(const std::string& folder, Side& good, Side& bad,
                             const Comparison& comparison);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_BISECT_REPRODUCER_H_
