// Pairs by name, then compares values.
#include "tools/diff/changes.h"

#include <cstddef>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"

namespace eyrie::tools {
namespace {

// Entries of one name that have no partner yet.
template <typename T>
struct Unpaired {
  std::vector<const T*> entries;
  size_t next = 0;

  const T* Front() const {
    return next < entries.size() ? entries[next] : nullptr;
  }
};

// Returns pairs of entries with the same name. One of a pair is null if the
// other list has no such entry left.
template <typename T>
std::vector<std::pair<const T*, const T*>> Pair(const std::vector<T>& before,
                                                const std::vector<T>& after) {
  absl::flat_hash_map<absl::string_view, Unpaired<T>> unpaired;
  for (const T& entry : after) unpaired[entry.name].entries.push_back(&entry);
  std::vector<std::pair<const T*, const T*>> pairs;
  for (const T& entry : before) {
    const auto it = unpaired.find(entry.name);
    const T* partner = it == unpaired.end() ? nullptr : it->second.Front();
    pairs.emplace_back(&entry, partner);
    if (partner != nullptr) ++it->second.next;
  }
  for (const T& entry : after) {
    Unpaired<T>& same = unpaired[entry.name];
    if (same.Front() != &entry) continue;
    ++same.next;
    pairs.emplace_back(nullptr, &entry);
  }
  return pairs;
}

ItemChange CompareItems(const Item* before, const Item* after) {
  static const std::vector<Property> kNone;
  ItemChange change{before, after, {}};
  for (const auto& [old_value, new_value] :
       Pair(before ? before->properties : kNone,
            after ? after->properties : kNone)) {
    if (old_value != nullptr && new_value != nullptr &&
        old_value->value == new_value->value) {
      continue;
    }
    change.properties.push_back({old_value, new_value});
  }
  return change;
}

}  // namespace

std::vector<SectionChange> CompareParts(const ModuleParts& before,
                                        const ModuleParts& after) {
  std::vector<SectionChange> changes;
  for (size_t i = 0; i < before.sections.size(); ++i) {
    SectionChange section{&before.sections[i], &after.sections[i], {}};
    for (const auto& [old_item, new_item] :
         Pair(section.before->items, section.after->items)) {
      ItemChange item = CompareItems(old_item, new_item);
      if (old_item != nullptr && new_item != nullptr &&
          item.properties.empty()) {
        continue;
      }
      section.items.push_back(std::move(item));
    }
    if (!section.items.empty()) changes.push_back(std::move(section));
  }
  return changes;
}

}  // namespace eyrie::tools
