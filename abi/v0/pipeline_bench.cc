// A chain of 16 calls, each given the result of the one before: pipelined, and
// with a wait after each call.
//
//   bazel run -c opt //abi/v0:pipeline_bench
// What a user writes without a pipeline is HostValues: results come out as
// arrays and are given again (Invoker), of the same module or, Default, of one
// compiled by the compiler's default, whose functions wait themselves.
// References pass the same buffers on (Callable), and wait too. The argument
// is the number of floats; items are calls.
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "abi/invoker.h"
#include "abi/session.h"
#include "abi/tensor.h"
#include "abi/v0/pipeline.h"
#include "benchmark/benchmark.h"

namespace eyrie::abi::v0 {
namespace {

constexpr int kCalls = 16;

// Names of functions of 4xf32, and of ?xf32 with a result allocator.
constexpr char kMade[] = "double";
constexpr char kAllocated[] = "scale";

// The same source by two execution models.
constexpr char kAsync[] = "tests/modules/3.13/raw_results.async.vmfb";
constexpr char kDefault[] = "tests/modules/3.13/raw_results.vmfb";

std::unique_ptr<Session> Open(const char* path = kAsync) {
  auto program = LoadProgram(path);
  if (!program.ok()) std::abort();
  return *Session::Create({*program}, *OpenDevices({}, hal::DriverOptions()));
}

Ref<hal::BufferView> Zeros(Session& session, int64_t count) {
  TensorSpec spec;
  spec.type = hal::ElementType::kFloat32;
  spec.shape = {count};
  return *NewTensor(*session.devices()[0], spec);
}

void Count(benchmark::State& state) {
  state.SetItemsProcessed(state.iterations() * kCalls);
}

void Pipelined(benchmark::State& state, const char* name) {
  const auto session = Open();
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
BENCHMARK_CAPTURE(Pipelined, Made, kMade)->Arg(4);
BENCHMARK_CAPTURE(Pipelined, Allocated, kAllocated)->Arg(4)->Arg(4096);

void HostValues(benchmark::State& state, const char* name,
                const char* path = kAsync) {
  const auto session = Open(path);
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
BENCHMARK_CAPTURE(HostValues, Made, kMade)->Arg(4);
BENCHMARK_CAPTURE(HostValues, Allocated, kAllocated)->Arg(4)->Arg(4096);
BENCHMARK_CAPTURE(HostValues, DefaultMade, kMade, kDefault)->Arg(4);
BENCHMARK_CAPTURE(HostValues, DefaultAllocated, kAllocated, kDefault)
    ->Arg(4)
    ->Arg(4096);

void References(benchmark::State& state, const char* name) {
  const auto session = Open();
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
BENCHMARK_CAPTURE(References, Made, kMade)->Arg(4);
BENCHMARK_CAPTURE(References, Allocated, kAllocated)->Arg(4)->Arg(4096);

}  // namespace
}  // namespace eyrie::abi::v0

BENCHMARK_MAIN();
