// Measures the cost per slot of a call: items per second are slots.
//
//   bazel run -c opt //abi/call:marshal_bench
// ScalarsCall minus ScalarsInvoke is the cost of encoding 7 arguments and
// decoding 7 results; the others only encode.
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "abi/call/invoker.h"
#include "abi/signature/signature_reader.h"
#include "absl/strings/str_cat.h"
#include "benchmark/benchmark.h"

namespace eyrie::abi {
namespace {

std::vector<Ref<hal::Device>> Devices() {
  return *OpenDevices({}, hal::DriverOptions());
}

std::unique_ptr<Session> OpenScalars() {
  auto program = LoadProgram("tests/modules/3.13/scalars.vmfb");
  if (!program.ok()) std::abort();
  return *Session::Create({*program}, Devices());
}

const std::vector<HostValue>& SevenScalars() {
  static const auto* const kValues = new std::vector<HostValue>{
      HostValue(true),       HostValue(int32_t{-3}), HostValue(int32_t{300}),
      HostValue(int32_t{5}), HostValue(int64_t{6}),  HostValue(int64_t{7}),
      HostValue(2.5)};
  return *kValues;
}

void ScalarsCall(benchmark::State& state) {
  auto session = OpenScalars();
  Invoker all = *Invoker::Create(*session, *session->Lookup("all"));
  std::vector<HostValue> results;
  for (auto _ : state) {
    if (!all.Call(SevenScalars(), {}, results).ok()) std::abort();
  }
  state.SetItemsProcessed(state.iterations() * 14);
}
BENCHMARK(ScalarsCall);

void ScalarsInvoke(benchmark::State& state) {
  auto session = OpenScalars();
  const vm::Function all = session->Lookup("all")->function();
  vm::Slot arguments[7] = {};
  vm::Slot results[7] = {};
  for (auto _ : state) {
    if (!session->context().Invoke(all, arguments, results).ok()) std::abort();
  }
  state.SetItemsProcessed(state.iterations() * 14);
}
BENCHMARK(ScalarsInvoke);

Signature SignatureOf(const char* convention, const std::string& records) {
  const vm::Attribute attributes[] = {{"iree.abi", records}};
  return *ReadSignature("f", attributes,
                        *vm::CallingConvention::Parse(convention));
}

void TenScalars(benchmark::State& state) {
  const Signature signature = SignatureOf(
      "0iiiiiIIffF",
      R"({"a":["i1","i8","i16","i32","i32","i64","i64","f32","f32","f64"]})");
  std::vector<HostValue> values;
  values.emplace_back(true);
  for (int i = 1; i < 7; ++i) values.emplace_back(int32_t{i});
  for (int i = 7; i < 10; ++i) values.emplace_back(i * 0.5);
  CallStatistics statistics;
  vm::Slot slots[10];
  for (auto _ : state) {
    Encoder encoder(nullptr, &statistics);
    for (size_t i = 0; i < values.size(); ++i) {
      if (!encoder.Encode(values[i], signature.arguments()[i], slots[i]).ok()) {
        std::abort();
      }
    }
    benchmark::DoNotOptimize(slots);
  }
  state.SetItemsProcessed(state.iterations() * 10);
}
BENCHMARK(TenScalars);

// Encodes a dict of twenty arrays of 16 floats. The argument tells whether they
// are lent.
void DictOfArrays(benchmark::State& state) {
  std::string records = R"({"a":[["sdict")";
  alignas(64) static float memory[20][16];
  HostValue::Entries entries;
  const int64_t shape[] = {16};
  for (int i = 0; i < 20; ++i) {
    const std::string key = absl::StrCat("key", 10 + i);
    absl::StrAppend(&records, ",[\"", key, "\",[\"ndarray\",\"f32\",1,null]]");
    const std::span<const uint8_t> bytes(
        reinterpret_cast<const uint8_t*>(memory[i]), sizeof(memory[i]));
    entries.emplace_back(
        key,
        HostValue(*HostArray::Borrow(
            hal::ElementType::kFloat32, shape, {}, bytes, 0, nullptr,
            state.range(0) ? HostArray::Use::kLend : HostArray::Use::kCopy)));
  }
  const Signature signature = SignatureOf("0r", records + "]]}");
  const HostValue dict = HostValue::Dict(std::move(entries));
  const auto devices = Devices();
  CallStatistics statistics;
  std::vector<Ref<hal::BufferView>> spares;
  for (auto _ : state) {
    Encoder encoder(devices[0].get(), &statistics, nullptr, &spares);
    vm::Slot slot;
    if (!encoder.Encode(dict, signature.arguments()[0], slot).ok()) {
      std::abort();
    }
    slot.ref->DropRef();
  }
  state.SetItemsProcessed(state.iterations() * 20);
}
BENCHMARK(DictOfArrays)->Arg(0)->Arg(1);

}  // namespace
}  // namespace eyrie::abi

BENCHMARK_MAIN();
