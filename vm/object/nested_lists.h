// The set of lists of a context that hold other lists. When the context ends,
// it frees those that keep each other alive.
//
// Lists are reference-counted, so lists that form a ring would leak, whatever
// the memory limit of their context. Only lists into which a program has put a
// list are members.
// Tested by nested_lists_test.cc, vm/run/limits_test.cc.
#ifndef EYRIE_VM_OBJECT_NESTED_LISTS_H_
#define EYRIE_VM_OBJECT_NESTED_LISTS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "base/ref.h"

namespace eyrie::vm {

// Thread-safe: members may be freed on any thread. Retained by its members.
class NestedLists {
 public:
  class Member;

  // Access to lists, which the set knows only as objects. Both functions are
  // called without a list's own lock; `visit` is called with the set's mutex
  // held.
  struct ListAccess {
    // Calls `each` with the membership of each element that is a member.
    void (*visit)(const RefObject& list, absl::FunctionRef<void(Member&)> each);
    void (*empty)(RefObject& list);
  };

  // A list's membership. It changes only under the set's mutex, so that rings
  // can be searched while other threads use their lists.
  class Member {
   public:
    Member(const Member&) = delete;
    Member& operator=(const Member&) = delete;
    ~Member();

    std::mutex& mutex() { return set_->mutex_; }

   private:
    friend class NestedLists;

    Member(std::shared_ptr<NestedLists> set, RefObject* list,
           const ListAccess& access)
        : set_(std::move(set)), list_(list), access_(access) {}

    const std::shared_ptr<NestedLists> set_;
    RefObject* const list_;
    const ListAccess& access_;
    size_t place_ = 0;     // in members_
    uint32_t held_ = 0;    // how many references other members hold
    bool in_use_ = false;  // reachable from outside of the set
  };

  // Makes `list` a member and sets `member`, which must be destroyed before the
  // list. Must be called before other threads can reach the list.
  static void Add(const std::shared_ptr<NestedLists>& set, RefObject* list,
                  const ListAccess& access, std::unique_ptr<Member>& member);

  // Empties the members that are referenced only by members that are themselves
  // unreachable from outside. Returns their number. A ring that the host or
  // another context can reach is kept.
  size_t DropRings();

 private:
  // Calls `visit` for each element of a member that is itself a member.
  void VisitHeld(const Member& member,
                 absl::FunctionRef<void(Member&)> visit) const;
  void MarkUsed();

  std::mutex mutex_;
  std::vector<Member*> members_;  // guarded by mutex_
};

}  // namespace eyrie::vm

#endif  // EYRIE_VM_OBJECT_NESTED_LISTS_H_
