// Damaged modules: cut at every length, every byte flipped. Each is loaded,
// linked and called; what cannot be done is said in a sentence.
//
// Left out are the bytes of machine code and of its addresses: a module with
// kernels can do what the process can. A flip may turn a module into one that
// loops; that is a program like another, and only the code of functions may
// do it.
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "abi/session.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "gtest/gtest.h"
#include "tests/bad_input/machine_code.h"
#include "tests/bad_input/sweep.h"

// Sizes in damaged modules are refused by allocations, not by sanitizers.
extern "C" const char* __asan_default_options() {  // NOLINT
  return "allocator_may_return_null=1";
}

namespace eyrie {
namespace {

using tests::Mishap;
using tests::Sweep;
using Bytes = std::vector<uint8_t>;

constexpr char kFolder[] = "tests/modules/";

enum Stage { kLoad, kLink, kCall, kDone };

Bytes ReadModule(const std::string& name) {
  std::ifstream file(absl::StrCat(kFolder, name), std::ios::binary);
  return Bytes(std::istreambuf_iterator<char>(file), {});
}

Ref<hal::Device> OpenDevice() {
  auto devices = abi::OpenDevices({}, {});
  EXPECT_TRUE(devices.ok()) << devices.status();
  return devices.ok() ? (*devices)[0] : nullptr;
}

// A tensor as declared, small enough to be made; else of four floats.
absl::StatusOr<vm::Value> MakeTensor(hal::Device& device,
                                     const abi::DeclaredValue* declared) {
  constexpr uint64_t kMaxBytes = 4096;
  abi::TensorSpec spec;
  if (declared != nullptr) {
    spec.type = declared->type.element;
    for (int64_t size : declared->type.shape) {
      spec.shape.push_back(size == abi::DeclaredType::kDynamic ? 2 : size);
    }
  }
  const absl::StatusOr<uint64_t> size = spec.ByteLength();
  if (spec.type == hal::ElementType::kNone || !size.ok() || *size > kMaxBytes) {
    spec.type = hal::ElementType::kFloat32;
    spec.shape = {4};
  }
  ASSIGN_OR_RETURN(Ref<hal::BufferView> view, abi::NewTensor(device, spec));
  return vm::Value(Ref<RefObject>(std::move(view)));
}

absl::StatusOr<std::vector<vm::Value>> MakeArguments(
    hal::Device& device, const abi::Callable& callable) {
  std::vector<vm::Value> arguments;
  for (size_t i = 0; i < callable.argument_types().size(); ++i) {
    switch (callable.argument_types()[i]) {
      case vm::ValueType::kI32:
        arguments.emplace_back(int32_t{2});
        break;
      case vm::ValueType::kI64:
        arguments.emplace_back(int64_t{2});
        break;
      case vm::ValueType::kF32:
        arguments.emplace_back(1.5f);
        break;
      case vm::ValueType::kF64:
        arguments.emplace_back(2.5);
        break;
      case vm::ValueType::kRef: {
        ASSIGN_OR_RETURN(vm::Value tensor,
                         MakeTensor(device, callable.declared_argument(i)));
        arguments.push_back(std::move(tensor));
      }
    }
  }
  return arguments;
}

// Reads every byte of the tensors among the results.
absl::Status ReadResults(std::span<const vm::Value> results) {
  uint8_t sum = 0;
  for (const vm::Value& result : results) {
    const auto* view = RefCast<hal::BufferView>(result.ref());
    if (view == nullptr) continue;
    ASSIGN_OR_RETURN(std::span<const uint8_t> bytes, abi::BytesOf(*view));
    for (uint8_t byte : bytes) sum ^= byte;
  }
  volatile uint8_t sink = sum;
  static_cast<void>(sink);
  return absl::OkStatus();
}

std::string Judge(const absl::Status& status) {
  if (status.ok() || !status.message().empty()) return "";
  return absl::StrCat("fails without a sentence: ", status.ToString());
}

// Loads, links and calls all functions; says what is wrong with the errors.
std::string Use(std::span<const uint8_t> bytes, hal::Device* device,
                Sweep::Report& report) {
  const absl::StatusOr<abi::Program> program =
      abi::LoadProgram(bytes, "The module");
  if (!program.ok()) {
    report.CountStage();
    return Judge(program.status());
  }
  report.SetStage(kLink);
  const auto session =
      abi::Session::Create({*program}, {Ref<hal::Device>::Share(device)});
  if (!session.ok()) {
    report.CountStage();
    return Judge(session.status());
  }
  report.SetStage(kCall);
  std::string wrong;
  bool all_ok = true;
  for (const vm::Function& function : (*session)->Functions()) {
    absl::Status status = [&] {
      ASSIGN_OR_RETURN(abi::Callable callable, (*session)->Bind(function));
      ASSIGN_OR_RETURN(std::vector<vm::Value> arguments,
                       MakeArguments(*device, callable));
      ASSIGN_OR_RETURN(std::vector<vm::Value> results,
                       callable.Call(arguments));
      return ReadResults(results);
    }();
    all_ok &= status.ok();
    wrong += Judge(status);
  }
  if (all_ok) report.SetStage(kDone);
  report.CountStage();
  return wrong;
}

struct Damage {
  size_t offset;  // or length, of a cut
  uint8_t flip;   // 0: a cut
};

Bytes Apply(const Bytes& module, Damage damage) {
  Bytes result = module;
  if (damage.flip == 0) {
    result.resize(damage.offset);
  } else {
    result[damage.offset] ^= damage.flip;
  }
  return result;
}

std::string Describe(const Mishap& mishap, Damage damage) {
  const char* const kStages[] = {"loaded", "linked", "called", "done"};
  return absl::StrCat(damage.flip ? "with the byte at " : "cut to ",
                      damage.offset, damage.flip ? " ^ " : " bytes",
                      damage.flip ? absl::StrCat(damage.flip) : "", ", being ",
                      kStages[mishap.stage], ": ", mishap.text);
}

// Where the code of functions is, which may become a loop.
std::pair<size_t, size_t> Bytecode(const Bytes& module) {
  const auto archive = vm::Archive::Copy(module, "module");
  EXPECT_TRUE(archive.ok()) << archive.status();
  const auto def = vm::ModuleDef::Decode(*archive);
  EXPECT_TRUE(def.ok()) << def.status();
  const size_t begin = def->bytecode.data() - (*archive)->flatbuffer().data() +
                       (*archive)->flatbuffer_offset();
  return {begin, begin + def->bytecode.size()};
}

void RunAll(const Bytes& module, const std::vector<Damage>& damages) {
  const Ref<hal::Device> device = OpenDevice();
  ASSERT_NE(device, nullptr);
  const auto [code_begin, code_end] = Bytecode(module);
  Sweep sweep(damages.size(), [&](size_t i, Sweep::Report& report) {
    return Use(Apply(module, damages[i]), device.get(), report);
  });
  int loops = 0;
  for (const Mishap& mishap : sweep.Run()) {
    const Damage damage = damages[mishap.trial];
    const bool may_loop = damage.flip != 0 && mishap.stage != kLoad &&
                          damage.offset >= code_begin &&
                          damage.offset < code_end;
    if (mishap.kind == Mishap::Kind::kEndless && may_loop) {
      ++loops;
      std::cout << "  " << Describe(mishap, damage) << "\n";
      continue;
    }
    ADD_FAILURE() << Describe(mishap, damage);
  }
  std::cout << "  " << damages.size() << " variants:";
  const char* const kOutcomes[] = {"refused", "not linked", "failed", "worked"};
  for (const auto& [stage, count] : sweep.stages()) {
    std::cout << " " << count << " " << kOutcomes[stage] << ",";
  }
  std::cout << " " << loops << " loop\n";
}

// One without devices, one bare and one ZIP with a kernel.
class BadInputTest : public testing::TestWithParam<const char*> {};

TEST_P(BadInputTest, Whole) {
  const Bytes module = ReadModule(GetParam());
  RunAll(module, {{module.size(), 0}});
}

TEST_P(BadInputTest, CutAtEveryLength) {
  const Bytes module = ReadModule(GetParam());
  std::vector<Damage> damages;
  for (size_t i = 0; i < module.size(); ++i) damages.push_back({i, 0});
  RunAll(module, damages);
}

void FlipAll(const Bytes& module, uint8_t flip) {
  const std::vector<bool> code = tests::FindMachineCode(module);
  std::vector<Damage> damages;
  for (size_t i = 0; i < module.size(); ++i) {
    if (!code[i]) damages.push_back({i, flip});
  }
  RunAll(module, damages);
}

TEST_P(BadInputTest, AllBitsOfEveryByteFlipped) {
  FlipAll(ReadModule(GetParam()), 0xFF);
}

TEST_P(BadInputTest, LowestBitOfEveryByteFlipped) {
  FlipAll(ReadModule(GetParam()), 0x01);
}

INSTANTIATE_TEST_SUITE_P(Modules, BadInputTest,
                         testing::Values("3.13/vm_control.bare.vmfb",
                                         "3.3/add.bare.vmfb", "3.13/add.vmfb"),
                         [](const auto& info) {
                           std::string name;
                           for (char c : std::string(info.param))
                             name += std::isalnum(c) ? c : '_';
                           return name;
                         });

}  // namespace
}  // namespace eyrie
