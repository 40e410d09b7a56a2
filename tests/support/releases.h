// The releases of the compiler that tests use.
#ifndef EYRIE_TESTS_SUPPORT_RELEASES_H_
#define EYRIE_TESTS_SUPPORT_RELEASES_H_

namespace eyrie::tests {

// Folders of tests/modules, for tests that do not need every one.
inline constexpr const char* kReleases[] = {"3.3", "3.9", "3.11", "3.12",
                                            "3.13"};

}  // namespace eyrie::tests

#endif  // EYRIE_TESTS_SUPPORT_RELEASES_H_
