// Compares the time of a call on a Vulkan device with that of Vulkan alone.
//
//   LP_NUM_THREADS=0 bazel run -c opt //tests/vulkan:vulkan_bench
// Floor is a handwritten dispatch: recorded, submitted and awaited. FloorChain
// records 64 of them with barriers. Call is a module's function that runs the
// same dispatch, from prepared arguments to ready results. Chain is 64
// dispatches in one command buffer of the HAL.
// On a machine without Vulkan, nothing is measured.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "abi/call/session.h"
#include "base/deadline.h"
#include "benchmark/benchmark.h"
#include "hal/buffer_view.h"
#include "hal/driver.h"
#include "hal/drivers/drivers.h"
#include "hal/vulkan/executable_def.h"
#include "hal/vulkan/logical_device.h"
#include "hal/vulkan/memory_block.h"
#include "hal/vulkan/pipeline.h"

namespace eyrie::hal::vulkan {
namespace {

// Size of each binding in bytes.
constexpr uint64_t kRange = 4096;

constexpr char kModule[] = "tests/modules/3.13/add.vulkan.vmfb";
constexpr char kExecutable[] = "hal/vulkan/testdata/add_3_13.vk";
constexpr int kChained = 64;

std::vector<uint8_t> FileBytes(const char* path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) std::abort();
  return {std::istreambuf_iterator<char>(file), {}};
}

template <typename T>
T OrAbort(absl::StatusOr<T> value) {
  if (!value.ok()) std::abort();
  return *std::move(value);
}

void OrAbort(VkResult result) {
  if (result < 0) std::abort();
}

// A handwritten dispatch of the executable's export.
class ByHand {
 public:
  ByHand();
  ~ByHand();

  void Record(int dispatches);
  void SubmitAndWait();

 private:
  const std::shared_ptr<Instance> instance_ = OrAbort(Instance::Get(false));
  const std::shared_ptr<LogicalDevice> device_ = OrAbort(LogicalDevice::Open(
      instance_, OrAbort(SelectDevice(OrAbort(FindDevices(*instance_)), "")),
      {}));
  std::shared_ptr<Pipeline> pipeline_;
  std::shared_ptr<MemoryBlock> memory_;
  uint32_t bindings_ = 0;
  VkCommandPool pool_ = VK_NULL_HANDLE;
  VkCommandBuffer commands_ = VK_NULL_HANDLE;
  VkSemaphore timeline_ = VK_NULL_HANDLE;
  uint64_t value_ = 0;
};

ByHand::ByHand() {
  const ExecutableDef def = OrAbort(ReadExecutable(FileBytes(kExecutable)));
  PipelineParams params;
  params.words = def.shader_modules[0].words;
  params.entry_point = def.pipelines[0].name;
  pipeline_ = OrAbort(Pipeline::Create(
      device_, OrAbort(NativeLayout::Create(device_, def.layouts[0])), params));
  bindings_ = def.pipelines[0].binding_count;
  memory_ = OrAbort(MemoryBlock::Create(device_, 0, 1 << 20, true));
  VkCommandPoolCreateInfo pool = {};
  pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  pool.queueFamilyIndex = device_->physical().queue_family;
  const VolkDeviceTable& fn = device_->fn();
  OrAbort(fn.vkCreateCommandPool(device_->handle(), &pool, nullptr, &pool_));
  VkCommandBufferAllocateInfo allocate = {};
  allocate.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  allocate.commandPool = pool_;
  allocate.commandBufferCount = 1;
  OrAbort(
      fn.vkAllocateCommandBuffers(device_->handle(), &allocate, &commands_));
  VkSemaphoreTypeCreateInfo type = {};
  type.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  VkSemaphoreCreateInfo semaphore = {};
  semaphore.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
  semaphore.pNext = &type;
  OrAbort(
      fn.vkCreateSemaphore(device_->handle(), &semaphore, nullptr, &timeline_));
}

ByHand::~ByHand() {
  const VolkDeviceTable& fn = device_->fn();
  fn.vkDestroySemaphore(device_->handle(), timeline_, nullptr);
  fn.vkDestroyCommandPool(device_->handle(), pool_, nullptr);
}

void ByHand::Record(int dispatches) {
  const VolkDeviceTable& fn = device_->fn();
  OrAbort(fn.vkResetCommandPool(device_->handle(), pool_, 0));
  VkCommandBufferBeginInfo begin = {};
  begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  OrAbort(fn.vkBeginCommandBuffer(commands_, &begin));
  fn.vkCmdBindPipeline(commands_, VK_PIPELINE_BIND_POINT_COMPUTE,
                       pipeline_->handle());
  VkMemoryBarrier barrier = {};
  barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  barrier.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
  barrier.dstAccessMask =
      VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
  const DeviceRange all = memory_->Range(0, 1 << 20);
  for (int i = 0; i < dispatches; ++i) {
    VkDescriptorBufferInfo buffers[4];
    VkWriteDescriptorSet writes[4] = {};
    for (uint32_t b = 0; b < bindings_; ++b) {
      buffers[b] = {all.buffer, b * kRange, kRange};
      writes[b].sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
      writes[b].dstBinding = b;
      writes[b].descriptorCount = 1;
      writes[b].descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
      writes[b].pBufferInfo = &buffers[b];
    }
    fn.vkCmdPushDescriptorSetKHR(commands_, VK_PIPELINE_BIND_POINT_COMPUTE,
                                 pipeline_->layout().handle(), 0, bindings_,
                                 writes);
    fn.vkCmdDispatch(commands_, 1, 1, 1);
    fn.vkCmdPipelineBarrier(
        commands_, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
        VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_HOST_BIT, 0, 1,
        &barrier, 0, nullptr, 0, nullptr);
  }
  OrAbort(fn.vkEndCommandBuffer(commands_));
}

void ByHand::SubmitAndWait() {
  const VolkDeviceTable& fn = device_->fn();
  ++value_;
  VkTimelineSemaphoreSubmitInfo values = {};
  values.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
  values.signalSemaphoreValueCount = 1;
  values.pSignalSemaphoreValues = &value_;
  VkSubmitInfo submit = {};
  submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  submit.pNext = &values;
  submit.commandBufferCount = 1;
  submit.pCommandBuffers = &commands_;
  submit.signalSemaphoreCount = 1;
  submit.pSignalSemaphores = &timeline_;
  OrAbort(fn.vkQueueSubmit(device_->queue(), 1, &submit, VK_NULL_HANDLE));
  VkSemaphoreWaitInfo wait = {};
  wait.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO;
  wait.semaphoreCount = 1;
  wait.pSemaphores = &timeline_;
  wait.pValues = &value_;
  OrAbort(fn.vkWaitSemaphores(device_->handle(), &wait, ~uint64_t{0}));
}

void Floor(benchmark::State& state) {
  ByHand by_hand;
  for (auto _ : state) {
    by_hand.Record(static_cast<int>(state.range(0)));
    by_hand.SubmitAndWait();
  }
}
BENCHMARK(Floor)->Arg(1)->Arg(kChained)->UseRealTime();

void Call(benchmark::State& state) {
  std::vector<abi::Program> programs = {OrAbort(abi::LoadProgram(kModule))};
  const auto devices =
      OrAbort(abi::OpenDevices(std::vector<std::string>{"vulkan"}, {}));
  const auto session =
      OrAbort(abi::Session::Create(std::move(programs), devices, {}));
  abi::Callable add = OrAbort(session->Lookup("add"));
  std::vector<vm::Value> arguments;
  for (int i = 0; i < 2; ++i) {
    const Ref<hal::Buffer> buffer =
        OrAbort(devices[0]->allocator().Allocate(BufferParams(), 16));
    arguments.emplace_back(OrAbort(BufferView::Create(
        buffer, std::vector<int64_t>{4}, ElementType::kFloat32)));
  }
  for (auto _ : state) {
    benchmark::DoNotOptimize(add.Call(arguments).ok());
  }
}
BENCHMARK(Call)->UseRealTime();

void Chain(benchmark::State& state) {
  const Ref<Device> device = OrAbort(OpenDevice("vulkan", {}));
  const std::vector<uint8_t> bytes = FileBytes(kExecutable);
  ExecutableParams params;
  params.format = "vulkan-spirv-fb";
  params.data = bytes;
  const Ref<hal::Executable> executable =
      OrAbort(device->CreateExecutable(params));
  const Ref<hal::Buffer> buffer =
      OrAbort(device->allocator().Allocate(BufferParams(), 4 * kRange));
  const uint32_t one[3] = {1, 1, 1};
  std::vector<BufferRef> bindings;
  for (uint32_t b = 0; b < executable->exports()[0].binding_count; ++b) {
    bindings.push_back({buffer, 0, b * kRange, kRange});
  }
  const Ref<hal::Semaphore> semaphore = OrAbort(device->CreateSemaphore(0));
  uint64_t value = 0;
  for (auto _ : state) {
    const Ref<CommandBuffer> commands = OrAbort(device->CreateCommandBuffer(
        command_buffer_mode::kOneShot, kAnyQueue, 0));
    for (int i = 0; i < kChained; ++i) {
      if (!commands->Dispatch(executable, 0, one, {}, bindings).ok() ||
          !commands->ExecutionBarrier(4, 4).ok()) {
        std::abort();
      }
    }
    if (!commands->Finalize().ok()) std::abort();
    const Ref<Fence> signal = Fence::ForPoint(semaphore, ++value);
    if (!device->QueueExecute({nullptr, signal.get()}, commands, {}).ok() ||
        !signal->Wait(Deadline::Never()).ok()) {
      std::abort();
    }
  }
}
BENCHMARK(Chain)->UseRealTime();

}  // namespace
}  // namespace eyrie::hal::vulkan

BENCHMARK_MAIN();
