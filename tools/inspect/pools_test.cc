// Names the buffers of reports made by hand.
#include "tools/inspect/pools.h"

#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace eyrie::tools {
namespace {

DispatchUse Dispatch(uint32_t function, std::vector<BindingUse> buffers) {
  DispatchUse use;
  use.place.function = function;
  use.bindings = static_cast<uint32_t>(buffers.size());
  use.buffers = std::move(buffers);
  return use;
}

TEST(Pools, NamesWhatDispatchesShare) {
  const std::vector<uint8_t> constants(2048);
  const struct {
    std::vector<DispatchUse> dispatches;
    const char* want;  // the bindings of the first one
    const char* pools;
  } kCases[] = {
      {{Dispatch(0, {})}, "0 bindings", ""},
      {{Dispatch(0, {{"slot 0", {}}})}, "1 binding", ""},
      {{Dispatch(0, {{"slot 0", 16}, {"", {}}})}, "16 bytes, ?", ""},
      {{Dispatch(0, {{"", 1}, {"", 2048}, {"", 3}, {"", 4}})},
       "1 byte, 2.0 KiB, 3 bytes and 1 more",
       ""},
      // A dispatch that alone binds all constants reads all.
      {{Dispatch(0, {{"global 1", 2048}})}, "2.0 KiB", ""},
      {{Dispatch(0, {{"global 1", 2048}, {"slot 0", 4096}, {"slot 1", 64}}),
        Dispatch(0, {{"global 1", 2048}, {"slot 0", 4096}, {"slot 1", 64}})},
       "constants, transient pool, 64 bytes",
       "constants (2.0 KiB), transient pool (4.0 KiB)"},
      // Another function has other buffers of the same names.
      {{Dispatch(0, {{"global 1", 2048}}), Dispatch(1, {{"global 1", 2048}})},
       "2.0 KiB",
       ""},
      // A dispatch that binds a buffer twice does not share it.
      {{Dispatch(0, {{"slot 0", 2048}, {"slot 0", 2048}})},
       "2.0 KiB, 2.0 KiB",
       ""},
  };
  for (const auto& c : kCases) {
    Report report;
    report.def.rodata.emplace_back().bytes = constants;
    report.facts.allocations = {{{}, 4096, true}, {{}, 64, false}};
    report.facts.dispatches = c.dispatches;
    const Pools pools(report);
    EXPECT_EQ(pools.BindingsText(c.dispatches[0], 3), c.want);
    EXPECT_EQ(pools.ToString(), c.pools);
  }
}

}  // namespace
}  // namespace eyrie::tools
