// Lists in lists: unreachable and reachable rings, deep nesting, and threads
// that drop lists while rings are searched.
#include "vm/object/nested_lists.h"

#include <initializer_list>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "base/memory_meter.h"
#include "base/ref.h"
#include "gtest/gtest.h"
#include "vm/isa/value.h"
#include "vm/object/list.h"

namespace eyrie::vm {
namespace {

using Set = std::shared_ptr<NestedLists>;

Ref<List> NewList(const std::shared_ptr<MemoryMeter>& memory = nullptr) {
  return *List::Create(ElementType(), 0, memory);
}

// Does what list.set.ref does.
void Put(const Ref<List>& list, const Ref<List>& element, const Set& set) {
  list->JoinNested(set);
  EXPECT_TRUE(list->Append(Value(Ref<RefObject>(element))).ok());
}

struct Row {
  const char* what;
  int lists;
  // Pairs of lists of which the first holds the second.
  std::initializer_list<std::pair<int, int>> holds;
  std::initializer_list<int> held;  // by the host
  size_t dropped;
};

const Row kRows[] = {
    {"no rings", 3, {{0, 1}, {1, 2}}, {}, 0},
    {"itself", 1, {{0, 0}}, {}, 1},
    {"itself twice", 1, {{0, 0}, {0, 0}}, {}, 1},
    {"two", 2, {{0, 1}, {1, 0}}, {}, 2},
    {"a tail", 3, {{0, 1}, {1, 0}, {1, 2}}, {}, 2},
    {"a tail with a ring", 4, {{0, 1}, {1, 0}, {1, 2}, {2, 3}, {3, 2}}, {}, 4},
    {"a ring that the host holds", 2, {{0, 1}, {1, 0}}, {0}, 0},
    {"what hangs on it", 3, {{0, 0}, {0, 1}, {1, 2}, {2, 1}}, {0}, 0},
    {"beside it", 3, {{0, 0}, {1, 2}, {2, 1}}, {0}, 2},
    {"held behind the ring", 3, {{0, 1}, {1, 0}, {1, 2}, {2, 2}}, {2}, 2},
};

TEST(NestedListsTest, Rings) {
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.what);
    const auto memory = std::make_shared<MemoryMeter>(1 << 20);
    const Set set = std::make_shared<NestedLists>();
    std::vector<Ref<List>> lists;
    for (int i = 0; i < row.lists; ++i) lists.push_back(NewList(memory));
    for (const auto& [from, to] : row.holds) Put(lists[from], lists[to], set);
    std::vector<Ref<List>> held;
    for (int i : row.held) held.push_back(lists[i]);
    lists.clear();
    EXPECT_EQ(set->DropRings(), row.dropped);
    EXPECT_EQ(memory->in_use() == 0, held.empty());
    EXPECT_EQ(set->DropRings(), 0u);
    // Lists that the host holds are intact, and are freed when it drops them.
    for (const Ref<List>& list : held) EXPECT_GT(list->size(), 0u);
    held.clear();
    set->DropRings();
    EXPECT_EQ(memory->in_use(), 0u);
  }
}

// A list of another context counts as in use.
TEST(NestedListsTest, RingsThroughTwoSetsStay) {
  const Set ours = std::make_shared<NestedLists>();
  const Set theirs = std::make_shared<NestedLists>();
  Ref<List> a = NewList();
  Ref<List> b = NewList();
  Put(a, b, ours);
  Put(b, a, theirs);
  List* const kept = a.get();
  a.reset();
  EXPECT_EQ(ours->DropRings(), 0u);
  b.reset();
  EXPECT_EQ(theirs->DropRings(), 0u);
  // Breaks the ring.
  EXPECT_TRUE(Ref<List>::Share(kept)->Resize(0).ok());
}

TEST(NestedListsTest, HoweverDeep) {
  const Set set = std::make_shared<NestedLists>();
  Ref<List> list = NewList();
  for (int i = 0; i < 300000; ++i) {
    Ref<List> outer = NewList();
    Put(outer, list, set);
    list = std::move(outer);
  }
  list.reset();
  EXPECT_EQ(set->DropRings(), 0u);
}

TEST(NestedListsTest, OthersDropTheirsMeanwhile) {
  const Set set = std::make_shared<NestedLists>();
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([&set] {
      for (int i = 0; i < 2000; ++i) {
        const Ref<List> outer = NewList();
        const Ref<List> inner = NewList();
        Put(outer, inner, set);
        Put(inner, NewList(), set);
        EXPECT_TRUE(inner->Resize(0).ok());
        EXPECT_EQ(outer->size(), 1u);
      }
    });
  }
  for (int i = 0; i < 200; ++i) EXPECT_EQ(set->DropRings(), 0u);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(set->DropRings(), 0u);
}

}  // namespace
}  // namespace eyrie::vm
