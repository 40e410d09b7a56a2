// Tests the C++ API as users compile it: with and without exceptions and RTTI,
// and with more warnings than ours.
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include "eyrie/allocator.h"
#include "eyrie/array.h"
#include "eyrie/call_options.h"
#include "eyrie/call_pool.h"
#include "eyrie/device.h"
#include "eyrie/fence.h"
#include "eyrie/function.h"
#include "eyrie/linker.h"
#include "eyrie/log.h"
#include "eyrie/pending_call.h"
#include "eyrie/prepared_call.h"
#include "eyrie/result.h"
#include "eyrie/runtime.h"
#include "eyrie/tensor.h"
#include "eyrie/trace.h"
#include "eyrie/typed_function.h"
#include "eyrie/value.h"

#if defined(__cpp_exceptions) != defined(EYRIE_TEST_EXCEPTIONS) || \
    defined(__cpp_rtti) != defined(EYRIE_TEST_EXCEPTIONS)
#error "The build's options are not those of this test."
#endif

namespace {

int failures = 0;

void Expect(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "headers_test: %s\n", what);
  ++failures;
}

// Handles are moved, not copied. Moved-from handles may be destroyed.
void MoveHandles() {
  auto opened = eyrie::Device::Open("local-sync");
  Expect(opened.ok(), "no device");
  eyrie::Device device = *std::move(opened);
  const std::vector<int32_t> numbers = {1, 2, 3, 4, 5, 6};
  auto made = eyrie::Value::Array({2, 3}, numbers);
  Expect(made.ok(), "no array");
  eyrie::Value first = *std::move(made);
  eyrie::Value second = 1.5f;
  second = std::move(first);
  const auto elements = second.elements<int32_t>();
  Expect(elements.ok() && (*elements)[5] == 6, "other elements");
  Expect(second.Upload(device).ok(), "no array on the device");
  const auto dict = eyrie::Value::Dict({{"one", 1}, {"two", {"text"}}});
  Expect(dict.Find("two").As<std::string_view>() == "text", "another text");
}

void FailInWords() {
  const std::string text = "not a module";
  const auto module =
      eyrie::Module::Load(std::as_bytes(std::span(text.data(), text.size())));
  Expect(!module.ok(), "a module of text");
  Expect(module.error().code() == EYRIE_INVALID_ARGUMENT, "another code");
  Expect(!module.error().message().empty(), "no sentence");
}

void TraceInWords() {
  auto trace = eyrie::Trace::Start();
  Expect(trace.ok(), "no trace");
  size_t size = 0;
  const auto written = trace->Write([&](std::string_view piece) {
    size += piece.size();
    return true;
  });
  Expect(written.ok() && size > 0, "nothing written");
  Expect(trace->kernels().empty(), "kernels out of nothing");
}

#if defined(EYRIE_TEST_EXCEPTIONS)
// An exception of a host function fails the call of the module.
void ThrowInHost() {
  eyrie::Linker linker;
  const auto defined =
      linker.Define("shop.discount", [](float total, int32_t customer) {
        if (customer == 1) throw std::runtime_error("No discount.");
        if (customer == 2) throw 2;
        return total;
      });
  Expect(defined.ok(), "no function");
  const auto device = eyrie::Device::Open("local-sync");
  const auto module = eyrie::Module::Load("samples/host_function/shop.vmfb");
  auto context = eyrie::Context::Create(*device, *module, {.linker = &linker});
  Expect(context.ok(), "no context");
  const auto prices = eyrie::Value::Array({2}, {1.0f, 2.0f});
  const auto message = [&](int32_t customer) {
    auto total = context->Call("total", {*prices, customer});
    const std::string text = total ? "" : total.error().message();
    return text.substr(0, text.find('\n'));
  };
  Expect(message(1) == "No discount.", "another exception");
  Expect(message(2) == "The host function threw an exception.",
         "another exception without a text");
  Expect(message(3).empty(), "an exception remains");
}

// An exception of a task reaches the future, and the thread continues.
void ThrowInPool() {
  const auto device = eyrie::Device::Open("local-sync");
  const auto module = eyrie::Module::Load("tests/modules/3.13/counter.vmfb");
  auto pool = eyrie::CallPool::Start(*device, *module, 1);
  Expect(pool.ok(), "no pool");
  auto thrown = pool->Run([](eyrie::Context&) -> int { throw 3; });
  try {
    thrown.get();
    Expect(false, "no exception of a task");
  } catch (int number) {
    Expect(number == 3, "another exception of a task");
  }
  Expect(pool->Call("next", {}).get().ok(), "no thread after an exception");
}
#endif

}  // namespace

int main() {
  MoveHandles();
#if defined(EYRIE_TEST_EXCEPTIONS)
  try {
    eyrie::Value held = 1;
    throw 1;
  } catch (int) {  // NOLINT(bugprone-empty-catch)
  }
  ThrowInHost();
  ThrowInPool();
#endif
  FailInWords();
  TraceInWords();
  return failures;
}
