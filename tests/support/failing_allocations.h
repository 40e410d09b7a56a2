// Makes allocations of a test's process fail.
//
// operator new is replaced in all its forms; malloc and its kin too, unless a
// sanitizer has replaced them already.
#ifndef EYRIE_TESTS_SUPPORT_FAILING_ALLOCATIONS_H_
#define EYRIE_TESTS_SUPPORT_FAILING_ALLOCATIONS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"

namespace eyrie::tests {

// While it lives, the `nth` allocation of at least `least` bytes by any thread
// fails, counted from 1; with `onwards` those after it fail, too. One at a
// time.
class FailingAllocations {
 public:
  FailingAllocations(size_t least, uint64_t nth, bool onwards);
  FailingAllocations(const FailingAllocations&) = delete;
  FailingAllocations& operator=(const FailingAllocations&) = delete;
  ~FailingAllocations();

  // How many have failed so far.
  uint64_t failed() const;
};

// Something that is done again and again, and what of it may fail.
struct MemoryRow {
  std::string name;
  std::function<absl::Status()> attempt;
  uint64_t least = 1;  // allocations of kSmallBytes or more, at least
};

// Fails each allocation of kSmallBytes or more, once alone and once with all
// that follow it. An attempt must then succeed or be RESOURCE_EXHAUSTED, and
// must succeed afterwards. Prints how many allocations each row has.
void FailEach(const std::vector<MemoryRow>& rows);

}  // namespace eyrie::tests

#endif  // EYRIE_TESTS_SUPPORT_FAILING_ALLOCATIONS_H_
