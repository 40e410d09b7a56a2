// Calls a function by name with text and a dict, and reads a dict. The module's
// metadata describes the arguments and results.
//   encipher cipher.vmfb "Some text" 13
#include <charconv>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string_view>
#include <system_error>

#include "eyrie/runtime.h"

namespace {

int Fail(const eyrie::Error& error) {
  std::fprintf(stderr, "encipher: %s\n", error.message().c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    return Fail({EYRIE_INVALID_ARGUMENT, "encipher MODULE TEXT PLACES"});
  }
  int places = 0;
  const char* const end = argv[3] + std::strlen(argv[3]);
  const auto read = std::from_chars(argv[3], end, places);
  if (read.ec != std::errc() || read.ptr != end) {
    return Fail({EYRIE_INVALID_ARGUMENT, "PLACES is a whole number."});
  }
  auto device = eyrie::Device::Open("local-sync");
  if (!device) return Fail(device.error());
  auto module = eyrie::Module::Load(argv[1]);
  if (!module) return Fail(module.error());
  auto context = eyrie::Context::Create(*device, *module);
  if (!context) return Fail(context.error());

  auto encipher = context->Find("encipher");
  if (!encipher) return Fail(encipher.error());
  std::printf("%s\n", encipher->signature().text);

  // Dicts and text are values, like numbers. The call checks them against the
  // signature: each key exactly once, no other keys, numbers in range.
  auto results = encipher->Call(
      {}, {{"text", argv[2]},
           {"key", eyrie::Value::Dict({{"by", places}, {"shout", false}})}});
  if (!results) return Fail(results.error());

  // A view reads in place. A missing key gives null, and As() of null gives
  // nullopt.
  const eyrie::ValueView answer = results->front();
  const auto text = answer.Find("text").As<std::string_view>();
  const auto letters = answer.Find("letters").As<int>();
  if (!text || !letters) {
    return Fail({EYRIE_INVALID_ARGUMENT, "The answer lacks text or letters."});
  }
  std::printf("%.*s\n%d letters:", static_cast<int>(text->size()), text->data(),
              *letters);
  const eyrie::ValueView histogram = answer.Find("histogram");
  for (size_t i = 0; i < histogram.size(); ++i) {
    const int seen = histogram.item(i).As<int>().value_or(0);
    if (seen > 0) std::printf(" %c%d", static_cast<char>('a' + i), seen);
  }
  std::printf("\n");
}
