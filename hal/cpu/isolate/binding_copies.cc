#include "hal/cpu/isolate/binding_copies.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace eyrie::hal::cpu::isolate {

BindingCopies::~BindingCopies() {
  for (const Copy& copy : copies_) {
    if (copy.memory != nullptr) {
      heap_.Free(copy.memory, static_cast<size_t>(copy.end - copy.begin));
    }
  }
}

void BindingCopies::Join(uint8_t* begin, uint8_t* end) {
  std::erase_if(copies_, [&](const Copy& copy) {
    if (copy.end <= begin || end <= copy.begin) return false;
    begin = std::min(begin, copy.begin);
    end = std::max(end, copy.end);
    return true;
  });
  copies_.push_back({begin, end});
}

uint8_t* BindingCopies::Find(const uint8_t* original) const {
  for (const Copy& copy : copies_) {
    if (original >= copy.begin && original < copy.end) {
      return copy.memory + (original - copy.begin);
    }
  }
  return nullptr;
}

absl::Status BindingCopies::Add(const DispatchState& state, uint64_t read_only,
                                std::span<void*> pointers) {
  uint64_t copied = 0;
  for (size_t i = 0; i < pointers.size(); ++i) {
    pointers[i] = state.binding_pointers[i];
    const size_t length = state.binding_lengths[i];
    if (heap_.CanUse(pointers[i], length)) continue;
    auto* const begin = static_cast<uint8_t*>(pointers[i]);
    if (length == 0) {
      pointers[i] = heap_.data();
      continue;
    }
    Join(begin, begin + length);
    copied |= uint64_t{1} << i;
    if ((read_only >> i & 1) == 0) written_.push_back({begin, length});
  }
  for (Copy& copy : copies_) {
    const auto length = static_cast<size_t>(copy.end - copy.begin);
    copy.memory =
        static_cast<uint8_t*>(heap_.Allocate(length, kBufferAlignment));
    if (copy.memory == nullptr) {
      return absl::ResourceExhaustedError(
          absl::StrCat(length,
                       " bytes for a copy of bindings cannot be "
                       "allocated for the isolated worker."));
    }
    std::memcpy(copy.memory, copy.begin, length);
    heap_.CountCopies(0, length);
  }
  heap_.CountCopies(static_cast<uint64_t>(std::popcount(copied)), 0);
  for (size_t i = 0; i < pointers.size(); ++i) {
    if ((copied >> i & 1) != 0) {
      pointers[i] = Find(static_cast<const uint8_t*>(pointers[i]));
    }
  }
  return absl::OkStatus();
}

void BindingCopies::WriteBack() const {
  for (const std::span<uint8_t> binding : written_) {
    std::memcpy(binding.data(), Find(binding.data()), binding.size());
    heap_.CountCopies(0, binding.size());
  }
}

}  // namespace eyrie::hal::cpu::isolate
