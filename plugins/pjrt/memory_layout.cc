// Implements layouts.
#include "plugins/pjrt/memory_layout.h"

#include <map>
#include <mutex>

#include "absl/strings/str_cat.h"

namespace eyrie::pjrt {

MemoryLayout::MemoryLayout(size_t rank) : bytes_("{") {
  for (size_t i = rank; i > 0; --i) {
    absl::StrAppend(&bytes_, i - 1, i > 1 ? "," : "");
  }
  bytes_ += "}";
}

MemoryLayout* LayoutOfRank(size_t rank) {
  static std::mutex mutex;
  static auto* const layouts = new std::map<size_t, MemoryLayout>();
  const std::lock_guard<std::mutex> lock(mutex);
  return &layouts->try_emplace(rank, rank).first->second;
}

}  // namespace eyrie::pjrt
