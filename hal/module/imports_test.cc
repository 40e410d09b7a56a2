// Compares the rows of imports.def with the releases' own tables.
//
// kFirst has the declarations of 3.1; the other lists are the removals and
// additions of later releases, from the compilers' import declarations.
#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "hal/module/hal_module.h"
#include "vm/isa/release.h"

namespace eyrie::hal {
namespace {

const char* const kFirst[] = {
    "allocator.allocate 0rIiiI_r",
    "allocator.import 0riIiirII_r",
    "buffer.assert 0rrrIii_v",
    "buffer.length 0r_I",
    "buffer.load 0rIi_i",
    "buffer.store 0irIi_v",
    "buffer.subspan 0rII_r",
    "buffer_view.assert 0rriiCID_v",
    "buffer_view.buffer 0r_r",
    "buffer_view.create 0rIIiiCID_r",
    "buffer_view.dim 0ri_I",
    "buffer_view.element_type 0r_i",
    "buffer_view.encoding_type 0r_i",
    "buffer_view.rank 0r_i",
    "buffer_view.trace 0rCrD_v",
    "channel.create 0rIirrii_r",
    "channel.rank_and_count 0r_ii",
    "channel.split 0riii_r",
    "command_buffer.begin_debug_group 0rr_v",
    "command_buffer.collective 0rriiiirrIIIII_v",
    "command_buffer.copy_buffer 0riirIrII_v",
    "command_buffer.create 0riiIi_r",
    "command_buffer.dispatch 0rriiiiICiDCiirIID_v",
    "command_buffer.dispatch.indirect 0rriirIICiDCiirIID_v",
    "command_buffer.end_debug_group 0r_v",
    "command_buffer.execution_barrier 0riii_v",
    "command_buffer.fill_buffer 0rrIIiii_v",
    "command_buffer.finalize 0r_v",
    "command_buffer.update_buffer 0rrIrIIi_v",
    "device.allocator 0r_r",
    "device.query.i64 0rrr_iI",
    "device.queue.alloca 0rIrriiiI_r",
    "device.queue.copy 0rIrrrIrIII_v",
    "device.queue.dealloca 0rIrrr_v",
    "device.queue.execute 0rIrrCrD_v",
    "device.queue.execute.indirect 0rIrrrCrIID_v",
    "device.queue.fill 0rIrrrIIIiI_v",
    "device.queue.flush 0rI_v",
    "device.queue.read 0rIrrrIrIIi_v",
    "device.queue.update 0rIrrrIrIII_v",
    "device.queue.write 0rIrrrIrIIi_v",
    "devices.count 0v_i",
    "devices.get 0i_r",
    "ex.file.from_memory 0rIirIIi_r",
    "executable.create 0rrrr_r",
    "fence.await 0iCrD_i",
    "fence.create 0ri_r",
    "fence.fail 0ri_v",
    "fence.join 0CrD_r",
    "fence.query 0r_i",
    "fence.signal 0r_v",
};
const char* const kDroppedBy4[] = {
    "channel.create 0rIirrii_r",
    "channel.split 0riii_r",
    "command_buffer.copy_buffer 0riirIrII_v",
    "command_buffer.execution_barrier 0riii_v",
    "command_buffer.fill_buffer 0rrIIiii_v",
    "command_buffer.update_buffer 0rrIrIIi_v",
    "device.queue.alloca 0rIrriiiI_r",
    "device.queue.dealloca 0rIrrr_v",
    "device.queue.execute 0rIrrCrD_v",
    "device.queue.execute.indirect 0rIrrrCrIID_v",
    "device.queue.read 0rIrrrIrIIi_v",
    "device.queue.write 0rIrrrIrIIi_v",
    "executable.create 0rrrr_r",
    "fence.await 0iCrD_i",
    "fence.create 0ri_r",
    "fence.join 0CrD_r",
};
const char* const kAddedBy4[] = {
    "buffer.allocation.discard 0r_i",
    "buffer.allocation.is_terminal 0r_i",
    "buffer.allocation.preserve 0r_v",
    "channel.create 0rIIrrii_r",
    "channel.split 0riiI_r",
    "command_buffer.advise_buffer 0rrIIIi_v",
    "command_buffer.copy_buffer 0riirIrIII_v",
    "command_buffer.execution_barrier 0riiI_v",
    "command_buffer.fill_buffer 0rrIIiIiI_v",
    "command_buffer.update_buffer 0rrIrIIiI_v",
    "device.queue.alloca 0rIrrIiiII_r",
    "device.queue.barrier 0rIrrI_v",
    "device.queue.dealloca 0rIrrrI_v",
    "device.queue.execute 0rIrrrI_v",
    "device.queue.execute.indirect 0rIrrrICrIID_v",
    "device.queue.read 0rIrrrIrIII_v",
    "device.queue.write 0rIrrrIrIII_v",
    "executable.create 0rIrrr_r",
    "fence.await 0iICrD_i",
    "fence.create 0rI_r",
    "fence.join 0ICrD_r",
};
const char* const kAddedBy5[] = {
    "allocator.select 0iiICrID_rI",
};
const char* const kDroppedBy12[] = {
    "command_buffer.dispatch 0rriiiiICiDCiirIID_v",
    "command_buffer.dispatch.indirect 0rriirIICiDCiirIID_v",
};
const char* const kAddedBy12[] = {
    "command_buffer.dispatch 0rrIiiiICiDCiirIID_v",
    "command_buffer.dispatch.indirect 0rrIirIICiDCiirIID_v",
    "executable.lookup.function 0rr_I",
};
const char* const kAddedBy13[] = {
    "command_buffer.flush_buffer 0rirII_v",
    "command_buffer.invalidate_buffer 0rirII_v",
};

using enum vm::Release;

struct Row {
  const char* name;
  const char* signature;
  int first;
  int last;
};
constexpr Row kRows[] = {
#define HAL_IMPORT(name, signature, function, first, last, ...) \
  {name, signature, first, last},
#include "hal/module/imports.def"
#undef HAL_IMPORT
};

using Names = std::set<std::string>;

template <size_t kSize>
void Add(Names& names, const char* const (&list)[kSize]) {
  names.insert(std::begin(list), std::end(list));
}

template <size_t kSize>
void Drop(Names& names, const char* const (&list)[kSize]) {
  for (const char* name : list) names.erase(name);
}

// Returns the declarations of release 3.`minor`.
Names Declared(int minor) {
  Names names;
  Add(names, kFirst);
  if (minor >= 4) Drop(names, kDroppedBy4);
  if (minor >= 4) Add(names, kAddedBy4);
  if (minor >= 5) Add(names, kAddedBy5);
  if (minor >= 12) Drop(names, kDroppedBy12);
  if (minor >= 12) Add(names, kAddedBy12);
  if (minor >= 13) Add(names, kAddedBy13);
  return names;
}

TEST(Imports, CoverEveryRelease) {
  for (int minor = 1; minor <= 13; ++minor) {
    SCOPED_TRACE(absl::StrCat("release 3.", minor));
    Names have;
    for (const Row& row : kRows) {
      if (row.first > minor || minor > row.last) continue;
      have.insert(absl::StrCat(row.name, " ", row.signature));
    }
    EXPECT_EQ(have, Declared(minor));
  }
}

// The number of functions in each older release's own table.
TEST(Imports, CoverOlderReleases) {
  const struct {
    vm::Release release;
    int functions;
  } kCounts[] = {
      {k20230209, 47}, {k20230228, 47}, {k20230404, 47}, {k20230419, 47},
      {k20230524, 48}, {k20230815, 48}, {k20231004, 50}, {k20231113, 50},
      {k20231218, 51}, {k20240129, 51}, {k20240226, 51}, {k20240410, 51},
      {k20240621, 51}, {k20240724, 51}, {k20240828, 48}, {k20241104, 48},
  };
  for (const auto& c : kCounts) {
    EXPECT_EQ(std::ranges::count_if(kRows,
                                    [&](const Row& row) {
                                      return row.first <= c.release &&
                                             c.release <= row.last;
                                    }),
              c.functions)
        << vm::ReleaseName(c.release);
  }
}

TEST(Imports, EveryRowResolves) {
  auto module = CreateHalModule({});
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ((*module)->name(), "hal");
  EXPECT_EQ((*module)->functions().size(), std::size(kRows));
  for (const Row& row : kRows) {
    auto ordinal = (*module)->ResolveImport(row.name, row.signature);
    ASSERT_TRUE(ordinal.ok()) << ordinal.status();
    EXPECT_STREQ((*module)->function(*ordinal).signature, row.signature);
  }
}

TEST(Imports, OthersAreNamedWithTheNearest) {
  auto module = CreateHalModule({});
  ASSERT_TRUE(module.ok()) << module.status();
  const struct {
    const char* name;
    const char* signature;
    const char* want;
  } kCases[] = {
      {"fence.create", "0rIi_r",
       "UNIMPLEMENTED: Function hal.fence.create has no signature 0rIi_r; the "
       "nearest known is 0rI_r."},
      {"fence.create", "0r_r",
       "UNIMPLEMENTED: Function hal.fence.create has no signature 0r_r; the "
       "nearest known is 0rI_r."},
      {"fence.destroy", "0r_v",
       "NOT_FOUND: Module hal version 7 has no function fence.destroy."},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ((*module)->ResolveImport(c.name, c.signature).status().ToString(),
              c.want);
  }
}

TEST(HalTypes, AreNamedAsModulesDo) {
  const vm::RefTypes types = HalRefTypes();
  for (const char* name :
       {"hal.allocator", "hal.buffer", "hal.buffer_view", "hal.channel",
        "hal.command_buffer", "hal.descriptor_set_layout", "hal.device",
        "hal.event", "hal.executable", "hal.fence", "hal.file",
        "hal.pipeline_layout", "hal.semaphore", "vm.buffer", "vm.list"}) {
    const RefType* type = types.Find(name);
    ASSERT_NE(type, nullptr) << name;
    EXPECT_STREQ(type->name, name);
  }
  EXPECT_EQ(types.Find("hal.pipeline"), nullptr);
}

}  // namespace
}  // namespace eyrie::hal
