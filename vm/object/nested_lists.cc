// Counts the references between members; a member with more is in use.
#include "vm/object/nested_lists.h"

namespace eyrie::vm {

void NestedLists::Add(const std::shared_ptr<NestedLists>& set, RefObject* list,
                      const ListAccess& access,
                      std::unique_ptr<Member>& member) {
  std::unique_ptr<Member> added(new Member(set, list, access));
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

void NestedLists::VisitHeld(const Member& member,
                            absl::FunctionRef<void(Member&)> visit) const {
  member.access_.visit(*member.list_, [&](Member& held) {
    if (held.set_.get() == this) visit(held);
  });
}

// A list is in use if it has references that do not come from members; so is
// everything that it holds. A list without any reference is being freed by
// another thread.
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
  struct Ring {
    Ref<RefObject> list;
    const ListAccess& access;
  };
  std::vector<Ring> rings;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    MarkUsed();
    for (const Member* member : members_) {
      if (member->in_use_) continue;
      rings.push_back({Ref<RefObject>::Share(member->list_), member->access_});
    }
  }
  for (const Ring& ring : rings) ring.access.empty(*ring.list);
  return rings.size();
}

}  // namespace eyrie::vm
