#include "hal/cpu/isolate/binding_copies.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "hal/paid_transfer.h"

namespace eyrie::hal::cpu::isolate {
namespace {

constexpr absl::string_view kCopy = "copy of a binding for an isolated worker";

}  // namespace

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

absl::Status BindingCopies::Move(uint8_t* to, const uint8_t* from,
                                 size_t length) const {
  heap_.CountCopies(0, length);
  return CopyPaid(work_, kCopy, to, from, length);
}

absl::Status BindingCopies::Fill(Copy& copy) const {
  const auto length = static_cast<size_t>(copy.end - copy.begin);
  ASSIGN_OR_RETURN(void* const memory,
                   heap_.AllocatePaid(length, kBufferAlignment, work_));
  if (memory == nullptr) {
    return absl::ResourceExhaustedError(
        absl::StrCat(length,
                     " bytes for a copy of bindings cannot be "
                     "allocated for the isolated worker."));
  }
  copy.memory = static_cast<uint8_t*>(memory);
  return Move(copy.memory, copy.begin, length);
}

absl::Status BindingCopies::Add(const DispatchState& state, uint64_t read_only,
                                const std::shared_ptr<MemoryMeter>& memory,
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
  uint64_t bytes = 0;
  for (const Copy& copy : copies_) {
    bytes += static_cast<size_t>(copy.end - copy.begin);
  }
  ASSIGN_OR_RETURN(
      charge_, MemoryCharge::Take(memory, bytes,
                                  "copies of bindings for an isolated worker"));
  for (Copy& copy : copies_) RETURN_IF_ERROR(Fill(copy));
  heap_.CountCopies(static_cast<uint64_t>(std::popcount(copied)), 0);
  for (size_t i = 0; i < pointers.size(); ++i) {
    if ((copied >> i & 1) != 0) {
      pointers[i] = Find(static_cast<const uint8_t*>(pointers[i]));
    }
  }
  return absl::OkStatus();
}

absl::Status BindingCopies::WriteBack() const {
  for (const std::span<uint8_t> binding : written_) {
    RETURN_IF_ERROR(Move(binding.data(), Find(binding.data()), binding.size()));
  }
  return absl::OkStatus();
}

}  // namespace eyrie::hal::cpu::isolate
