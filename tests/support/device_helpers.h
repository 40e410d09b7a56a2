// Helpers for tests of all devices: buffers of words, fences as text, and
// commands that run to their end.
#ifndef EYRIE_TESTS_SUPPORT_DEVICE_HELPERS_H_
#define EYRIE_TESTS_SUPPORT_DEVICE_HELPERS_H_

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/deadline.h"
#include "base/memory_meter.h"
#include "base/ref.h"
#include "gtest/gtest.h"
#include "hal/device.h"
#include "tests/support/status_text.h"

namespace eyrie::hal {

// Returns a buffer with every usage that commands need.
inline Ref<hal::Buffer> NewBuffer(hal::Device& device, uint64_t size) {
  BufferParams params;
  params.usage =
      buffer_usage::kDefault | buffer_usage::kDispatchIndirectParameters;
  return *device.allocator().Allocate(params, size);
}

inline BufferRef Whole(Ref<hal::Buffer> buffer) {
  return {std::move(buffer), 0, 0, kWholeBuffer};
}

// Returns the buffer's 32-bit words: "1 2 3".
inline std::string Words(hal::Buffer& buffer) {
  std::vector<uint32_t> words(buffer.byte_length() / 4);
  EXPECT_TRUE(
      buffer
          .Read(0, {reinterpret_cast<uint8_t*>(words.data()), words.size() * 4})
          .ok());
  std::string text;
  for (uint32_t word : words) {
    absl::StrAppend(&text, text.empty() ? "" : " ", word);
  }
  return text;
}

inline void SetWords(hal::Buffer& buffer, std::vector<uint32_t> words) {
  EXPECT_TRUE(buffer
                  .Write(0, {reinterpret_cast<uint8_t*>(words.data()),
                             words.size() * 4})
                  .ok());
}

template <typename T>
std::span<const uint8_t> BytesOf(const T& value) {
  return {reinterpret_cast<const uint8_t*>(&value), sizeof(T)};
}

// Returns the value of a timeline, or its failure.
inline std::string State(Semaphore& semaphore) {
  const absl::StatusOr<uint64_t> value = semaphore.Query();
  return value.ok() ? absl::StrCat(*value) : StatusText(value);
}

// The same, after it has reached `value` or failed, or after a minute.
inline std::string StateAt(Semaphore& semaphore, uint64_t value) {
  semaphore.Wait(value, Deadline::After(absl::Minutes(1))).IgnoreError();
  return State(semaphore);
}

// Queues an operation. Returns its status when it has ended.
template <typename Operation>
absl::Status Finish(hal::Device& device, const Operation& operation) {
  const Ref<Semaphore> done = *device.CreateSemaphore(0);
  const Ref<Fence> signal = Fence::ForPoint(done, 1);
  const absl::Status status = operation(QueueFences{nullptr, signal.get()});
  if (!status.ok()) {
    EXPECT_EQ(State(*done), StatusText(status));
    return status;
  }
  // Returns a deep copy, made before the fence is released. ThreadSanitizer
  // does not see Abseil's reference counting when a worker releases the last
  // copy.
  const absl::Status waited = done->Wait(1, Deadline::Never());
  return absl::Status(waited.code(), waited.message());
}

// Runs commands to their end. Returns their status.
inline absl::Status Execute(hal::Device& device,
                            const Ref<CommandBuffer>& commands,
                            std::span<const BufferBinding> table) {
  return Finish(device, [&](const QueueFences& fences) {
    return device.QueueExecute(fences, commands, table);
  });
}

// Waits until the meter's memory is released. A device may release memory
// without a signal, and only when one of its semaphores is queried.
inline void AwaitUnused(const MemoryMeter& meter, Semaphore& semaphore) {
  while (meter.in_use() != 0) {
    semaphore.Query().status().IgnoreError();
    absl::SleepFor(absl::Milliseconds(1));
  }
}

}  // namespace eyrie::hal

#endif  // EYRIE_TESTS_SUPPORT_DEVICE_HELPERS_H_
