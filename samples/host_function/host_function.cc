// Gives a compiled model a function of this program.
//   host_function shop.vmfb
#include <cstdio>

#include "eyrie/runtime.h"

int main(int, char** argv) {
  eyrie::Linker linker;
  const auto defined =
      linker.Define("shop.discount", [](float total, int32_t customer) {
        return customer == 7 ? total * 0.9f : total;
      });
  auto device = eyrie::Device::Open("local-sync");
  auto module = eyrie::Module::Load(argv[1]);
  auto context = eyrie::Context::Create(*device, *module, {.linker = &linker});
  auto prices = eyrie::Value::Array({3}, {10.f, 20.f, 30.f});
  auto total = context->Call("total", {*prices, 7});
  std::printf("%.2f\n", *total->front().As<float>());
  return defined.ok() ? 0 : 1;
}
