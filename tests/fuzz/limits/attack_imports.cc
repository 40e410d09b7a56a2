// Attacks with functions of the host modules.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "hal/module/import_releases.h"
#include "tests/fuzz/limits/attack_module.h"
#include "tests/fuzz/limits/attacks.h"
#include "tests/support/module_builder.h"

namespace eyrie::tests {
namespace {

// Device objects that host functions take, each in its own register.
struct HalObject {
  absl::string_view prefix;  // of functions whose first argument it is
  absl::string_view name;
  absl::string_view words;  // code that creates it
};
constexpr HalObject kHalObjects[] = {
    {"device", "r8", "call #0 [i0] [r8] "},
    {"allocator", "r9", "call #1 [r8] [r9] "},
    {"buffer", "r10", "call #2 [r9 i10 i40 i41 i12] [r10] "},
    {"buffer_view", "r11",
     "call.variadic #3 [1 1 1 1 1 1] "
     "[r10 i10 i12 i42 i1 i12] [r11] "},
    {"fence", "r12", "call #4 [r8 i10] [r12] "},
    {"command_buffer", "r13", "call #5 [r8 i0 i4 i10 i0] [r13] "},
    {"file", "r14", "call #6 [r8 i10 i43 r0 i10 i22 i0] [r14] "},
};

// The element type of 8-bit integers.
constexpr uint32_t kInt8 = 0x10000008;

std::string HalSetup(ModuleBuilder& module) {
  std::string words = DeviceSetup(module);
  module.AddImport("hal.buffer_view.create", "0rIIiiCID_r");
  module.AddImport("hal.fence.create", "0rI_r");
  module.AddImport("hal.command_buffer.create", "0riiIi_r");
  module.AddImport("hal.ex.file.from_memory", "0rIirIIi_r");
  absl::StrAppend(&words, "const.i32 ", kInt8,
                  " i42 const.i32 1 i43 buffer.alloc i14 i5 r0 ");
  for (const HalObject& object : kHalObjects) {
    absl::StrAppend(&words, object.words);
  }
  return words;
}

// The reference arguments of functions, except buffers, in order.
struct RefArguments {
  absl::string_view function;
  std::vector<absl::string_view> refs;
};
const RefArguments kRefArguments[] = {
    {"allocator.import", {"r9", "r0"}},
    {"buffer.assert", {"r10", "r0", "r9"}},
    {"buffer_view.assert", {"r11", "r0"}},
    {"buffer_view.create", {"r10"}},
    {"buffer_view.trace", {"r0", "r11", "r11"}},
    {"command_buffer.begin_debug_group", {"r13", "r0"}},
    {"command_buffer.update_buffer", {"r13", "r0", "r10"}},
    {"device.query.i64", {"r8", "r0", "r0"}},
    {"device.queue.execute", {"r8", "r4", "r4", "r13"}},
    {"device.queue.update", {"r8", "r4", "r4", "r0", "r10"}},
    {"device.queue.read", {"r8", "r4", "r4", "r14", "r10"}},
    {"device.queue.write", {"r8", "r4", "r4", "r10", "r14"}},
    {"device.queue.", {"r8", "r4", "r4", "r10"}},
    {"ex.file.from_memory", {"r8", "r0"}},
    {"executable.create", {"r8", "r0", "r0", "r4"}},
    {"executable.load", {"r0", "r0", "r4"}},
    {"executable.query_support", {"r0"}},
    {"gather", {"r8", "r4", "r4", "r0", "r10"}},
    {"scatter", {"r8", "r4", "r4", "r0", "r10"}},
    {"load", {"r8", "r4", "r4", "r0"}},
    {"fence.create", {"r8"}},
    {"fence.", {"r12", "r12"}},
};

// Returns a register for a function's reference argument `place`, usually with
// the type that the function expects.
absl::string_view HalRef(Random& random, absl::string_view function,
                         size_t place) {
  if (random.OneIn(30)) return "r4";
  for (const RefArguments& row : kRefArguments) {
    if (!absl::StartsWith(function, row.function)) continue;
    return row.refs[std::min(place, row.refs.size() - 1)];
  }
  const absl::string_view prefix = function.substr(0, function.find('.'));
  for (const HalObject& object : kHalObjects) {
    if (place == 0 && prefix == object.prefix) return object.name;
  }
  return "r10";
}

// Returns a register for a number: usually a small one.
absl::string_view HalNumber(Random& random, char type) {
  const bool bold = random.OneIn(6);
  if (type == 'i') return bold ? random.Of(kCounts) : random.Of(kIndices);
  return bold              ? random.Of(kLengths)
         : random.OneIn(3) ? absl::string_view("i22")
                           : absl::string_view("i10");
}

// Returns a call. A variadic argument has `span` tuples.
std::string HalCall(Random& random, const hal::ImportRelease& import,
                    uint32_t ordinal, uint32_t span) {
  const absl::string_view convention = import.signature;
  const size_t end = convention.find('_');
  const absl::string_view arguments = convention.substr(1, end - 1);
  std::string values, segments;
  size_t place = 0;
  auto value = [&](char type) {
    return type == 'r' ? HalRef(random, import.name, place++)
                       : HalNumber(random, type);
  };
  for (size_t at = 0; at < arguments.size(); ++at) {
    if (arguments[at] == 'v') continue;
    if (arguments[at] != 'C') {
      absl::StrAppend(&values, value(arguments[at]), " ");
      absl::StrAppend(&segments, "1 ");
      continue;
    }
    const size_t close = arguments.find('D', at);
    absl::StrAppend(&segments, span, " ");
    for (uint32_t left = span; left > 0; --left) {
      for (size_t in = at + 1; in < close; ++in) {
        absl::StrAppend(&values, value(arguments[in]), " ");
      }
    }
    at = close;
  }
  std::string results;
  for (char type : convention.substr(end + 1)) {
    if (type == 'i') absl::StrAppend(&results, "i24 ");
    if (type == 'I') absl::StrAppend(&results, "i26 ");
    if (type == 'r') {
      absl::StrAppend(
          &results, "r",
          random.OneIn(9) ? 8 + random.Below(6) : 5 + random.Below(3), " ");
    }
  }
  const bool variadic = absl::StrContains(arguments, 'C');
  return absl::StrCat(variadic ? "call.variadic #" : "call #", ordinal,
                      variadic ? absl::StrCat(" [", segments, "]") : "", " [",
                      values, "] [", results, "] ");
}

}  // namespace

Attack ImportAttack(Random& random) {
  ModuleBuilder module = NewAttackModule();
  std::string name = "imports", loop;
  const std::string setup = HalSetup(module);
  for (uint32_t left = 1 + random.Below(3); left > 0; --left) {
    const hal::ImportRelease import = random.Of(hal::ImportReleases());
    absl::StrAppend(&name, " ", import.name);
    const uint32_t ordinal = module.AddImport(
        absl::StrCat(import.module, ".", import.name), import.signature);
    absl::StrAppend(&loop, HalCall(random, import, ordinal,
                                   random.Of(std::array{0u, 1u, 3u, 2000u})));
  }
  AddAttack(module, absl::StrCat("entry: ", Constants(), setup,
                                 "br ^loop [] loop: ", loop, "br ^loop []"));
  return {name, module.Build(), RunArguments(random)};
}

}  // namespace eyrie::tests
