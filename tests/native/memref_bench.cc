// Measures a call of a memref function compared with a call in C.
//
//   bazel run -c opt //tests/native:memref_bench
// The functions read one number of each memref. Direct calls them with existing
// descriptors. Import creates the descriptors from buffer views, according to
// the function's type. The argument is the number of memrefs.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "abi/call/session.h"
#include "abi/native/memref/import.h"
#include "abi/native/memref/type.h"
#include "benchmark/benchmark.h"
#include "hal/driver.h"
#include "hal/drivers/drivers.h"

namespace eyrie::native {
namespace {

struct Matrix {
  float* allocated;
  float* aligned;
  int64_t offset;
  int64_t sizes[2];
  int64_t strides[2];
};

extern "C" {
// A call that touches memory is not moved out of a loop.
[[gnu::noinline]] float First(const Matrix* a) {
  benchmark::ClobberMemory();
  return a->aligned[a->strides[0]];
}
[[gnu::noinline]] float FirstOfFour(const Matrix* a, const Matrix* b,
                                    const Matrix* c, const Matrix* d) {
  benchmark::ClobberMemory();
  return a->aligned[0] + b->aligned[0] + c->aligned[0] + d->aligned[0];
}
}

void Direct(benchmark::State& state) {
  float data[6] = {1, 2, 3, 4, 5, 6};
  Matrix m = {data, data, 0, {2, 3}, {3, 1}};
  const Matrix* hidden = &m;
  for (auto _ : state) {
    benchmark::DoNotOptimize(hidden);
    benchmark::DoNotOptimize(state.range(0) == 1
                                 ? First(hidden)
                                 : FirstOfFour(hidden, hidden, hidden, hidden));
  }
}
BENCHMARK(Direct)->Arg(1)->Arg(4);

void Import(benchmark::State& state) {
  const auto count = static_cast<size_t>(state.range(0));
  auto function = std::make_shared<MemrefFunction>();
  std::string type = "(memref<?x?xf32>";
  for (size_t i = 1; i < count; ++i) type += ", memref<?x?xf32>";
  function->signature.type = *ParseMemrefFunctionType(type + ") -> f32");
  function->entry = count == 1 ? reinterpret_cast<void*>(First)
                               : reinterpret_cast<void*>(FirstOfFour);
  function->free = std::free;
  const auto convention =
      *vm::CallingConvention::Parse(function->signature.ImportConvention());
  const Ref<hal::Device> device =
      *abi::OpenDevice("local-sync", hal::DriverOptions());
  vm::ModuleState module_state;
  MemrefImport import(function,
                      *MemrefPlan::Create(function->signature, convention),
                      {.name = "m.f",
                       .attributes = "",
                       .signature = convention,
                       .services = std::make_shared<const NativeServices>(
                           NativeServices{device, nullptr, {}}),
                       .state = module_state,
                       .owner = 1});
  const int64_t shape[] = {2, 3};
  const Ref<hal::BufferView> view = *hal::BufferView::Create(
      *device->allocator().Allocate({}, 24), shape, hal::ElementType::kFloat32);
  std::vector<vm::Slot> arguments(count);
  for (vm::Slot& slot : arguments) slot.ref = view.get();
  vm::Slot result;
  for (auto _ : state) {
    if (!import.Invoke(arguments.data(), &result).ok()) std::abort();
    benchmark::DoNotOptimize(result);
  }
}
BENCHMARK(Import)->Arg(1)->Arg(4);

}  // namespace
}  // namespace eyrie::native

BENCHMARK_MAIN();
