// Measures a chain of 16 calls, each of which uses the previous result:
// pipelined, and with a wait after each call.
//
//   bazel run -c opt //abi/call:pipeline_bench
//
// HostValues is the usual code without a pipeline: results become arrays and
// are passed again (Invoker). It uses the same module or, as Default, one
// compiled with the compiler's defaults, whose functions wait themselves.
// References passes the same buffers on (Callable), and also waits. The
// argument is the number of floats; items are calls.
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "abi/call/invoker.h"
#include "abi/call/pipeline.h"
#include "abi/call/session.h"
#include "abi/tensor/tensor.h"
#include "benchmark/benchmark.h"

namespace eyrie::abi::v0 {
namespace {

constexpr int kCalls = 16;

// Functions of 4xf32, and of ?xf32 with a result allocator.
constexpr char kMade[] = "double";
constexpr char kAllocated[] = "scale";

// The same source compiled for a device, in two execution models.
struct Place {
  const char* device;
  const char* async;
  const char* by_default;
};
constexpr Place kCpu = {"local-sync",
                        "tests/modules/3.13/raw_results.async.vmfb",
                        "tests/modules/3.13/raw_results.vmfb"};
constexpr Place kVulkan = {"vulkan",
                           "tests/modules/3.13/raw_results.vulkan-async.vmfb",
                           "tests/modules/3.13/raw_results.vulkan.vmfb"};

// Returns null and reports an error to the benchmark if the device does not
// exist.
std::unique_ptr<Session> Open(benchmark::State& state, const char* device,
                              const char* path) {
  auto program = LoadProgram(path);
  if (!program.ok()) std::abort();
  const std::vector<std::string> uris = {device};
  auto devices = OpenDevices(uris, hal::DriverOptions());
  if (!devices.ok()) {
    state.SkipWithError("There is no such device.");
    return nullptr;
  }
  return *Session::Create({*program}, *devices);
}

Ref<hal::BufferView> Zeros(Session& session, int64_t count) {
  hal::TensorType spec;
  spec.element = hal::ElementType::kFloat32;
  spec.shape = {count};
  return *NewTensor(*session.devices()[0], spec);
}

void Count(benchmark::State& state) {
  state.SetItemsProcessed(state.iterations() * kCalls);
}

void Pipelined(benchmark::State& state, const Place& place, const char* name) {
  const auto session = Open(state, place.device, place.async);
  if (session == nullptr) return;
  Callable function = *session->Lookup(name);
  const vm::Value first(Zeros(*session, state.range(0)));
  std::vector<vm::Value> values;
  Pipeline pipeline(*session);
  for (auto _ : state) {
    values.assign(1, first);
    for (int i = 0; i < kCalls; ++i) {
      if (!pipeline.Submit(function, values, values).ok()) std::abort();
    }
    if (!pipeline.Wait().ok()) std::abort();
  }
  Count(state);
}

void HostValues(benchmark::State& state, const Place& place, const char* name,
                bool by_default) {
  const auto session =
      Open(state, place.device, by_default ? place.by_default : place.async);
  if (session == nullptr) return;
  Invoker function = *Invoker::Create(*session, *session->Lookup(name));
  const HostValue first(*HostArray::OfTensor(Zeros(*session, state.range(0))));
  std::vector<HostValue> values;
  for (auto _ : state) {
    values.assign(1, first);
    for (int i = 0; i < kCalls; ++i) {
      if (!function.Call(values, {}, values).ok()) std::abort();
    }
  }
  Count(state);
}

void References(benchmark::State& state, const Place& place, const char* name) {
  const auto session = Open(state, place.device, place.async);
  if (session == nullptr) return;
  Callable function = *session->Lookup(name);
  const vm::Value first(Zeros(*session, state.range(0)));
  std::vector<vm::Value> values;
  for (auto _ : state) {
    values.assign(1, first);
    for (int i = 0; i < kCalls; ++i) {
      auto results = function.Call(values);
      if (!results.ok()) std::abort();
      values = *std::move(results);
    }
  }
  Count(state);
}

#define ON_A_DEVICE(place)                                                  \
  BENCHMARK_CAPTURE(Pipelined, place##_Made, k##place, kMade)               \
      ->Arg(4)                                                              \
      ->UseRealTime();                                                      \
  BENCHMARK_CAPTURE(Pipelined, place##_Allocated, k##place, kAllocated)     \
      ->Arg(4)                                                              \
      ->Arg(4096)                                                           \
      ->UseRealTime();                                                      \
  BENCHMARK_CAPTURE(HostValues, place##_Made, k##place, kMade, false)       \
      ->Arg(4)                                                              \
      ->UseRealTime();                                                      \
  BENCHMARK_CAPTURE(HostValues, place##_Allocated, k##place, kAllocated,    \
                    false)                                                  \
      ->Arg(4)                                                              \
      ->Arg(4096)                                                           \
      ->UseRealTime();                                                      \
  BENCHMARK_CAPTURE(HostValues, place##_DefaultMade, k##place, kMade, true) \
      ->Arg(4)                                                              \
      ->UseRealTime();                                                      \
  BENCHMARK_CAPTURE(HostValues, place##_DefaultAllocated, k##place,         \
                    kAllocated, true)                                       \
      ->Arg(4)                                                              \
      ->Arg(4096)                                                           \
      ->UseRealTime();                                                      \
  BENCHMARK_CAPTURE(References, place##_Made, k##place, kMade)              \
      ->Arg(4)                                                              \
      ->UseRealTime();                                                      \
  BENCHMARK_CAPTURE(References, place##_Allocated, k##place, kAllocated)    \
      ->Arg(4)                                                              \
      ->Arg(4096)                                                           \
      ->UseRealTime()

ON_A_DEVICE(Cpu);
ON_A_DEVICE(Vulkan);

}  // namespace
}  // namespace eyrie::abi::v0

BENCHMARK_MAIN();
