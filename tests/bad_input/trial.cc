// Loads, links and calls damaged modules. Tested by its users.
#include "tests/bad_input/trial.h"

#include <utility>
#include <vector>

#include "abi/call/session.h"
#include "abi/signature/signature.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "hal/buffer_view.h"
#include "hal/tensor_type.h"
#include "tests/support/files.h"
#include "tests/support/sessions.h"
#include "vm/isa/value.h"

// Makes oversized allocations return null instead of sanitizer errors.
extern "C" const char* __asan_default_options() {  // NOLINT
  return "allocator_may_return_null=1";
}

namespace eyrie::tests {
namespace {

enum Stage { kLoad, kLink, kCall, kDone };

// Creates a tensor of the declared type if it is small, else four floats.
absl::StatusOr<vm::Value> CreateTensor(hal::Device& device,
                                       const abi::Type& declared) {
  constexpr uint64_t kMaxBytes = 4096;
  hal::TensorType spec;
  spec.element = declared.element;
  for (int64_t size : declared.shape) {
    spec.shape.push_back(size == abi::Type::kDynamic ? 2 : size);
  }
  const absl::StatusOr<uint64_t> size = spec.ByteLength();
  if (spec.element == hal::ElementType::kNone || !size.ok() ||
      *size > kMaxBytes) {
    spec.element = hal::ElementType::kFloat32;
    spec.shape = {4};
  }
  ASSIGN_OR_RETURN(Ref<hal::BufferView> view, abi::NewTensor(device, spec));
  return vm::Value(Ref<RefObject>(std::move(view)));
}

absl::StatusOr<std::vector<vm::Value>> CreateArguments(
    hal::Device& device, const abi::Callable& callable) {
  std::vector<vm::Value> arguments;
  for (const abi::Parameter& argument : callable.declared().arguments()) {
    switch (argument.carrier) {
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
        ASSIGN_OR_RETURN(vm::Value tensor, CreateTensor(device, argument.type));
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

}  // namespace

std::vector<uint8_t> ReadModule(const std::string& name) {
  return FileBytes(absl::StrCat("tests/modules/", name));
}

std::string TryModule(std::span<const uint8_t> bytes, hal::Device& device,
                      const vm::Limits& limits, Sweep::Report& report) {
  const absl::StatusOr<abi::Program> program =
      abi::LoadProgram(bytes, "The module");
  if (!program.ok()) {
    report.CountStage();
    return Judge(program.status());
  }
  report.SetStage(kLink);
  abi::SessionOptions options;
  options.limits = limits;
  const auto session = abi::Session::Create(
      {*program}, {Ref<hal::Device>::Share(&device)}, std::move(options));
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
                       CreateArguments(device, callable));
      ASSIGN_OR_RETURN(std::vector<vm::Value> results,
                       CallRegisters(**session, callable, arguments));
      return ReadResults(results);
    }();
    all_ok &= status.ok();
    wrong += Judge(status);
  }
  if (all_ok) report.SetStage(kDone);
  report.CountStage();
  return wrong;
}

std::string StageName(int stage) {
  const char* const kStages[] = {"loaded", "linked", "called", "done"};
  return kStages[stage];
}

std::string Outcomes(const Sweep& sweep) {
  const char* const kOutcomes[] = {"refused", "not linked", "failed", "worked"};
  std::string text;
  for (const auto& [stage, count] : sweep.stages()) {
    absl::StrAppend(&text, text.empty() ? "" : ", ", count, " ",
                    kOutcomes[stage]);
  }
  return text;
}

}  // namespace eyrie::tests
