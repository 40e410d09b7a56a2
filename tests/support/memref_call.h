// A test fixture that binds and calls memref functions.
//
// Arguments and results are text: "i1" and so on by the letter of the calling
// convention, tensors as "2xf32=1 2".
#ifndef EYRIE_TESTS_SUPPORT_MEMREF_CALL_H_
#define EYRIE_TESTS_SUPPORT_MEMREF_CALL_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "abi/native/json_reader.h"
#include "abi/native/memref/import.h"
#include "abi/native/shape_rule.h"
#include "abi/tensor/tensor_text.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/json.h"
#include "gtest/gtest.h"
#include "hal/buffer_view.h"
#include "tests/support/cpu_device.h"
#include "tests/support/memref_functions.h"
#include "tests/support/status_text.h"

namespace eyrie::native {

struct MemrefCallOptions {
  int index_bits = 64;
  size_t outputs = 0;
  const char* convention = nullptr;       // of the import, if not the usual one
  std::vector<const char*> rules = {};    // of outputs, as in manifests
  size_t inouts = 0;                      // how many of them are "inout"
  std::vector<const char*> layouts = {};  // of arguments, then of results
  const char* equal = "[]";               // equal dimensions
  uint64_t given = 0;                     // bits of arguments; see ModuleState
};

class MemrefCallTest : public testing::Test {
 protected:
  ~MemrefCallTest() override {
    kept_.clear();
    EXPECT_EQ(test::live, 0);
  }

  template <typename Entry>
  absl::StatusOr<std::unique_ptr<MemrefImport>> Bind(
      absl::string_view type, Entry* entry, MemrefCallOptions options) {
    auto function = std::make_shared<MemrefFunction>();
    function->signature = {
        *ParseMemrefFunctionType(type), options.index_bits,
        options.outputs + options.rules.size() - options.inouts};
    const std::vector<OperandRank> inputs = function->signature.InputRanks();
    for (const char* text : options.rules) {
      const Json json = *ParseJson(text);
      JsonReader reader = *JsonReader::Open(json, "a rule");
      auto rule = ShapeRule::ReadShape(reader, inputs);
      if (!rule.ok()) return rule.status();
      function->signature.output_rules.push_back(*std::move(rule));
    }
    const MemrefFunctionType& parsed = function->signature.type;
    for (const char* layout : options.layouts) {
      function->signature.layouts.push_back(
          *TensorLayout::Read(*ParseJson(layout), "a tensor", kAnyRank));
    }
    if (!options.layouts.empty()) {
      function->signature.layouts.resize(parsed.arguments.size() +
                                         parsed.results.size());
    }
    const Json equal =
        *ParseJson(absl::StrCat(R"({"equal": )", options.equal, "}"));
    JsonReader reader = *JsonReader::Open(equal, "a function");
    function->signature.equal = *EqualDims::Read(reader, inputs);
    function->entry = reinterpret_cast<void*>(entry);
    function->free = test::Free;
    const auto convention = *vm::CallingConvention::Parse(
        options.convention != nullptr ? options.convention
                                      : function->signature.ImportConvention());
    letters_ = convention.ToString();
    auto plan = MemrefPlan::Create(function->signature, convention);
    if (!plan.ok()) return plan.status();
    return std::make_unique<MemrefImport>(function, *std::move(plan),
                                          ImportRequest{.name = "m.f",
                                                        .attributes = "",
                                                        .signature = convention,
                                                        .services = services_,
                                                        .state = state_,
                                                        .owner = 1});
  }

  vm::Slot SlotOf(char letter, absl::string_view text) {
    vm::Slot slot;
    double number = 0;
    switch (letter) {
      case 'i':
        EXPECT_TRUE(absl::SimpleAtoi(text, &slot.i32)) << text;
        break;
      case 'I':
        EXPECT_TRUE(absl::SimpleAtoi(text, &slot.i64)) << text;
        break;
      case 'f':
        EXPECT_TRUE(absl::SimpleAtof(text, &slot.f32)) << text;
        break;
      case 'F':
        EXPECT_TRUE(absl::SimpleAtod(text, &number)) << text;
        slot.f64 = number;
        break;
      default:
        kept_.push_back(View(text));
        slot.ref = kept_.back().get();
    }
    return slot;
  }

  Ref<hal::BufferView> View(absl::string_view text) {
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(text, absl::MaxSplits('=', 1));
    const hal::TensorType spec = *hal::TensorType::ParseStatic(parts.first);
    Ref<hal::Buffer> buffer =
        *device_->allocator().Allocate({}, *spec.ByteLength());
    EXPECT_TRUE(abi::ParseElements(parts.second, spec,
                                   {buffer->host_data(), *spec.ByteLength()})
                    .ok())
        << text;
    return *hal::BufferView::Create(std::move(buffer), spec.shape,
                                    spec.element);
  }

  std::string TextOf(char letter, const vm::Slot& slot) {
    if (letter == 'i') return absl::StrCat(slot.i32);
    if (letter == 'I') return absl::StrCat(slot.i64);
    if (letter == 'f') return absl::StrCat(slot.f32);
    if (letter == 'F') return absl::StrCat(slot.f64);
    kept_.push_back(
        Ref<hal::BufferView>::Adopt(RefCast<hal::BufferView>(slot.ref)));
    const hal::BufferView& view = *kept_.back();
    std::string text = absl::StrCat(view.ShapeAndType(), "=");
    const hal::TensorType spec{view.element_type(),
                               {view.shape().begin(), view.shape().end()}};
    abi::AppendElements({view.buffer()->host_data(), view.byte_length()}, spec,
                        100, abi::FloatCase::kLower, text);
    return text;
  }

  // Calls a function; arguments are separated by "; ".
  template <typename Entry>
  std::string Call(absl::string_view type, Entry* entry,
                   absl::string_view arguments,
                   MemrefCallOptions options = {}) {
    auto import = Bind(type, entry, options);
    if (!import.ok()) return StatusText(import);
    const std::vector<std::string> texts =
        absl::StrSplit(arguments, "; ", absl::SkipEmpty());
    std::vector<vm::Slot> slots;
    for (size_t i = 0; i < texts.size(); ++i) {
      slots.push_back(SlotOf(letters_[i + 1], texts[i]));
    }
    vm::Slot results[8];
    (*import)->set_given(options.given);
    const absl::Status status = (*import)->Invoke(slots.data(), results);
    if (!status.ok()) return StatusText(status);
    const std::string returned = letters_.substr(letters_.find('_') + 1);
    std::string text;
    for (size_t i = 0; i < returned.size() && returned != "v"; ++i) {
      absl::StrAppend(&text, i == 0 ? "" : "; ",
                      TextOf(returned[i], results[i]));
    }
    return text;
  }

  const Ref<hal::Device> device_ = hal::cpu::NewDevice();
  const std::shared_ptr<const NativeServices> services_ =
      std::make_shared<const NativeServices>(
          NativeServices{.device = device_, .tasks = nullptr, .user_data = {}});
  vm::ModuleState state_;
  std::string letters_;
  std::vector<Ref<hal::BufferView>> kept_;  // arguments and results
};

}  // namespace eyrie::native

#endif  // EYRIE_TESTS_SUPPORT_MEMREF_CALL_H_
