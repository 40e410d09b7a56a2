// Constants, a module and arguments for attacks with code.
#ifndef EYRIE_TESTS_FUZZ_LIMITS_ATTACK_MODULE_H_
#define EYRIE_TESTS_FUZZ_LIMITS_ATTACK_MODULE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "tests/fuzz/limits/attacks.h"
#include "tests/support/module_builder.h"

namespace eyrie::tests {

// Element types, as ordinals of the module's types.
enum Type { kI32, kI64, kAny, kBuffer };

// Sizes of one buffer and one list. Two fit in the memory limit.
inline constexpr uint64_t kBytes = kAttackMemory * 3 / 8;
inline constexpr uint64_t kElements = kBytes / 16;

// Registers that Constants() sets: i32 in i0 to i6, i64 in pairs from i10. Most
// values are in range, so that later instructions are reached.
inline constexpr absl::string_view kIndices[] = {"i0", "i0", "i0", "i0",
                                                 "i1", "i3", "i4"};
inline constexpr absl::string_view kCounts[] = {"i1", "i2", "i3",
                                                "i3", "i5", "i6"};
inline constexpr absl::string_view kOffsets[] = {"i10", "i10", "i10",
                                                 "i10", "i12", "i16"};
inline constexpr absl::string_view kLengths[] = {"i12", "i12", "i22", "i22",
                                                 "i22", "i14", "i18", "i20"};
std::string Constants();

ModuleBuilder NewAttackModule();
// Adds the imports 0 to 2, which get a device, its allocator, and a buffer from
// this. Returns code that sets i40 to a memory type and i41 to a usage of
// buffers that the host can map.
std::string DeviceSetup(ModuleBuilder& module);
// Exports the code as "attack", with 128 i32 and 32 ref registers.
void AddAttack(ModuleBuilder& module, absl::string_view code);

// Returns arguments that run "attack": interpreted or compiled, some with fuel.
// If `eager`, each function is compiled at its first call.
std::vector<std::string> RunArguments(Random& random, bool eager = false);

}  // namespace eyrie::tests

#endif  // EYRIE_TESTS_FUZZ_LIMITS_ATTACK_MODULE_H_
