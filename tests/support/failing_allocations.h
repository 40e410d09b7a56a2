// Makes allocations of a test's process fail.
//
// Replaces all forms of operator new. Also replaces malloc and its variants,
// unless a sanitizer has replaced them.
#ifndef EYRIE_TESTS_SUPPORT_FAILING_ALLOCATIONS_H_
#define EYRIE_TESTS_SUPPORT_FAILING_ALLOCATIONS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"

namespace eyrie::tests {

// While this object lives, the `nth` allocation of at least `least` bytes by
// any thread fails, counted from 1. With `onwards`, all later ones fail, too.
// Only one object may exist at a time.
class FailingAllocations {
 public:
  FailingAllocations(size_t least, uint64_t nth, bool onwards);
  FailingAllocations(const FailingAllocations&) = delete;
  FailingAllocations& operator=(const FailingAllocations&) = delete;
  ~FailingAllocations();

  // Returns the number of failed allocations.
  uint64_t failed() const;
};

// An operation that is repeated while its allocations fail.
struct MemoryRow {
  std::string name;
  std::function<absl::Status()> attempt;
  uint64_t least = 1;  // minimum number of allocations of kSmallBytes or more
};

// Fails each allocation of kSmallBytes or more, once alone and once with all
// later ones. Each attempt must succeed or return RESOURCE_EXHAUSTED, and must
// succeed afterwards. Prints the number of allocations of each row.
void FailEach(const std::vector<MemoryRow>& rows);

}  // namespace eyrie::tests

#endif  // EYRIE_TESTS_SUPPORT_FAILING_ALLOCATIONS_H_
