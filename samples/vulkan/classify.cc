// Classifies a picture of a digit on a GPU, or on the CPU if there is no GPU.
//   classify digits_vulkan.vmfb digits.vmfb < seven.txt
#include <cstdio>
#include <string_view>
#include <vector>

#include "eyrie/runtime.h"

namespace {

int Fail(const eyrie::Error& error) {
  std::fprintf(stderr, "classify: %s\n", error.message().c_str());
  return 1;
}

// A module contains kernels for one kind of device, so there are two modules.
// The device decides which one is used.
struct Choice {
  const char* device;
  const char* module;
};

eyrie::Result<eyrie::Device> Open(const char* name) {
  return eyrie::Device::Open(
      name, {.log = [](eyrie::Severity, std::string_view line) {
        std::fprintf(stderr, "classify: note: %.*s\n",
                     static_cast<int>(line.size()), line.data());
      }});
}

eyrie::Result<std::vector<float>> Classify(const eyrie::Device& device,
                                           const char* path,
                                           const std::vector<float>& pixels) {
  auto module = eyrie::Module::Load(path);
  if (!module) return module.error();
  auto context = eyrie::Context::Create(device, *module);
  if (!context) return context.error();
  auto picture = eyrie::Value::Array({8, 8}, pixels);
  if (!picture) return picture.error();
  // Arguments are copied to the device. Results are read in place if the host
  // can access the device's memory; otherwise they are copied.
  auto results = context->Call("classify", {*picture});
  if (!results) return results.error();
  const auto scores = results->front().elements<float>();
  if (!scores) return scores.error();
  return std::vector<float>(scores->begin(), scores->end());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    return Fail(
        {EYRIE_INVALID_ARGUMENT, "classify VULKAN_MODULE CPU_MODULE < PIXELS"});
  }
  std::vector<float> pixels(64);
  for (float& pixel : pixels) {
    if (std::scanf("%f", &pixel) != 1) {
      return Fail({EYRIE_OUT_OF_RANGE, "Fewer than 64 pixels are given."});
    }
  }
  Choice choice = {"vulkan", argv[1]};
  auto device = Open(choice.device);
  if (!device && device.error().code() == EYRIE_UNAVAILABLE) {
    // There is no Vulkan loader or no usable device; the message says which.
    std::fprintf(stderr, "classify: %s\n", device.error().message().c_str());
    choice = {"local-task", argv[2]};
    device = Open(choice.device);
  }
  if (!device) return Fail(device.error());
  auto scores = Classify(*device, choice.module, pixels);
  if (!scores) return Fail(scores.error());
  std::printf("on %s\n", choice.device);
  for (size_t digit = 0; digit < scores->size(); ++digit) {
    std::printf("%zu: %.4f\n", digit, (*scores)[digit]);
  }
}
