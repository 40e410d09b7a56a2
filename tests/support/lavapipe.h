// Chooses the Vulkan device for tests: Mesa's lavapipe, which runs on the CPU,
// if it is installed and the environment does not name another.
#ifndef EYRIE_TESTS_SUPPORT_LAVAPIPE_H_
#define EYRIE_TESTS_SUPPORT_LAVAPIPE_H_

namespace eyrie {

// Chooses lavapipe through the environment. The thread that submits kernels
// also runs them, which costs the least. Must be called before Vulkan's loader
// is first used. Later calls have no effect.
void ChooseLavapipe();

}  // namespace eyrie

#endif  // EYRIE_TESTS_SUPPORT_LAVAPIPE_H_
