// Vulkan memory that two devices share by descriptors, through the embedding
// API. The two devices stand for two programs.
#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "eyrie/external.h"
#include "eyrie/fence.h"
#include "eyrie/runtime.h"
#include "gtest/gtest.h"
#include "hal/vulkan/instance.h"
#include "hal/vulkan/physical_device.h"
#include "tests/support/lavapipe.h"

namespace eyrie::tests {
namespace {

using Floats = std::vector<float>;

template <typename T>
std::string ErrorOf(const Result<T>& result) {
  return result ? "OK" : result.error().message();
}

class VulkanSharing : public ::testing::Test {
 protected:
  void SetUp() override {
    ChooseLavapipe();
    auto one = Device::Open("vulkan");
    auto other = Device::Open("vulkan");
    if (!one) GTEST_SKIP() << one.error().message();
    ASSERT_TRUE(other) << other.error().message();
    devices_ = {*std::move(one), *std::move(other)};
    auto probe = ExportArray(devices_[0], EYRIE_EXTERNAL_OPAQUE_FD,
                             EYRIE_DTYPE_F32, {4});
    if (!probe && probe.error().code() == EYRIE_UNIMPLEMENTED) {
      GTEST_SKIP() << probe.error().message();
    }
    ASSERT_TRUE(probe) << probe.error().message();
    close(probe->memory.descriptor);
  }

  Result<Context> OpenAdd(const Device& device) {
    auto module = Module::Load("tests/modules/3.13/add.vulkan.vmfb");
    if (!module) return module.error();
    return Context::Create(device, *module);
  }

  std::vector<Device> devices_;
};

Floats Elements(const Value& value) {
  const auto elements = value.elements<float>();
  if (!elements) return {};
  return {elements->begin(), elements->end()};
}

bool IsOpen(int descriptor) { return fcntl(descriptor, F_GETFD) >= 0; }

// One device writes the result of a call, and the other reads it in place.
TEST_F(VulkanSharing, ResultsOfOneAreArgumentsOfTheOther) {
  auto first = OpenAdd(devices_[0]);
  auto second = OpenAdd(devices_[1]);
  ASSERT_TRUE(first && second);
  auto shared =
      ExportArray(devices_[0], EYRIE_EXTERNAL_OPAQUE_FD, EYRIE_DTYPE_F32, {4});
  ASSERT_EQ(ErrorOf(shared), "OK");
  EXPECT_EQ(Elements(shared->array), Floats({0, 0, 0, 0}));
  const int descriptor = shared->memory.descriptor;
  auto seen = ImportArray(devices_[1], EYRIE_DTYPE_F32, {4}, shared->memory);
  ASSERT_EQ(ErrorOf(seen), "OK");
  EXPECT_FALSE(IsOpen(descriptor));
  seen->Lend();
  const Value ones = *Value::Array({4}, Floats{1, 2, 3, 4});
  auto add = second->Find("add");
  for (float sum = 2; sum < 5; ++sum) {
    const Value by = *Value::Array({4}, Floats{1, 1, 1, sum});
    auto out = first->Find("add")->CallOut({shared->array}, {ones, by});
    ASSERT_EQ(ErrorOf(out), "OK");
    EXPECT_EQ(Elements(*seen), Floats({2, 3, 4, 4 + sum}));
    auto doubled = add->Call({*seen, *seen});
    ASSERT_EQ(ErrorOf(doubled), "OK");
    EXPECT_EQ(Elements(doubled->front()), Floats({4, 6, 8, 8 + 2 * sum}));
    EXPECT_EQ(add->statistics().copied, 0u);
  }
  // The memory exists as long as one of them uses it.
  shared = Error(EYRIE_OK, "");
  EXPECT_EQ(Elements(*seen), Floats({2, 3, 4, 8}));
}

TEST_F(VulkanSharing, PartsOfMemory) {
  auto shared = ExportArray(devices_[0], EYRIE_EXTERNAL_OPAQUE_FD,
                            EYRIE_DTYPE_UI8, {4096});
  ASSERT_EQ(ErrorOf(shared), "OK");
  eyrie_external_memory_t part = shared->memory;
  part.offset = 1024;
  auto value = ImportArray(devices_[1], EYRIE_DTYPE_F32, {2, 2}, part);
  ASSERT_EQ(ErrorOf(value), "OK");
  EXPECT_EQ(Elements(*value), Floats({0, 0, 0, 0}));
}

// Devices copy whole words, also for arrays that are not a whole number of
// them, or empty.
TEST_F(VulkanSharing, AnyNumberOfBytes) {
  for (const int64_t size : {0, 1, 3, 5, 63, 64, 65, 4097}) {
    SCOPED_TRACE(size);
    auto shared = ExportArray(devices_[0], EYRIE_EXTERNAL_OPAQUE_FD,
                              EYRIE_DTYPE_UI8, {size});
    ASSERT_EQ(ErrorOf(shared), "OK");
    EXPECT_GE(shared->memory.size, static_cast<uint64_t>(size));
    auto seen =
        ImportArray(devices_[1], EYRIE_DTYPE_UI8, {size}, shared->memory);
    ASSERT_EQ(ErrorOf(seen), "OK");
    const auto bytes = seen->elements<uint8_t>();
    ASSERT_TRUE(bytes);
    EXPECT_EQ(std::vector<uint8_t>(bytes->begin(), bytes->end()),
              std::vector<uint8_t>(static_cast<size_t>(size)));
  }
}

TEST_F(VulkanSharing, Errors) {
  auto shared = ExportArray(devices_[0], EYRIE_EXTERNAL_OPAQUE_FD,
                            EYRIE_DTYPE_UI8, {4096});
  ASSERT_EQ(ErrorOf(shared), "OK");
  const eyrie_external_memory_t good = shared->memory;
  const auto with = [&](auto member, auto value) {
    eyrie_external_memory_t memory = good;
    memory.*member = value;
    return memory;
  };
  using M = eyrie_external_memory_t;
  const struct {
    eyrie_external_memory_t memory;
    int64_t size;
    eyrie_code_t code;
    std::string want;  // how the message begins
  } kRows[] = {
      {with(&M::offset, uint64_t{1} << 40), 16, EYRIE_INVALID_ARGUMENT,
       "An array of 16 bytes at offset 1099511627776 exceeds the external"},
      {with(&M::offset, ~uint64_t{0} - 15), 16, EYRIE_INVALID_ARGUMENT,
       "An array of 16 bytes at offset 18446744073709551600 exceeds"},
      {with(&M::offset, 1), 16, EYRIE_INVALID_ARGUMENT,
       "The offset in external memory (1) is not a multiple of "},
      {good, int64_t{1} << 40, EYRIE_INVALID_ARGUMENT,
       "An array of 1099511627776 bytes at offset 0 exceeds"},
      {with(&M::size, uint64_t{5}), 5, EYRIE_INVALID_ARGUMENT,
       "An array of 5 bytes at offset 0 needs whole words of 4 bytes, at least "
       "one; the external memory has 5 bytes."},
      // More than there is; drivers refuse it in different functions.
      {with(&M::size, ~uint64_t{0}), int64_t{1} << 40, EYRIE_RESOURCE_EXHAUSTED,
       ""},
      {with(&M::memory_type, 99), 16, EYRIE_INVALID_ARGUMENT,
       "The memory type (99) is not below the device's number of types ("},
      {with(&M::kind, 7), 16, EYRIE_INVALID_ARGUMENT,
       "The kind of external memory (7) is not opaque (1) or dma-buf (2)."},
      {with(&M::descriptor, -1), 16, EYRIE_INVALID_ARGUMENT,
       "Descriptor -1 of the external memory is not open."},
      {with(&M::struct_size, 8), 16, EYRIE_INVALID_ARGUMENT,
       "The struct_size of the external memory (8) is below that of the first"},
  };
  for (const auto& row : kRows) {
    auto value =
        ImportArray(devices_[1], EYRIE_DTYPE_UI8, {row.size}, row.memory);
    ASSERT_FALSE(value.ok()) << row.want;
    EXPECT_EQ(value.error().code(), row.code) << value.error().message();
    EXPECT_EQ(value.error().message().substr(0, row.want.size()), row.want);
    EXPECT_TRUE(IsOpen(good.descriptor));
  }
  // The descriptor is not a dma-buf, which drivers may not know either.
  const auto refused = ImportArray(devices_[1], EYRIE_DTYPE_UI8, {16},
                                   with(&M::kind, EYRIE_EXTERNAL_DMA_BUF));
  ASSERT_FALSE(refused.ok());
  EXPECT_TRUE(refused.error().code() == EYRIE_INVALID_ARGUMENT ||
              refused.error().code() == EYRIE_UNIMPLEMENTED)
      << refused.error().message();
  // dma-bufs depend on the driver.
  const auto dma =
      ExportArray(devices_[0], EYRIE_EXTERNAL_DMA_BUF, EYRIE_DTYPE_UI8, {16});
  if (dma) {
    close(dma->memory.descriptor);
  } else {
    EXPECT_EQ(dma.error().code(), EYRIE_UNIMPLEMENTED);
  }
  auto cpu = Device::Open("local-sync");
  EXPECT_EQ(ErrorOf(ExportArray(*cpu, EYRIE_EXTERNAL_OPAQUE_FD, EYRIE_DTYPE_UI8,
                                {1})),
            "Only Vulkan devices have memory that is exported by descriptors.");
  EXPECT_EQ(ErrorOf(ImportArray(*cpu, EYRIE_DTYPE_UI8, {1}, good)),
            "Only Vulkan devices import memory by descriptors.");
  close(good.descriptor);
}

// ---- A device of the program ------------------------------------------------

// Creates a VkDevice as a program does that draws with Vulkan.
class OwnDevice {
 public:
  explicit OwnDevice(bool timeline_semaphores, bool robust = false) {
    const auto instance = hal::vulkan::Instance::Get(false);
    const auto found = hal::vulkan::FindDevices(**instance);
    physical_ = found->front();
    features_.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
    features_.timelineSemaphore = timeline_semaphores ? VK_TRUE : VK_FALSE;
    features_.scalarBlockLayout = VK_TRUE;
    basic_.robustBufferAccess = robust ? VK_TRUE : VK_FALSE;
    queues_.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
    queues_.queueFamilyIndex = physical_.queue_family;
    queues_.queueCount = 1;
    queues_.pQueuePriorities = &priority_;
    info_.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
    info_.pNext = &features_;
    info_.queueCreateInfoCount = 1;
    info_.pQueueCreateInfos = &queues_;
    info_.enabledExtensionCount = 1;
    info_.ppEnabledExtensionNames = &extension_;
    info_.pEnabledFeatures = &basic_;
    EXPECT_EQ(vkCreateDevice(physical_.handle, &info_, nullptr, &device_),
              VK_SUCCESS);
    volkLoadDeviceTable(&functions_, device_);
    functions_.vkGetDeviceQueue(device_, physical_.queue_family, 0, &queue_);
  }
  ~OwnDevice() { functions_.vkDestroyDevice(device_, nullptr); }

  eyrie_vulkan_device_t description() {
    return {sizeof(eyrie_vulkan_device_t),
            physical_.handle,
            device_,
            &info_,
            queue_,
            physical_.queue_family,
            /*reserved=*/0};
  }

  VkDevice handle() const { return device_; }
  const VolkDeviceTable& fn() const { return functions_; }

 private:
  hal::vulkan::PhysicalDevice physical_;
  VkPhysicalDeviceFeatures basic_ = {};
  VkPhysicalDeviceVulkan12Features features_ = {};
  VkDeviceQueueCreateInfo queues_ = {};
  VkDeviceCreateInfo info_ = {};
  const float priority_ = 1;
  const char* extension_ = VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME;
  VolkDeviceTable functions_ = {};
  VkDevice device_ = VK_NULL_HANDLE;
  VkQueue queue_ = VK_NULL_HANDLE;
};

TEST_F(VulkanSharing, DeviceOfTheProgram) {
  OwnDevice own(/*timeline_semaphores=*/true);
  const eyrie_vulkan_device_t description = own.description();
  auto device = Device::Open("vulkan", {.vulkan_device = &description});
  ASSERT_EQ(ErrorOf(device), "OK");
  auto context = OpenAdd(*device);
  ASSERT_EQ(ErrorOf(context), "OK");
  // It shares memory with another device.
  auto shared =
      ExportArray(*device, EYRIE_EXTERNAL_OPAQUE_FD, EYRIE_DTYPE_F32, {4});
  ASSERT_EQ(ErrorOf(shared), "OK");
  auto seen = ImportArray(devices_[0], EYRIE_DTYPE_F32, {4}, shared->memory);
  ASSERT_EQ(ErrorOf(seen), "OK");
  const Value x = *Value::Array({4}, Floats{1, 2, 3, 4});
  ASSERT_EQ(ErrorOf(context->Find("add")->CallOut({shared->array}, {x, x})),
            "OK");
  EXPECT_EQ(Elements(*seen), Floats({2, 4, 6, 8}));
}

// A timeline semaphore of the program: 1 when its own work is complete, 2 when
// the call is that waits for it. docs/embedding.md has the same code.
TEST_F(VulkanSharing, ChainsWithASemaphoreOfTheProgram) {
  OwnDevice own(/*timeline_semaphores=*/true);
  const eyrie_vulkan_device_t description = own.description();
  auto device = Device::Open("vulkan", {.vulkan_device = &description});
  ASSERT_EQ(ErrorOf(device), "OK");
  auto module = Module::Load("tests/modules/3.13/add.vulkan-async.vmfb");
  auto context = Context::Create(*device, *module);
  ASSERT_EQ(ErrorOf(context), "OK");
  VkSemaphoreTypeCreateInfo type = {
      VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, nullptr,
      VK_SEMAPHORE_TYPE_TIMELINE, 0};
  const VkSemaphoreCreateInfo info = {VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
                                      &type, 0};
  VkSemaphore timeline = VK_NULL_HANDLE;
  ASSERT_EQ(own.fn().vkCreateSemaphore(own.handle(), &info, nullptr, &timeline),
            VK_SUCCESS);
  const auto wait = [&](uint64_t value) {
    const VkSemaphoreWaitInfo points = {VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                                        nullptr,
                                        0,
                                        1,
                                        &timeline,
                                        &value};
    return own.fn().vkWaitSemaphores(own.handle(), &points, UINT64_MAX);
  };
  const auto signal = [&](uint64_t value) {
    const VkSemaphoreSignalInfo point = {
        VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, nullptr, timeline, value};
    return own.fn().vkSignalSemaphore(own.handle(), &point);
  };

  auto drawn = Fence::Create(*device);
  auto added = Fence::Create(*device);
  added->OnDone([&](const Error*) { signal(2); });
  std::thread bridge([&] {
    wait(1);
    (void)drawn->Signal();
  });
  const Value x = *Value::Array({4}, Floats{1, 2, 3, 4});
  auto results = context->Find("add")->Call(
      {x, x}, {}, {.wait = &*drawn, .signal = &*added});
  ASSERT_EQ(ErrorOf(results), "OK");
  uint64_t value = 7;
  own.fn().vkGetSemaphoreCounterValue(own.handle(), timeline, &value);
  EXPECT_EQ(value, 0u);
  EXPECT_FALSE(*added->IsReached());
  signal(1);
  EXPECT_EQ(wait(2), VK_SUCCESS);
  EXPECT_EQ(Elements(results->front()), Floats({2, 4, 6, 8}));
  bridge.join();
  own.fn().vkDestroySemaphore(own.handle(), timeline, nullptr);
}

TEST_F(VulkanSharing, DevicesThatCannotBeUsed) {
  OwnDevice bare(/*timeline_semaphores=*/false);
  OwnDevice good(/*timeline_semaphores=*/true);
  OwnDevice robust(/*timeline_semaphores=*/true, /*robust=*/true);
  eyrie_vulkan_device_t other_family = good.description();
  other_family.queue_family = 77;
  eyrie_vulkan_device_t no_queue = good.description();
  no_queue.queue = nullptr;
  const struct {
    const char* name;
    eyrie_vulkan_device_t device;
    bool no_native_code;
    std::string want;
  } kRows[] = {
      {"vulkan", bare.description(), false,
       "The VkDevice was created without the feature timelineSemaphore."},
      {"vulkan", other_family, false,
       "The VkDevice has no queue of the family 77."},
      {"vulkan", no_queue, false,
       "A Vulkan device of the host needs a VkPhysicalDevice, a VkDevice, its "
       "VkDeviceCreateInfo and a VkQueue."},
      {"vulkan://0", good.description(), false,
       "A Vulkan device that the host created takes no name; got '0'."},
      {"vulkan", good.description(), true,
       "The device has no robust buffer access, which confines shaders to "
       "their buffers."},
      {"vulkan", robust.description(), true, "OK"},
      {"local-sync", bare.description(), false, "OK"},
  };
  for (const auto& row : kRows) {
    EXPECT_EQ(
        ErrorOf(Device::Open(row.name, {.no_native_code = row.no_native_code,
                                        .vulkan_device = &row.device})),
        row.want);
  }
}

}  // namespace
}  // namespace eyrie::tests
