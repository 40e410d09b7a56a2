// Counts the blobs in an image with a compiled module that calls C++.
//   count_blobs blobs.vmfb regions.so regions.json < sky.txt
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

#include "eyrie/runtime.h"

namespace {

int Fail(const eyrie::Error& error) {
  std::fprintf(stderr, "count_blobs: %s\n", error.message().c_str());
  return 1;
}

// Reads lines of '#' and '.', which must all have the same length.
eyrie::Result<eyrie::Value> ReadImage() {
  std::vector<float> pixels;
  int64_t rows = 0;
  int64_t columns = 0;
  for (std::string line; std::getline(std::cin, line); ++rows) {
    if (rows == 0) columns = static_cast<int64_t>(line.size());
    for (const char c : line) pixels.push_back(c == '#' ? 1.0f : 0.0f);
  }
  // Array checks that the number of pixels matches the shape.
  return eyrie::Value::Array({rows, columns}, pixels);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    return Fail({EYRIE_INVALID_ARGUMENT,
                 "count_blobs MODULE LIBRARY MANIFEST < IMAGE"});
  }
  // The manifest describes the library's functions. The library must be
  // trusted: it can do everything that this process can do.
  auto library = eyrie::NativeLibrary::Open(argv[2], argv[3]);
  if (!library) return Fail(library.error());
  auto device = eyrie::Device::Open("local-sync");
  if (!device) return Fail(device.error());
  auto module = eyrie::Module::Load(argv[1]);
  if (!module) return Fail(module.error());
  // This binds the imports, so an unknown name or a type that differs from the
  // manifest is an error here, not in the call.
  auto context = eyrie::Context::Create(*device, *module,
                                        {.native_libraries = {&*library}});
  if (!context) return Fail(context.error());

  auto image = ReadImage();
  if (!image) return Fail(image.error());
  auto results = context->Call("blobs", {*image, 0.5f});
  if (!results) return Fail(results.error());

  const auto labels = results->at(0).elements<int32_t>();
  if (!labels) return Fail(labels.error());
  const int64_t columns = results->at(0).array()->shape()[1];
  for (size_t i = 0; i < labels->size(); ++i) {
    const int32_t label = (*labels)[i];
    std::putchar(label == 0
                     ? '.'
                     : "123456789abcdefghijklmnopqrstuvwxyz"[(label - 1) % 35]);
    if (static_cast<int64_t>(i + 1) % columns == 0) std::putchar('\n');
  }
  const auto count = results->at(1).elements<int32_t>();
  if (!count) return Fail(count.error());
  std::printf("%d blobs\n", (*count)[0]);
}
