// What the tests of all devices share: buffers of words, fences as text,
// commands run to their end.
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

// A buffer that commands may use for anything.
inline Ref<hal::Buffer> NewBuffer(hal::Device& device, uint64_t size) {
  BufferParams params;
  params.usage =
      buffer_usage::kDefault | buffer_usage::kDispatchIndirectParameters;
  return *device.allocator().Allocate(params, size);
}

inline BufferRef Whole(Ref<hal::Buffer> buffer) {
  return {std::move(buffer), 0, 0, kWholeBuffer};
}

// The buffer's 32-bit words: "1 2 3".
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

// The value of a timeline, or its failure.
inline std::string State(Semaphore& semaphore) {
  const absl::StatusOr<uint64_t> value = semaphore.Query();
  return value.ok() ? absl::StrCat(*value) : StatusText(value);
}

// The same, once it has reached `value` or failed; a minute is for ever.
inline std::string StateAt(Semaphore& semaphore, uint64_t value) {
  semaphore.Wait(value, Deadline::After(absl::Minutes(1))).IgnoreError();
  return State(semaphore);
}

// Queues an operation, and says how it ended.
template <typename Operation>
absl::Status Finish(hal::Device& device, const Operation& operation) {
  const Ref<Semaphore> done = *device.CreateSemaphore(0);
  const Ref<Fence> signal = Fence::At(done, 1);
  const absl::Status status = operation(QueueFences{nullptr, signal.get()});
  if (!status.ok()) {
    EXPECT_EQ(State(*done), StatusText(status));
    return status;
  }
  // A copy of its own, made before the fence is let go of: ThreadSanitizer does
  // not see how Abseil's library counts the copies that a worker has last.
  const absl::Status waited = done->Wait(1, Deadline::Never());
  return absl::Status(waited.code(), waited.message());
}

// Runs commands to their end, and says how it was.
inline absl::Status Execute(hal::Device& device,
                            const Ref<CommandBuffer>& commands,
                            std::span<const BufferBinding> table) {
  return Finish(device, [&](const QueueFences& fences) {
    return device.QueueExecute(fences, commands, table);
  });
}

// Waits until nothing of a meter is in use: what a device does that nobody is
// told of ends in its own time, and is noticed by whoever looks at one of its
// semaphores.
inline void AwaitUnused(const MemoryMeter& meter, Semaphore& semaphore) {
  while (meter.in_use() != 0) {
    semaphore.Query().status().IgnoreError();
    absl::SleepFor(absl::Milliseconds(1));
  }
}

}  // namespace eyrie::hal

#endif  // EYRIE_TESTS_SUPPORT_DEVICE_HELPERS_H_
