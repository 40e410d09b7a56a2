// Creates instances and collects the validation layer's messages.
#include "hal/vulkan/instance.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace eyrie::hal::vulkan {
namespace {

constexpr char kLayer[] = "VK_LAYER_KHRONOS_validation";
constexpr size_t kMaxMessages = 100;

// Returns all items of a Vulkan enumeration, `enumerate(count, items)`.
template <typename T, typename Enumerate>
std::vector<T> List(const Enumerate& enumerate) {
  uint32_t count = 0;
  std::vector<T> items;
  VkResult result;
  do {
    result = enumerate(&count, static_cast<T*>(nullptr));
    if (result < 0) return {};
    items.resize(count);
    result = enumerate(&count, items.data());
  } while (result == VK_INCOMPLETE);
  items.resize(result < 0 ? 0 : count);
  return items;
}

bool HasExtension(const char* name) {
  const auto all =
      List<VkExtensionProperties>([](uint32_t* count, auto* items) {
        return vkEnumerateInstanceExtensionProperties(nullptr, count, items);
      });
  return std::any_of(all.begin(), all.end(), [name](const auto& extension) {
    return std::strcmp(extension.extensionName, name) == 0;
  });
}

bool HasLayer() {
  const auto all = List<VkLayerProperties>([](uint32_t* count, auto* items) {
    return vkEnumerateInstanceLayerProperties(count, items);
  });
  return std::any_of(all.begin(), all.end(), [](const auto& layer) {
    return std::strcmp(layer.layerName, kLayer) == 0;
  });
}

// Returns where the loader looks for drivers, according to its documentation.
std::string DriverPlaces() {
  for (const char* name : {"VK_DRIVER_FILES", "VK_ICD_FILENAMES"}) {
    const char* const files = std::getenv(name);
    if (files != nullptr) return absl::StrCat("in ", name, "='", files, "'");
  }
  return "in vulkan/icd.d of /etc, /usr/share and the folders of XDG";
}

absl::Status CreateInstance(const VkInstanceCreateInfo& info,
                            VkInstance* handle) {
  const VkResult result = vkCreateInstance(&info, nullptr, handle);
  // The loader returns this, too, if there is no driver.
  if (result == VK_ERROR_INCOMPATIBLE_DRIVER) return NoDriverError();
  return Check(result, "vkCreateInstance");
}

}  // namespace

absl::Status NoDriverError() {
  return absl::UnavailableError(
      absl::StrCat("Vulkan has no device on this machine: its loader looked ",
                   DriverPlaces(),
                   " and found no driver with a device (Debian: "
                   "mesa-vulkan-drivers, or the GPU vendor's driver)."));
}

absl::StatusOr<std::shared_ptr<Instance>> Instance::Get(bool validation_layer) {
  // Volk has one set of functions per process, so instances are shared. They
  // are never destroyed at exit, when other threads may still call this.
  static std::mutex mutex;
  static auto* const alive = new std::weak_ptr<Instance>[2];
  std::lock_guard<std::mutex> lock(mutex);
  std::weak_ptr<Instance>& known = alive[validation_layer ? 1 : 0];
  const std::shared_ptr<Instance> alive_one = known.lock();
  if (alive_one != nullptr && !alive_one->mark_.IsForked()) return alive_one;
  std::shared_ptr<Instance> instance(new Instance());
  RETURN_IF_ERROR(instance->Open(validation_layer));
  known = instance;
  return instance;
}

absl::Status Instance::Open(bool validation_layer) {
  RETURN_IF_ERROR(LoadVulkan());
  if (validation_layer && !HasLayer()) {
    return absl::UnavailableError(
        "Vulkan's validation layer is not installed (Debian: "
        "vulkan-validationlayers).");
  }
  has_debug_names_ = HasExtension(VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
  VkApplicationInfo application = {};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.pApplicationName = "eyrie";
  application.apiVersion = VK_API_VERSION_1_3;

  VkDebugUtilsMessengerCreateInfoEXT messenger = {};
  messenger.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT;
  messenger.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                              VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  messenger.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
  messenger.pfnUserCallback = TakeMessage;
  messenger.pUserData = this;
  const VkValidationFeatureEnableEXT enabled[] = {
      VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT};
  VkValidationFeaturesEXT features = {};
  features.sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT;
  features.pNext = &messenger;
  features.enabledValidationFeatureCount = 1;
  features.pEnabledValidationFeatures = enabled;

  const char* const layer = kLayer;
  const char* const extension = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
  VkInstanceCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pApplicationInfo = &application;
  info.enabledExtensionCount = has_debug_names_ ? 1 : 0;
  info.ppEnabledExtensionNames = &extension;
  if (validation_layer) {
    info.pNext = &features;
    info.enabledLayerCount = 1;
    info.ppEnabledLayerNames = &layer;
  }
  RETURN_IF_ERROR(CreateInstance(info, &handle_));
  volkLoadInstanceOnly(handle_);
  if (!validation_layer) return absl::OkStatus();
  return Check(
      vkCreateDebugUtilsMessengerEXT(handle_, &messenger, nullptr, &messenger_),
      "vkCreateDebugUtilsMessengerEXT");
}

Instance::~Instance() {
  // In a forked child, do not call the driver: it could wait for threads that
  // exist only in the parent.
  if (handle_ == VK_NULL_HANDLE || mark_.IsForked()) return;
  if (messenger_ != VK_NULL_HANDLE) {
    vkDestroyDebugUtilsMessengerEXT(handle_, messenger_, nullptr);
  }
  vkDestroyInstance(handle_, nullptr);
}

VkBool32 Instance::TakeMessage(VkDebugUtilsMessageSeverityFlagBitsEXT,
                               VkDebugUtilsMessageTypeFlagsEXT,
                               const VkDebugUtilsMessengerCallbackDataEXT* data,
                               void* instance) {
  Instance& self = *static_cast<Instance*>(instance);
  std::lock_guard<std::mutex> lock(self.mutex_);
  if (self.messages_.size() < kMaxMessages) {
    self.messages_.emplace_back(data->pMessage);
  }
  return VK_FALSE;
}

std::vector<std::string> Instance::TakeMessages() {
  std::lock_guard<std::mutex> lock(mutex_);
  return std::exchange(messages_, {});
}

absl::StatusOr<std::vector<VkPhysicalDevice>> Instance::PhysicalDevices()
    const {
  VkResult failed = VK_SUCCESS;
  std::vector<VkPhysicalDevice> devices =
      List<VkPhysicalDevice>([&](uint32_t* count, VkPhysicalDevice* items) {
        failed = vkEnumeratePhysicalDevices(handle_, count, items);
        return failed;
      });
  RETURN_IF_ERROR(Check(failed, "vkEnumeratePhysicalDevices"));
  return devices;
}

}  // namespace eyrie::hal::vulkan
