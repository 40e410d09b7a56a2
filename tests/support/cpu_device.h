// What the tests of the CPU devices share: the devices, buffers of words,
// fences as text.
#ifndef EYRIE_TESTS_SUPPORT_CPU_DEVICE_H_
#define EYRIE_TESTS_SUPPORT_CPU_DEVICE_H_

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/ref.h"
#include "gtest/gtest.h"
#include "hal/cpu/device.h"
#include "hal/cpu/task/device.h"
#include "hal/device.h"
#include "hal/driver.h"
#include "tests/support/status_text.h"

namespace eyrie::hal::cpu {

inline Ref<hal::Device> NewDevice() { return MakeSyncDevice(DriverOptions()); }

// One way to run things: a driver, its threads, and what it shares.
struct DeviceKind {
  const char* name;
  const char* id;
  int threads;
  bool shares_everything = false;
};

inline constexpr DeviceKind kDeviceKinds[] = {
    {"sync", "local-sync", 1},
    {"task1", "local-task", 1},
    {"task2", "local-task", 2},
    {"task2shared", "local-task", 2, true},
    {"task7shared", "local-task", 7, true},
};

inline Ref<hal::Device> NewDevice(const DeviceKind& kind) {
  if (kind.id == kDeviceKinds[0].id) return NewDevice();
  Topology topology;
  topology.threads = kind.threads;
  return MakeTaskDevice(
      DriverOptions(), topology,
      kind.shares_everything ? SharingPolicy::Everything() : SharingPolicy());
}

// Tests that run on each kind of device.
class EachDevice : public ::testing::TestWithParam<DeviceKind> {
 protected:
  Ref<hal::Device> NewDevice() const { return cpu::NewDevice(GetParam()); }
};

inline auto AllDeviceKinds() { return ::testing::ValuesIn(kDeviceKinds); }
inline std::string NameOfKind(
    const ::testing::TestParamInfo<DeviceKind>& info) {
  return info.param.name;
}

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
  semaphore.Wait(value, absl::Now() + absl::Minutes(1)).IgnoreError();
  return State(semaphore);
}

// Runs commands to their end, and says how it was.
inline absl::Status Execute(hal::Device& device,
                            const Ref<CommandBuffer>& commands,
                            std::span<const BufferBinding> table) {
  const Ref<Semaphore> done = *device.CreateSemaphore(0);
  const Ref<Fence> signal = Fence::At(done, 1);
  const absl::Status status =
      device.QueueExecute({nullptr, signal.get()}, commands, table);
  if (!status.ok()) {
    EXPECT_EQ(State(*done), StatusText(status));
    return status;
  }
  return done->Wait(1, absl::InfiniteFuture());
}

}  // namespace eyrie::hal::cpu

#endif  // EYRIE_TESTS_SUPPORT_CPU_DEVICE_H_
