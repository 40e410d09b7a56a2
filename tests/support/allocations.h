// Counts a test process's allocations by operator new.
#ifndef EYRIE_TESTS_SUPPORT_ALLOCATIONS_H_
#define EYRIE_TESTS_SUPPORT_ALLOCATIONS_H_

#include <cstddef>

namespace eyrie::tests {

// Returns the number of calls of operator new so far, by any thread.
size_t Allocations();

}  // namespace eyrie::tests

#endif  // EYRIE_TESTS_SUPPORT_ALLOCATIONS_H_
