// Classifies a picture of a digit: the embedding API on one page.
//   embed digits.vmfb < seven.txt
#include <cstdio>
#include <vector>

#include "eyrie/runtime.h"

int Fail(const eyrie::Error& error) {
  std::fprintf(stderr, "embed: %s\n", error.message().c_str());
  return 1;
}

int main(int argc, char** argv) {
  if (argc != 2) return Fail({EYRIE_INVALID_ARGUMENT, "embed MODULE < PIXELS"});
  auto device = eyrie::Device::Open("local-sync");
  if (!device) return Fail(device.error());
  auto module = eyrie::Module::Load(argv[1]);
  if (!module) return Fail(module.error());
  auto context = eyrie::Context::Create(*device, *module);
  if (!context) return Fail(context.error());

  std::vector<float> picture(64);
  for (float& pixel : picture) {
    if (std::scanf("%f", &pixel) != 1) {
      return Fail({EYRIE_OUT_OF_RANGE, "Fewer than 64 pixels are given."});
    }
  }
  auto input = eyrie::Value::Array({8, 8}, picture);
  if (!input) return Fail(input.error());
  auto results = context->Call("classify", {*input});
  if (!results) return Fail(results.error());

  int digit = 0;
  for (float probability : *results->front().elements<float>()) {
    std::printf("%d: %.4f\n", digit++, probability);
  }
}
