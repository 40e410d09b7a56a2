// Measures the overhead of the C++ API, and of encoding arguments and decoding
// results, next to the raw call that both use.
//
//   bazel run -c opt //abi/c:api_bench
// `tools/bench/compare --only=api` prints the ratios.
#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <future>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "abi/call/invoker.h"
#include "abi/call/prepared_call.h"
#include "abi/call/session.h"
#include "benchmark/benchmark.h"
#include "eyrie/call_pool.h"
#include "eyrie/prepared_call.h"
#include "eyrie/runtime.h"
#include "tests/support/module_builder.h"

namespace eyrie {
namespace {

constexpr char kAdd[] = "tests/modules/3.13/add.vmfb";
constexpr char kStorage[] = "tests/modules/3.13/destination.vmfb";
constexpr char kDigits[] = "samples/digits/digits.vmfb";
constexpr char kScalars[] = "tests/modules/3.13/scalars.vmfb";

std::unique_ptr<abi::Session> OpenSession(const char* path) {
  auto program = abi::LoadProgram(path);
  auto devices = abi::OpenDevices({}, hal::DriverOptions());
  if (!program.ok() || !devices.ok()) std::abort();
  return *abi::Session::Create({*program}, *std::move(devices));
}

Context OpenContext(const char* path, const ContextOptions& options = {}) {
  auto device = Device::Open("local-sync");
  auto module = Module::Load(path);
  if (!device || !module) std::abort();
  return *Context::Create(*device, *module, options);
}

// Returns a lent array, which the caller may change between calls.
Value FourFloats() {
  alignas(64) static float numbers[] = {1, 2, 3, 4};
  Value value = *Value::Borrow({4}, numbers);
  value.Lend();
  return value;
}

std::vector<Value> AddArguments() { return {FourFloats(), FourFloats()}; }

std::vector<Value> ScalarArguments() {
  return {true, -3, 300, -1, int64_t{1} << 40, int64_t{7}, 2.5};
}

std::vector<abi::HostValue> RawScalars() {
  std::vector<abi::HostValue> values;
  values.emplace_back(true);
  for (const int number : {-3, 300, -1}) values.emplace_back(number);
  values.emplace_back(int64_t{1} << 40);
  values.emplace_back(int64_t{7});
  values.emplace_back(2.5);
  return values;
}

std::vector<abi::HostValue> RawFloats() {
  alignas(64) static float numbers[] = {1, 2, 3, 4};
  const int64_t shape[] = {4};
  const std::span<const uint8_t> bytes(
      reinterpret_cast<const uint8_t*>(numbers), sizeof(numbers));
  const abi::HostValue array(
      *abi::HostArray::Borrow(hal::ElementType::kFloat32, shape, {}, bytes, 0,
                              nullptr, abi::HostArray::Use::kLend));
  return {array, array};
}

void Raw(benchmark::State& state, const char* path, const char* function,
         const std::vector<abi::HostValue>& values) {
  const auto session = OpenSession(path);
  const abi::Callable callable = *session->Lookup(function);
  abi::Invoker invoker = *abi::Invoker::Create(*session, callable);
  auto arguments = invoker.Encode(values, {});
  if (!arguments.ok()) std::abort();
  auto call = abi::PreparedCall::Create(callable, *std::move(arguments));
  if (!call.ok()) std::abort();
  for (auto _ : state) {
    if (!call->Invoke().ok()) std::abort();
  }
}

void Prepared(benchmark::State& state, const char* path, const char* name,
              const std::vector<Value>& arguments) {
  Context context = OpenContext(path);
  auto function = context.Find(name);
  auto call = PreparedCall::Prepare(*function, arguments);
  for (auto _ : state) {
    if (!call->Run()) std::abort();
  }
}

// Measures a call with a timeout that is never reached.
void Limited(benchmark::State& state, std::chrono::nanoseconds timeout) {
  Context context = OpenContext(kAdd, {.timeout = timeout});
  auto function = context.Find("add");
  auto call = PreparedCall::Prepare(*function, AddArguments());
  for (auto _ : state) {
    if (!call->Run()) std::abort();
  }
}

void Marshalled(benchmark::State& state, const char* path, const char* name,
                const std::vector<Value>& arguments) {
  Context context = OpenContext(path);
  auto function = context.Find(name);
  std::vector<Value> results;
  for (auto _ : state) {
    if (!function->CallInto(results, arguments)) std::abort();
  }
}

// Measures calls of a host function by a module: one call from C++ makes
// kCalls of them. `kind` selects what the loop does.
constexpr int kCalls = 1000;

void HostCalls(benchmark::State& state, const char* kind) {
  const std::string call = std::string_view(kind) == "none" ? ""
                           : std::string_view(kind) == "function"
                               ? "call 1 [i1 i2] [i1] "
                               : "call #0 [i1 i2] [i1] ";
  tests::ModuleBuilder module;
  module.AddImport("host.f", "0ii_i");
  module.AddFunction(
      "loop", "0i_i",
      "entry: const.i32.zero i1 const.i32 1 i2 const.i32.zero i4 br ^loop [] "
      "loop: " +
          call +
          "add.i32 i4 i2 i4 cmp.lt.i32.s i4 i0 i3 "
          "cond_br i3 ^loop [] ^done [] done: return [i1]");
  module.AddFunction("f", "0ii_i", "entry: add.i32 i0 i1 i0 return [i0]");
  Linker linker;
  const auto defined =
      linker.Define("host.f", [](int32_t x, int32_t by) { return x + by; });
  const std::vector<uint8_t> bytes = module.Build();
  auto loaded = Module::Load(std::as_bytes(std::span(bytes)));
  auto device = Device::Open("local-sync", {.jit = Jit::kEager});
  auto context = Context::Create(*device, *loaded, {.linker = &linker});
  auto function = context->Find<int32_t(int32_t)>("loop");
  if (!defined || !function) std::abort();
  for (auto _ : state) {
    if (!(*function)(kCalls)) std::abort();
  }
  state.SetItemsProcessed(state.iterations() * kCalls);
}

BENCHMARK_CAPTURE(HostCalls, none, "none")->Name("BM_1000_loops");
BENCHMARK_CAPTURE(HostCalls, function, "function")
    ->Name("BM_1000_calls_of_function");
BENCHMARK_CAPTURE(HostCalls, host, "host")->Name("BM_1000_calls_of_host");

// Measures a call whose result goes into memory of the caller.
void Out(benchmark::State& state, const char* path, const char* name) {
  Context context = OpenContext(path);
  auto function = context.Find(name);
  const std::vector<Value> arguments = AddArguments();
  alignas(64) float numbers[4] = {};
  const std::vector<Value> outs = {*Value::Borrow({4}, numbers)};
  for (auto _ : state) {
    if (!function->CallOut(outs, arguments)) std::abort();
  }
}

// The same without memory of the caller.
void Plain(benchmark::State& state, const char* path, const char* name) {
  Context context = OpenContext(path);
  auto function = context.Find(name);
  const std::vector<Value> arguments = AddArguments();
  for (auto _ : state) {
    if (!function->Call(arguments)) std::abort();
  }
}

// A picture of 8 x 8 pixels.
std::vector<Value> Picture() {
  alignas(64) static float pixels[64] = {0, 1, 2};
  Value value = *Value::Borrow({8, 8}, pixels);
  value.Lend();
  return {value};
}

// Keeps a pool of threads busy: twice as many calls are requested at a time as
// it has threads. p50 and p99 are the times in us from a request to its result.
void Pooled(benchmark::State& state) {
  const auto threads = static_cast<size_t>(state.range(0));
  auto device = Device::Open("local-sync");
  auto module = Module::Load(kDigits);
  auto pool = CallPool::Start(*device, *module, threads);
  std::vector<double> times;
  std::mutex mutex;
  const auto call = [&](Context& context,
                        std::chrono::steady_clock::time_point begin) {
    const auto results = context.Call("classify", Picture());
    if (!results) std::abort();
    const std::chrono::duration<double, std::micro> time =
        std::chrono::steady_clock::now() - begin;
    const std::lock_guard<std::mutex> lock(mutex);
    times.push_back(time.count());
  };
  std::deque<std::future<void>> requested;
  for (auto _ : state) {
    if (requested.size() == 32 * threads) {
      for (size_t i = 0; i < 16 * threads; ++i) {
        requested.front().get();
        requested.pop_front();
      }
    }
    requested.push_back(
        pool->Run([&call, begin = std::chrono::steady_clock::now()](
                      Context& context) { call(context, begin); }));
  }
  for (std::future<void>& each : requested) each.get();
  std::sort(times.begin(), times.end());
  state.counters["p50"] = times[times.size() / 2];
  state.counters["p99"] = times[times.size() * 99 / 100];
}

// Creates 10,000 contexts of one module on one device, which all exist at the
// end: each runs its initializers, or begins with a snapshot. `bytes` is the
// memory of one, of the system's allocator.
void Contexts(benchmark::State& state, const char* path, bool from_snapshot) {
  constexpr size_t kCount = 10000;
  auto device = Device::Open("local-sync");
  auto module = Module::Load(path);
  auto first = Context::Create(*device, *module);
  if (!first) std::abort();
  const auto snapshot = first->TakeSnapshot();
  const ContextOptions options = {.snapshot =
                                      from_snapshot ? &*snapshot : nullptr};
  size_t bytes = 0;
  for (auto _ : state) {
    state.PauseTiming();
    std::vector<Context> contexts;
    contexts.reserve(kCount);
    const size_t before = mallinfo2().uordblks;
    state.ResumeTiming();
    for (size_t i = 0; i < kCount; ++i) {
      auto context = Context::Create(*device, *module, options);
      if (!context) std::abort();
      contexts.push_back(*std::move(context));
    }
    state.PauseTiming();
    bytes = mallinfo2().uordblks - before;
    contexts.clear();
    state.ResumeTiming();
  }
  state.SetItemsProcessed(state.iterations() * kCount);
  state.counters["bytes"] = static_cast<double>(bytes) / kCount;
}

// Restores a snapshot in a context.
void Restored(benchmark::State& state, const char* path) {
  Context context = OpenContext(path);
  const auto snapshot = context.TakeSnapshot();
  for (auto _ : state) {
    if (!context.Restore(*snapshot)) std::abort();
  }
}

constexpr char kCounter[] = "tests/modules/3.13/counter.vmfb";

BENCHMARK_CAPTURE(Contexts, add, kAdd, false)->Name("BM_contexts_add_created");
BENCHMARK_CAPTURE(Contexts, add, kAdd, true)->Name("BM_contexts_add_snapshot");
BENCHMARK_CAPTURE(Contexts, digits, kDigits, false)
    ->Name("BM_contexts_digits_created");
BENCHMARK_CAPTURE(Contexts, digits, kDigits, true)
    ->Name("BM_contexts_digits_snapshot");
BENCHMARK_CAPTURE(Contexts, counter, kCounter, false)
    ->Name("BM_contexts_counter_created");
BENCHMARK_CAPTURE(Contexts, counter, kCounter, true)
    ->Name("BM_contexts_counter_snapshot");
BENCHMARK_CAPTURE(Restored, counter, kCounter)->Name("BM_counter_restored");
BENCHMARK_CAPTURE(Restored, digits, kDigits)->Name("BM_digits_restored");
BENCHMARK(Pooled)
    ->Name("BM_digits_pool")
    ->Arg(1)
    ->Arg(2)
    ->Arg(8)
    ->UseRealTime();
BENCHMARK_CAPTURE(Marshalled, digits, kDigits, "classify", Picture())
    ->Name("BM_digits_marshalled");
BENCHMARK_CAPTURE(Raw, add, kAdd, "add", RawFloats())->Name("BM_add_raw");
BENCHMARK_CAPTURE(Prepared, add, kAdd, "add", AddArguments())
    ->Name("BM_add_prepared");
BENCHMARK_CAPTURE(Limited, minute, std::chrono::minutes(1))
    ->Name("BM_add_timeout")
    ->ThreadRange(1, 2);
BENCHMARK_CAPTURE(Marshalled, add, kAdd, "add", AddArguments())
    ->Name("BM_add_marshalled");
BENCHMARK_CAPTURE(Raw, all, kScalars, "all", RawScalars())
    ->Name("BM_scalars_raw");
BENCHMARK_CAPTURE(Prepared, all, kScalars, "all", ScalarArguments())
    ->Name("BM_scalars_prepared");
BENCHMARK_CAPTURE(Marshalled, all, kScalars, "all", ScalarArguments())
    ->Name("BM_scalars_marshalled");
BENCHMARK_CAPTURE(Plain, add, kAdd, "add")->Name("BM_add_call");
BENCHMARK_CAPTURE(Out, add, kAdd, "add")->Name("BM_add_out_copied");
BENCHMARK_CAPTURE(Plain, add, kStorage, "add_into")->Name("BM_add_into_call");
BENCHMARK_CAPTURE(Out, add, kStorage, "add_into")->Name("BM_add_out_in_place");

}  // namespace
}  // namespace eyrie

BENCHMARK_MAIN();
