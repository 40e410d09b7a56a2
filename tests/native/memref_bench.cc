// Measures a call of a memref function compared with a call in C.
//
//   bazel run -c opt //tests/native:memref_bench
// The functions read one number of each memref. Direct calls them with existing
// descriptors. Import creates the descriptors from buffer views, according to
// the function's type. The argument is the number of memrefs. Output also
// creates a result as large as the argument, whose bytes are its argument.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "abi/call/session.h"
#include "abi/native/json_reader.h"
#include "abi/native/memref/import.h"
#include "abi/native/memref/type.h"
#include "base/json.h"
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

// Calls an import of a function with this signature, whose arguments are all
// one vector of `size` floats.
void CallImport(benchmark::State& state, MemrefSignature signature, void* entry,
                int64_t size) {
  auto function = std::make_shared<MemrefFunction>();
  function->signature = std::move(signature);
  function->entry = entry;
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
  const int64_t shape[] = {size / 2, 2};
  const Ref<hal::BufferView> view = *hal::BufferView::Create(
      *device->allocator().Allocate({}, static_cast<uint64_t>(size) * 4), shape,
      hal::ElementType::kFloat32);
  std::vector<vm::Slot> arguments(function->signature.input_count());
  for (vm::Slot& slot : arguments) slot.ref = view.get();
  const bool has_output = function->signature.output_count() != 0;
  vm::Slot result;
  for (auto _ : state) {
    if (!import.Invoke(arguments.data(), &result).ok()) std::abort();
    benchmark::DoNotOptimize(result);
    if (has_output) Ref<RefObject>::Adopt(result.ref);
  }
}

void Import(benchmark::State& state) {
  const auto count = static_cast<size_t>(state.range(0));
  std::string type = "(memref<?x?xf32>";
  for (size_t i = 1; i < count; ++i) type += ", memref<?x?xf32>";
  CallImport(state, {.type = *ParseMemrefFunctionType(type + ") -> f32")},
             count == 1 ? reinterpret_cast<void*>(First)
                        : reinterpret_cast<void*>(FirstOfFour),
             6);
}
BENCHMARK(Import)->Arg(1)->Arg(4);

void Output(benchmark::State& state) {
  const Json json = *ParseJson(R"({"like": 0})");
  JsonReader reader = *JsonReader::Open(json, "a rule");
  const OperandRank ranks[] = {2};
  CallImport(state,
             {.type = *ParseMemrefFunctionType(
                  "(memref<?x?xf32>, memref<?x?xf32>) -> ()"),
              .outputs = 1,
              .output_rules = {*ShapeRule::ReadShape(reader, ranks)}},
             reinterpret_cast<void*>(First), state.range(0) / 4);
}
BENCHMARK(Output)->Arg(64)->Arg(4096)->Arg(1 << 20);

}  // namespace
}  // namespace eyrie::native

BENCHMARK_MAIN();
