// Counts what members hold of each other; what is left is in use.
// Tested by nested_lists_test.cc.
#include "vm/nested_lists.h"

#include "vm/list.h"

namespace eyrie::vm {

void NestedLists::Add(const std::shared_ptr<NestedLists>& set, List* list,
                      std::unique_ptr<Member>& member) {
  std::unique_ptr<Member> added(new Member(set, list));
  std::lock_guard<std::mutex> lock(set->mutex_);
  added->place_ = set->members_.size();
  set->members_.push_back(added.get());
  member = std::move(added);
}

NestedLists::Member::~Member() {
  std::lock_guard<std::mutex> lock(set_->mutex_);
  std::vector<Member*>& members = set_->members_;
  members[place_] = members.back();
  members[place_]->place_ = place_;
  members.pop_back();
}

template <typename Visit>
void NestedLists::VisitHeld(const Member& member, Visit visit) const {
  member.list_->VisitRefs([&](RefObject* object) {
    const List* list = RefCast<List>(object);
    if (list == nullptr || list->nested() == nullptr) return;
    if (list->nested()->set_.get() == this) visit(*list->nested());
  });
}

// A list whose references members do not account for is in use, and so is what
// it holds. One that nobody holds is about to die on another thread.
void NestedLists::MarkUsed() {
  for (Member* member : members_) {
    member->held_ = 0;
    member->in_use_ = false;
  }
  for (const Member* member : members_) {
    VisitHeld(*member, [](Member& held) { ++held.held_; });
  }
  std::vector<Member*> used;
  auto use = [&used](Member& member) {
    if (std::exchange(member.in_use_, true)) return;
    used.push_back(&member);
  };
  for (Member* member : members_) {
    if (member->held_ == 0 || member->held_ != member->list_->use_count()) {
      use(*member);
    }
  }
  while (!used.empty()) {
    const Member* member = used.back();
    used.pop_back();
    VisitHeld(*member, use);
  }
}

size_t NestedLists::DropRings() {
  std::vector<Ref<List>> rings;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    MarkUsed();
    for (const Member* member : members_) {
      if (!member->in_use_) rings.push_back(Ref<List>::Share(member->list_));
    }
  }
  for (const Ref<List>& list : rings) list->Resize(0).IgnoreError();
  return rings.size();
}

}  // namespace eyrie::vm
