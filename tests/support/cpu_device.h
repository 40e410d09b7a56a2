// What the tests of the CPU device share: buffers of words, fences as text.
#ifndef EYRIE_TESTS_SUPPORT_CPU_DEVICE_H_
#define EYRIE_TESTS_SUPPORT_CPU_DEVICE_H_

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/ref.h"
#include "gtest/gtest.h"
#include "hal/cpu/device.h"
#include "hal/device.h"
#include "hal/driver.h"
#include "tests/support/status_text.h"

namespace eyrie::hal::cpu {

inline Ref<hal::Device> NewDevice() { return MakeSyncDevice(DriverOptions()); }

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
  EXPECT_TRUE(buffer
                  .Read(0, {reinterpret_cast<uint8_t*>(words.data()),
                            words.size() * 4})
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

}  // namespace eyrie::hal::cpu

#endif  // EYRIE_TESTS_SUPPORT_CPU_DEVICE_H_
