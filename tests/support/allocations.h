// Counts what a test's process allocates, by operator new.
#ifndef EYRIE_TESTS_SUPPORT_ALLOCATIONS_H_
#define EYRIE_TESTS_SUPPORT_ALLOCATIONS_H_

#include <cstddef>

namespace eyrie::tests {

// How often operator new has been called so far, by any thread.
size_t Allocations();

}  // namespace eyrie::tests

#endif  // EYRIE_TESTS_SUPPORT_ALLOCATIONS_H_
