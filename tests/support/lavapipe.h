// Which Vulkan device tests run on: Mesa's lavapipe, which is the CPU, where
// it is installed and nobody asks for another.
#ifndef EYRIE_TESTS_SUPPORT_LAVAPIPE_H_
#define EYRIE_TESTS_SUPPORT_LAVAPIPE_H_

namespace eyrie {

// Chooses it by the environment, with kernels run by the thread that submits
// them, which costs the least. Called before Vulkan's loader is first asked;
// later calls change nothing.
void ChooseLavapipe();

}  // namespace eyrie

#endif  // EYRIE_TESTS_SUPPORT_LAVAPIPE_H_
