// Measures a call of an XLA FFI handler.
//
//   bazel run -c opt //tests/native:native_bench
// Frame/B/A minus Direct/B is the cost of the frame for B buffers and A
// attributes. It includes the handler's checks of types, ranks and names, as
// typed handlers perform them. Import/N is a VM loop around an import with N
// arguments and N results, which are the next call's arguments, per call;
// Import/0 is the loop alone.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "abi/call/session.h"
#include "abi/native/native_libraries.h"
#include "abi/native/xla/frame.h"
#include "abi/tensor/tensor.h"
#include "absl/strings/str_cat.h"
#include "benchmark/benchmark.h"
#include "vm/asm/assembler.h"

namespace eyrie::native {
namespace {

// The handler's work: reads a value of every buffer.
__attribute__((noinline)) float Touch(float* const* data, int count) {
  benchmark::ClobberMemory();  // or the call is moved out of the loop
  float sum = 0;
  for (int i = 0; i < count; ++i) sum += *data[i];
  return sum;
}

float global_sum = 0;

struct AttributeName {
  const char* name;
  size_t size;
};
constexpr AttributeName kNames[] = {
    {"alpha", 5}, {"beta", 4}, {"delta", 5}, {"gamma", 5}};

// Checks every kind, type, rank and name, as typed decoding does.
template <int kBuffers, int kAttributes>
eyrie_ffi_error_t* Handler(eyrie_ffi_call_frame_t* frame) {
  if (frame->size != EYRIE_FFI_CALL_FRAME_SIZE || frame->extension != nullptr ||
      frame->args.count != kBuffers || frame->attributes.count != kAttributes) {
    std::abort();
  }
  float* data[kBuffers];
  for (int i = 0; i < kBuffers; ++i) {
    if (frame->args.kinds[i] != EYRIE_FFI_BUFFER) std::abort();
    const auto* buffer =
        static_cast<const eyrie_ffi_buffer_t*>(frame->args.values[i]);
    if (buffer->type != EYRIE_FFI_F32 || buffer->rank != 2) std::abort();
    data[i] = static_cast<float*>(buffer->data);
  }
  int32_t extra = 0;
  for (int i = 0; i < kAttributes; ++i) {
    const eyrie_ffi_bytes_t& name = *frame->attributes.names[i];
    if (frame->attributes.kinds[i] != EYRIE_FFI_SCALAR ||
        name.size != kNames[i].size ||
        std::memcmp(name.data, kNames[i].name, name.size) != 0) {
      std::abort();
    }
    const auto* scalar =
        static_cast<const eyrie_ffi_scalar_t*>(frame->attributes.values[i]);
    if (scalar->type != EYRIE_FFI_S32) std::abort();
    extra += *static_cast<const int32_t*>(scalar->value);
  }
  global_sum = Touch(data, kBuffers) + static_cast<float>(extra);
  return nullptr;
}

template <int kBuffers>
void Direct(benchmark::State& state) {
  float values[kBuffers] = {};
  float* data[kBuffers];
  for (int i = 0; i < kBuffers; ++i) data[i] = &values[i];
  float* const* hidden = data;
  for (auto _ : state) {
    benchmark::DoNotOptimize(hidden);
    global_sum = Touch(hidden, kBuffers);
    benchmark::ClobberMemory();
  }
}
BENCHMARK_TEMPLATE(Direct, 1);
BENCHMARK_TEMPLATE(Direct, 4);
BENCHMARK_TEMPLATE(Direct, 16);

template <int kBuffers, int kAttributes>
void Frame(benchmark::State& state) {
  std::string text;
  for (int i = 0; i < kAttributes; ++i) {
    absl::StrAppend(&text, i == 0 ? "" : "&", kNames[i].name, "=1:i32");
  }
  Attributes attributes;
  if (kAttributes > 0) attributes = *ParseAttributes(text);
  const auto pack = *AttributePack::Create(
      attributes, [](const std::string&) -> absl::StatusOr<void*> {
        return absl::NotFoundError("");
      });
  FfiHandlers handlers;
  handlers.minor = 3;
  handlers.stages[EYRIE_FFI_EXECUTE] = Handler<kBuffers, kAttributes>;
  const FfiServices services;
  const FfiRegistry registry;
  FfiState instantiated;
  FfiContext context(services, registry, instantiated, nullptr);
  std::vector<eyrie_ffi_buffer_t> buffers(kBuffers);
  FfiFrame frame(handlers, *pack, context, buffers, {});
  float values[kBuffers] = {};
  const int64_t dims[] = {1, 1};
  int64_t run_id = 0;
  for (auto _ : state) {
    for (int i = 0; i < kBuffers; ++i) {
      eyrie_ffi_buffer_t& buffer = buffers[i];
      buffer.size = EYRIE_FFI_SIZE(eyrie_ffi_buffer_t, dims);
      buffer.type = static_cast<int32_t>(FfiType::kF32);
      buffer.data = &values[i];
      buffer.rank = 2;
      buffer.dims = const_cast<int64_t*>(dims);
    }
    context.Begin(++run_id);
    Ref<eyrie_ffi_future> future;
    if (!frame.Run(future).ok()) std::abort();
    context.End();
  }
}
BENCHMARK_TEMPLATE(Frame, 1, 0);
BENCHMARK_TEMPLATE(Frame, 4, 0);
BENCHMARK_TEMPLATE(Frame, 16, 0);
BENCHMARK_TEMPLATE(Frame, 1, 4);
BENCHMARK_TEMPLATE(Frame, 4, 4);
BENCHMARK_TEMPLATE(Frame, 16, 4);

// Returns a loop whose turns call an import with `pairs` buffers and results.
std::string LoopText(int64_t pairs) {
  std::string call;
  if (pairs > 0) {
    std::string registers;
    for (int64_t i = 0; i < pairs; ++i) {
      absl::StrAppend(&registers, i == 0 ? "%r" : ", %r", i);
    }
    call = absl::StrCat("  ", registers, " = vm.call @xffi.copy_each(",
                        registers, ")\n");
  }
  std::string parameters = "%i0: i32";
  for (int64_t i = 0; i < pairs; ++i) {
    absl::StrAppend(&parameters, ", %r", i, ": !vm.ref<?>");
  }
  const std::string refs(static_cast<size_t>(pairs), 'r');
  return absl::StrCat(
      "vm.module @loop version 0\n"
      "vm.import @xffi.copy_each cconv \"0",
      pairs == 0 ? "r_r" : absl::StrCat(refs, "_", refs),
      "\"\n"
      "vm.export @run\n"
      "vm.func @run(",
      parameters,
      ") -> () {\n"
      "^bb0:\n  vm.br ^bb1()\n"
      "^bb1:\n",
      call,
      "  %i1 = vm.const.i32 1\n"
      "  %i0 = vm.sub.i32 %i0, %i1\n"
      "  vm.cond_br %i0, ^bb1(), ^bb2()\n"
      "^bb2:\n  vm.return\n}\n");
}

void Import(benchmark::State& state) {
  constexpr int kCalls = 1000;
  auto library = LoadNativeLibrary("tests/native/lib/handlers_3_noted.so", "");
  const auto bytes = vm::Assemble(LoopText(state.range(0)), "loop");
  auto devices = abi::OpenDevices({}, hal::DriverOptions());
  if (!library.ok() || !bytes.ok() || !devices.ok()) std::abort();
  auto program = abi::LoadProgram(*bytes, "loop");
  if (!program.ok()) std::abort();
  abi::SessionOptions options;
  options.native_libraries = {*library};
  auto session = abi::Session::Create({*program}, *devices, options);
  if (!session.ok()) std::abort();
  abi::Callable run = *(*session)->Lookup("run");
  auto tensor =
      abi::NewTensor(*(*devices)[0], {hal::ElementType::kFloat32, {4}});
  std::vector<vm::Slot> arguments(static_cast<size_t>(state.range(0)) + 1);
  arguments[0].i32 = kCalls;
  for (size_t i = 1; i < arguments.size(); ++i) {
    arguments[i].ref = tensor->get();
  }
  for (auto _ : state) {
    if (!run.Invoke(arguments, {}).ok()) std::abort();
  }
  state.SetItemsProcessed(state.iterations() * kCalls);
}

BENCHMARK(Import)->Arg(0)->Arg(1)->Arg(2)->Arg(8);

}  // namespace
}  // namespace eyrie::native

BENCHMARK_MAIN();
