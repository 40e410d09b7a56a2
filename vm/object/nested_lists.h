// The lists of a context that hold lists: those that hold each other are let
// go at its end, when nothing else holds them.
//
// References are counted, so lists in a ring would stay for ever, however
// small the memory limit of the context that made them. Only a list that a
// program has put a list into is a member; others cost nothing.
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

// Thread-safe: members may die on any thread. Kept by its members.
class NestedLists {
 public:
  class Member;

  // How a set looks into lists, which it knows as objects alone. Both are
  // called without a lock of the list; `visit` under the set's mutex.
  struct ListAccess {
    // Calls `each` with the membership of every element that has one.
    void (*visit)(const RefObject& list, absl::FunctionRef<void(Member&)> each);
    void (*empty)(RefObject& list);
  };

  // What a list knows of the set it is in. A member is changed only under the
  // set's mutex, so that rings can be looked for while others use theirs.
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
    uint32_t held_ = 0;    // references that other members hold
    bool in_use_ = false;  // somebody else holds it, or a list that holds it
  };

  // Makes a list a member, which `member` says from then on: before others
  // can come upon the list. It ends before the list does.
  static void Add(const std::shared_ptr<NestedLists>& set, RefObject* list,
                  const ListAccess& access, std::unique_ptr<Member>& member);

  // Empties the lists that only members hold which are held so themselves.
  // Returns how many. A ring with a list that the host or another context
  // holds stays, and is then theirs.
  size_t DropRings();

 private:
  // Calls `visit` for each of a member's elements that is a member, too.
  void VisitHeld(const Member& member,
                 absl::FunctionRef<void(Member&)> visit) const;
  void MarkUsed();

  std::mutex mutex_;
  std::vector<Member*> members_;  // guarded by mutex_
};

}  // namespace eyrie::vm

#endif  // EYRIE_VM_OBJECT_NESTED_LISTS_H_
