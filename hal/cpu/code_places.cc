#include "hal/cpu/code_places.h"

namespace eyrie::hal::cpu {
namespace {

using Slot = std::atomic<const KnownCode*>;
static_assert(Slot::is_always_lock_free);

constinit Slot slots[kMostPlaces] = {};

}  // namespace

void KnownCode::Add(const Image& image, std::span<const Kernel> kernels,
                    std::span<const ExportInfo> exports) {
  image_ = &image;
  kernels_ = kernels;
  exports_ = exports;
  for (Slot& slot : slots) {
    const KnownCode* none = nullptr;
    if (!slot.compare_exchange_strong(none, this)) continue;
    slot_ = &slot;
    return;
  }
}

KnownCode::~KnownCode() {
  if (slot_ != nullptr) slot_->store(nullptr);
}

std::optional<CodePlace> KnownCode::Find(uint64_t address) const {
  if (!image_->IsCode(address)) return std::nullopt;
  CodePlace place = {.kernel = "", .address = address - image_->bias()};
  uintptr_t nearest = 0;
  for (size_t i = 0; i < kernels_.size(); ++i) {
    const auto begin = reinterpret_cast<uintptr_t>(kernels_[i].function);
    if (begin > address || begin < nearest) continue;
    nearest = begin;
    place.kernel = exports_[i].name;
  }
  return place;
}

std::optional<CodePlace> FindCodePlace(uint64_t address) {
  for (const Slot& slot : slots) {
    const KnownCode* const code = slot.load();
    if (code == nullptr) continue;
    if (const auto place = code->Find(address)) return place;
  }
  return std::nullopt;
}

}  // namespace eyrie::hal::cpu
