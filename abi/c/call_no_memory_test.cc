// Tests calls of the C API in which allocations fail: for arguments, for
// results, and while looking up a function.
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "abi/c/testing/c_value_text.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/allocate.h"
#include "eyrie/c.h"
#include "gtest/gtest.h"
#include "tests/support/failing_allocations.h"
#include "tests/support/module_builder.h"

namespace eyrie {
namespace {

using tests::FailEach;
using tests::ModuleBuilder;

// Returns the error as a status, or OK. Frees the error.
absl::Status Take(eyrie_error_t* error) {
  if (error == nullptr) return absl::OkStatus();
  absl::Status status(static_cast<absl::StatusCode>(eyrie_error_code(error)),
                      eyrie_error_message(error));
  eyrie_error_free(error);
  return status;
}

// This many arguments or results need more than kSmallBytes.
constexpr int kWide = 9000;

// Adds a function that returns its argument, whose type is given by iree.abi.
void AddEcho(ModuleBuilder& builder, std::string name,
             const std::string& type) {
  builder.AddFunction(std::move(name), "0r_r", "entry: return [r0]")
      .attributes = {{"iree.abi", absl::StrCat(R"({"v":1,"a":[)", type,
                                               R"(],"r":[)", type, "]}")}};
}

std::vector<uint8_t> Module() {
  ModuleBuilder builder;
  builder.AddFunction("any", "0r_r", "entry: return [r0]");
  AddEcho(builder, "bytes", R"(["bytes"])");
  const std::string letters(kWide, 'i');
  builder
      .AddFunction("wide", absl::StrCat("0", letters, "_", letters),
                   absl::StrCat("entry: return ", tests::Registers(kWide)))
      .i32_registers = kWide;
  return builder.Build();
}

// A context with that module, and arguments for its functions.
class CallNoMemory : public testing::Test {
 protected:
  void SetUp() override {
    const std::vector<uint8_t> file = Module();
    ASSERT_TRUE(Take(eyrie_module_load_memory(file.data(), file.size(),
                                              EYRIE_MEMORY_COPY, nullptr,
                                              nullptr, &module_))
                    .ok());
    ASSERT_TRUE(
        Take(eyrie_context_create(&module_, 1, nullptr, 0, nullptr, &context_))
            .ok());
  }
  void TearDown() override {
    eyrie_context_release(context_);
    eyrie_module_release(module_);
  }

  // Calls a function and checks that each result equals its argument.
  absl::Status Call(const char* name, std::vector<eyrie_value_t*>& arguments,
                    std::vector<eyrie_value_t*>& results) {
    eyrie_function_t* function = nullptr;
    absl::Status status =
        Take(eyrie_context_find_function(context_, name, &function));
    if (status.ok()) {
      const eyrie_call_args_t args = ArgsOf(arguments);
      status = Take(eyrie_function_call(function, &args, nullptr,
                                        results.data(), results.size()));
    }
    return status;
  }

  // Creates a row of the test that repeats this call with `value`, and frees
  // `value`.
  tests::MemoryRow Row(const char* name, const char* function,
                       eyrie_value_t* value, size_t count, uint64_t least) {
    std::vector<eyrie_value_t*> arguments(count, value);
    std::vector<eyrie_value_t*> results(count, nullptr);
    given_.push_back(std::move(arguments));
    results_.push_back(std::move(results));
    const size_t at = given_.size() - 1;
    return {name,
            [this, function, at] {
              return Call(function, given_[at], results_[at]);
            },
            least};
  }

  void Free() {
    for (const auto& arguments : given_) eyrie_value_free(arguments[0]);
    for (const auto& results : results_) {
      for (eyrie_value_t* result : results) eyrie_value_free(result);
    }
  }

  eyrie_module_t* module_ = nullptr;
  eyrie_context_t* context_ = nullptr;
  std::vector<std::vector<eyrie_value_t*>> given_;
  std::vector<std::vector<eyrie_value_t*>> results_;
};

eyrie_value_t* LongText() {
  const std::string text(size_t{1} << 18, 'x');
  return eyrie_value_new_bytes(text.data(), text.size());
}

eyrie_value_t* LongList() {
  std::vector<eyrie_value_t*> items(10000);
  for (eyrie_value_t*& item : items) item = eyrie_value_new_i64(1ll << 40);
  return eyrie_value_new_list(items.data(), items.size());
}

// Without a signature, a dict becomes a list in the order of its keys.
eyrie_value_t* LongDict() {
  std::vector<eyrie_value_t*> items(10000);
  std::vector<std::string> names;
  std::vector<const char*> keys;
  for (size_t i = 0; i < items.size(); ++i) {
    names.push_back(absl::StrCat("key", i));
  }
  for (size_t i = 0; i < items.size(); ++i) {
    items[i] = eyrie_value_new_bytes(nullptr, 0);
    keys.push_back(names[i].c_str());
  }
  return eyrie_value_new_dict(keys.data(), nullptr, items.data(), items.size());
}

TEST_F(CallNoMemory, ArgumentsAndResults) {
  FailEach({
      Row("a text as a buffer", "bytes", LongText(), 1, 1),
      Row("a text as a list", "any", LongText(), 1, 1),
      Row("a list", "any", LongList(), 1, 2),
      Row("a dict", "any", LongDict(), 1, 3),
      Row("9000 arguments", "wide", eyrie_value_new_i32(7), kWide, 4),
  });
  Free();
}

// Returns a module with thousands of functions, one of which has a long name.
std::vector<uint8_t> ManyFunctions() {
  ModuleBuilder builder;
  builder.debug_database = false;
  for (int i = 0; i < 5000; ++i) {
    builder.AddFunction(absl::StrCat("f", i), "0i_i", "entry: return [i0]");
  }
  builder.AddFunction(std::string(100000, 'x'), "0i_i", "entry: return [i0]");
  return builder.Build();
}

absl::Status LoadAndRelease(const std::vector<uint8_t>& file) {
  eyrie_module_t* module = nullptr;
  absl::Status status = Take(eyrie_module_load_memory(
      file.data(), file.size(), EYRIE_MEMORY_COPY, nullptr, nullptr, &module));
  if (status.ok()) {
    EXPECT_EQ(eyrie_module_function_count(module), 5001u);
    eyrie_module_release(module);
  }
  return status;
}

TEST(LoadNoMemory, Functions) {
  const std::vector<uint8_t> file = ManyFunctions();
  FailEach({{"load", [&] { return LoadAndRelease(file); }, 9}});
}

}  // namespace
}  // namespace eyrie
