// Logs, allocators and the versions of options.
#include "abi/c/c_options.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/status_macros.h"
#include "hal/drivers/drivers.h"
#include "hal/host_memory.h"
#include "vm/jit/jit.h"

namespace eyrie::abi {
namespace {

using FreeData = void (*)(void*);

std::function<void(absl::string_view)> NoticeOf(
    const eyrie_device_options_t& options) {
  if (options.notice == nullptr) return nullptr;
  return [notice = options.notice,
          data = ShareData(options.notice_data, options.free_notice_data)](
             absl::string_view sentence) {
    notice(std::string(sentence).c_str(), data.get());
  };
}

// Returns a function that passes notes to `notice` and to the log, if they are
// not empty.
std::function<void(absl::string_view)> NotesTo(
    std::function<void(absl::string_view)> notice, Log log) {
  if (!log) return notice;
  return [notice = std::move(notice),
          log = std::move(log)](absl::string_view sentence) {
    if (notice) notice(sentence);
    log(EYRIE_SEVERITY_NOTE, sentence);
  };
}

void SetThreads(const eyrie_device_options_t& options,
                hal::cpu::TaskOptions& task) {
  task.group_count = options.thread_count;
  if (options.thread_cpus != nullptr) task.cpu_ids = {options.thread_cpus};
  if (options.thread_spin_us != 0) {
    task.spin_us = std::max<int64_t>(options.thread_spin_us, 0);
  }
}

absl::Status SetVulkanDevice(const eyrie_vulkan_device_t* given,
                             hal::vulkan::VulkanOptions& vulkan) {
  constexpr size_t kSizes[] = {sizeof(eyrie_vulkan_device_t)};
  constexpr absl::string_view kWhat = "the Vulkan device";
  if (given == nullptr) return absl::OkStatus();
  ASSIGN_OR_RETURN(const eyrie_vulkan_device_t host,
                   FullStruct(given, kSizes, kWhat));
  RETURN_IF_ERROR(CheckNewer(given, kWhat));
  if (host.reserved != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("The Vulkan device's reserved member is ", host.reserved,
                     "; expected 0."));
  }
  vulkan.host_device = {host.physical_device, host.device, host.create_info,
                        host.queue, host.queue_family};
  return absl::OkStatus();
}

class EmbeddersMemory final : public hal::HostMemory {
 public:
  EmbeddersMemory(eyrie_allocate_t allocate, eyrie_deallocate_t deallocate,
                  std::shared_ptr<void> data)
      : allocate_(allocate), deallocate_(deallocate), data_(std::move(data)) {}

  void* Allocate(size_t size, size_t alignment) override {
    return allocate_(size, alignment, data_.get());
  }
  void Free(void* memory, size_t size) override {
    deallocate_(memory, size, data_.get());
  }

 private:
  const eyrie_allocate_t allocate_;
  const eyrie_deallocate_t deallocate_;
  const std::shared_ptr<void> data_;
};

}  // namespace

std::shared_ptr<void> ShareData(void* data, FreeData free_data) {
  return std::shared_ptr<void>(data, [free_data](void* user) {
    if (free_data != nullptr) free_data(user);
  });
}

std::shared_ptr<hal::HostMemory> NewHostMemory(eyrie_allocate_t allocate,
                                               eyrie_deallocate_t deallocate,
                                               std::shared_ptr<void> data) {
  return std::make_shared<EmbeddersMemory>(allocate, deallocate,
                                           std::move(data));
}

absl::Status CheckUse(eyrie_memory_use_t use) {
  if (use == EYRIE_MEMORY_COPY || use == EYRIE_MEMORY_LEND_CONST) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "The use of memory (", use, ") is not copy (0) or lend const (1)."));
}

absl::StatusOr<std::shared_ptr<const MappedFile>> MapDescriptor(int descriptor,
                                                                uint64_t offset,
                                                                uint64_t size) {
  return MappedFile::OpenPart(descriptor, offset,
                              size == 0 ? std::nullopt : std::optional(size),
                              absl::StrCat("Descriptor ", descriptor));
}

absl::StatusOr<std::shared_ptr<const vm::Jit>> JitOf(int mode) {
  const auto make = [](vm::jit::Mode of) {
    return vm::jit::Create(of).value_or(nullptr);
  };
  switch (mode) {
    case EYRIE_JIT_LAZY: {
      // Both are never destroyed, because threads may still need them while the
      // process exits.
      static const auto& kLazy = *new auto(make(vm::jit::Mode::kLazy));
      return kLazy;
    }
    case EYRIE_JIT_EAGER: {
      static const auto& kEager = *new auto(make(vm::jit::Mode::kEager));
      return kEager;
    }
    case EYRIE_JIT_OFF:
      return std::shared_ptr<const vm::Jit>();
    default:
      return absl::InvalidArgumentError(
          absl::StrCat("The device options' jit (", mode,
                       ") is not lazy (0), off (1) or eager (2)."));
  }
}

Log LogOf(eyrie_log_t log, void* data, FreeData free_data) {
  if (log == nullptr) return nullptr;
  return [log, data = ShareData(data, free_data)](eyrie_severity_t severity,
                                                  absl::string_view line) {
    const std::string text(line);  // followed by a NUL
    log(severity, text.c_str(), text.size(), data.get());
  };
}

absl::StatusOr<DeviceSetup> DeviceSetupOf(const eyrie_device_options_t* given) {
  constexpr size_t kSizes[] = {sizeof(eyrie_device_options_t)};
  ASSIGN_OR_RETURN(const eyrie_device_options_t options,
                   FullStruct(given, kSizes, "the device options"));
  DeviceSetup setup;
  setup.log = LogOf(options.log, options.log_data, options.free_log_data);
  setup.driver.notice = NotesTo(NoticeOf(options), setup.log);
  setup.driver.allow_system_executables = options.allow_system_executables != 0;
  setup.driver.allow_native_code = options.no_native_code == 0;
  setup.driver.isolate = options.isolate != 0;
  if (options.max_idle_memory != 0) {
    setup.driver.max_idle_memory = options.max_idle_memory;
  }
  SetThreads(options, setup.driver.Of<hal::cpu::TaskOptions>());
  if (options.pipeline_cache != nullptr) {
    setup.driver.Of<hal::vulkan::VulkanOptions>().cache_folder =
        options.pipeline_cache;
  }
  RETURN_IF_ERROR(SetVulkanDevice(
      options.vulkan_device, setup.driver.Of<hal::vulkan::VulkanOptions>()));
  if (options.allocator != nullptr) {
    setup.driver.host_memory = options.allocator->memory;
  }
  ASSIGN_OR_RETURN(setup.jit, JitOf(options.jit));
  RETURN_IF_ERROR(CheckNewer(given, "the device options"));
  return setup;
}

absl::StatusOr<eyrie_context_options_t> ContextOptionsOf(
    const eyrie_context_options_t* given) {
  constexpr size_t kSizes[] = {sizeof(eyrie_context_options_t)};
  return FullStruct(given, kSizes, "the context options");
}

}  // namespace eyrie::abi
