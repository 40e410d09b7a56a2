#include "tools/inspect/pools.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace eyrie::tools {
namespace {

constexpr char kConstants[] = "constants";
constexpr char kTransient[] = "transient pool";

// Returns the kind of pool that has exactly so many bytes, by this size, or
// null.
std::map<int64_t, const char*> KindsOf(const Report& report) {
  std::map<int64_t, const char*> kinds;
  for (const abi::AllocationUse& use : report.facts.allocations) {
    if (use.transient && use.bytes.has_value()) kinds[*use.bytes] = kTransient;
  }
  for (const vm::RodataDef& rodata : report.def.rodata) {
    kinds[static_cast<int64_t>(rodata.bytes.size())] = kConstants;
  }
  return kinds;
}

}  // namespace

Pools::Pools(const Report& report) {
  const std::map<int64_t, const char*> kinds = KindsOf(report);
  std::set<Key> bound;  // by one dispatch
  for (const DispatchUse& dispatch : report.facts.dispatches) {
    std::set<Key> here;
    for (const BindingUse& binding : dispatch.buffers) {
      if (!binding.bytes.has_value() || binding.buffer.empty()) continue;
      here.emplace(dispatch.place.function, binding.buffer, *binding.bytes);
    }
    for (const Key& key : here) {
      const auto kind = kinds.find(std::get<int64_t>(key));
      const bool is_shared = !bound.insert(key).second;
      if (is_shared && kind != kinds.end()) pools_[key] = kind->second;
    }
  }
}

std::string Pools::BindingsText(const DispatchUse& dispatch,
                                size_t most) const {
  const bool is_known = std::any_of(
      dispatch.buffers.begin(), dispatch.buffers.end(),
      [](const BindingUse& binding) { return binding.bytes.has_value(); });
  if (!is_known) {
    return absl::StrCat(dispatch.bindings,
                        dispatch.bindings == 1 ? " binding" : " bindings");
  }
  const size_t shown = std::min(dispatch.buffers.size(), most);
  std::string text;
  for (size_t i = 0; i < shown; ++i) {
    const auto& [buffer, bytes] = dispatch.buffers[i];
    absl::StrAppend(&text, i == 0 ? "" : ", ");
    if (!bytes.has_value()) {
      absl::StrAppend(&text, "?");
      continue;
    }
    const auto pool = pools_.find({dispatch.place.function, buffer, *bytes});
    absl::StrAppend(&text, pool == pools_.end()
                               ? SizeText(static_cast<uint64_t>(*bytes))
                               : pool->second);
  }
  if (shown < dispatch.buffers.size()) {
    absl::StrAppend(&text, " and ", dispatch.buffers.size() - shown, " more");
  }
  return text;
}

std::string Pools::ToString() const {
  std::set<std::string> texts;
  for (const auto& [key, kind] : pools_) {
    const auto bytes = static_cast<uint64_t>(std::get<int64_t>(key));
    texts.insert(absl::StrCat(kind, " (", SizeText(bytes), ")"));
  }
  return absl::StrJoin(texts, ", ");
}

}  // namespace eyrie::tools
