// Common mistakes and their error messages: files that are not modules, modules
// that cannot be linked, and invalid arguments.
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "abi/call/session.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "gtest/gtest.h"
#include "hal/buffer.h"
#include "hal/buffer_view.h"
#include "hal/tensor_type.h"
#include "tests/support/files.h"
#include "tests/support/module_builder.h"
#include "tests/support/sessions.h"
#include "tests/support/status_text.h"
#include "vm/object/buffer.h"
#include "vm/object/list.h"

namespace eyrie {
namespace {

using Bytes = std::vector<uint8_t>;
using tests::ModuleBuilder;

constexpr char kModules[] = "tests/modules/3.13/";
constexpr char kTestdata[] = "tests/bad_input/testdata/";

// Writes a file of this test. The message must name it.
std::string WriteTemporary(const std::string& name, const std::string& text) {
  const std::string path = absl::StrCat(testing::TempDir(), "/", name);
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

std::string RandomText(size_t size) {
  std::mt19937 random(1);
  std::string text(size, '\0');
  for (char& c : text) c = static_cast<char>(random());
  return text;
}

// Loads and links modules on the default device.
absl::StatusOr<std::unique_ptr<abi::Session>> Open(
    const std::vector<std::string>& paths) {
  std::vector<abi::Program> programs;
  for (const std::string& path : paths) {
    ASSIGN_OR_RETURN(abi::Program program, abi::LoadProgram(path));
    programs.push_back(std::move(program));
  }
  ASSIGN_OR_RETURN(auto devices, abi::OpenDevices({}, {}));
  return abi::Session::Create(std::move(programs), std::move(devices));
}

absl::StatusOr<std::unique_ptr<abi::Session>> OpenBytes(
    std::span<const uint8_t> bytes) {
  ASSIGN_OR_RETURN(abi::Program program, abi::LoadProgram(bytes, "The module"));
  ASSIGN_OR_RETURN(auto devices, abi::OpenDevices({}, {}));
  return abi::Session::Create({std::move(program)}, std::move(devices));
}

TEST(RefusalsTest, Files) {
  struct Case {
    std::string path;
    std::string want;  // $ is replaced by the path
  };
  const std::string elf(
      "\x7f"
      "ELF\x02\x01\x01",
      7);
  const Case cases[] = {
      {"tests/modules/add.mlir",
       "INVALID_ARGUMENT: $ is MLIR text, not a compiled module."},
      {WriteTemporary("empty.vmfb", ""),
       "INVALID_ARGUMENT: $ is empty, not a compiled module."},
      {WriteTemporary("short.vmfb", "abc"),
       "INVALID_ARGUMENT: $ is text, not a compiled module."},
      {WriteTemporary("random.vmfb", RandomText(5000)),
       "INVALID_ARGUMENT: $ is not a compiled module: neither a ZIP nor a "
       "FlatBuffer with the identifier IREE."},
      {WriteTemporary("zeros.vmfb", std::string(5000, '\0')),
       "INVALID_ARGUMENT: $ is not a compiled module: neither a ZIP nor a "
       "FlatBuffer with the identifier IREE."},
      {WriteTemporary("library.so", elf + std::string(100, '\0')),
       "INVALID_ARGUMENT: $ is an ELF binary, not a compiled module."},
      {WriteTemporary("tiny.vmfb", "\x08\x07\x12\x07weights"),
       "INVALID_ARGUMENT: $ has 11 bytes, too few for a compiled module."},
      {"tests/modules", "INVALID_ARGUMENT: $ is a directory, not a file."},
      {"no/such/file.vmfb",
       "NOT_FOUND: Cannot open $: No such file or directory."},
      {"", "NOT_FOUND: Cannot open '': No such file or directory."},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.path);
    std::string text = StatusText(abi::LoadProgram(c.path));
    const size_t at = c.path.empty() ? text.npos : text.find(c.path);
    if (at != text.npos) text.replace(at, c.path.size(), "$");
    EXPECT_EQ(text, c.want);
  }
}

TEST(RefusalsTest, Modules) {
  struct Case {
    std::vector<std::string> paths;
    std::string want;  // or how it begins: the module's own words follow
  };
  const std::string add = absl::StrCat(kModules, "add.vmfb");
  const Case cases[] = {
      {{absl::StrCat(kTestdata, "add_aarch64.vmfb")},
       "UNIMPLEMENTED: The module needs executables of the format "
       "embedded-elf-arm_64, which local-sync does not run; what runs: "
       "vmvx-bytecode-fb, embedded-elf-x86_64. HAL device `__device_0` not "
       "found or unavailable.\n"},
      {{absl::StrCat(kTestdata, "add_system.vmfb")},
       "UNIMPLEMENTED: The module needs executables of the format "
       "system-elf-x86_64, which local-sync does not run without "
       "--allow_system_executables; what runs: vmvx-bytecode-fb, "
       "embedded-elf-x86_64. HAL device `__device_0` not found or "
       "unavailable.\n"},
      {{absl::StrCat(kTestdata, "add_vulkan.vmfb")},
       "UNIMPLEMENTED: The module needs a vulkan device; given is "
       "local-sync. HAL device `__device_0` not found or unavailable.\n"},
      {{absl::StrCat(kModules, "vm_linked.vmfb")},
       "NOT_FOUND: Module vm_linked requires module vm_library version 0, "
       "which is not loaded before it (none is loaded)."},
      {{absl::StrCat(kModules, "vm_linked.vmfb"),
        absl::StrCat(kModules, "vm_library.vmfb")},
       "NOT_FOUND: Module vm_linked requires module vm_library version 0, "
       "which is not loaded before it (none is loaded)."},
      {{add, add}, "OK"},
      {{}, "INVALID_ARGUMENT: A session needs at least one module."},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.paths.empty() ? "" : c.paths[0]);
    const std::string text = StatusText(Open(c.paths));
    EXPECT_EQ(text.substr(0, c.want.size()), c.want) << text;
  }
}

TEST(RefusalsTest, Imports) {
  struct Case {
    const char* name;
    const char* convention;
    bool optional;
    std::string want;
  };
  const Case cases[] = {
      {"hal.buffer.length", "0r_I", false, "OK"},
      {"hal.buffer.length", "0rr_I", false,
       "UNIMPLEMENTED: Function hal.buffer.length has no signature 0rr_I; the "
       "nearest known is 0r_I. (an import of module test)"},
      {"hal.buffer.length", "0rr_I", true,
       "UNIMPLEMENTED: Function hal.buffer.length has no signature 0rr_I; the "
       "nearest known is 0r_I. (an import of module test)"},
      {"hal.buffer.length", "0r", false,
       "UNIMPLEMENTED: Function hal.buffer.length has no signature 0r_v; the "
       "nearest known is 0r_I. (an import of module test)"},
      {"hal.buffer.length", "5r_I", false,
       "UNIMPLEMENTED: The calling convention \"5r_I\" has version '5'; known "
       "is '0'. (of import hal.buffer.length)"},
      {"hal.buffer.width", "0r_I", false,
       "NOT_FOUND: Module hal version 7 has no function buffer.width. (an "
       "import of module test)"},
      {"hal.buffer.width", "0r_I", true, "OK"},
      {"check.expect_true", "0i_v", false,
       "NOT_FOUND: Function check.expect_true is imported, but module check is "
       "not loaded (loaded: hal 7). (an import of module test) Another "
       "module's file before it may be that module, or a native library may "
       "offer it (--native_library)."},
      {"check.expect_true", "0i_v", true, "OK"},
      {"nowhere", "0i_v", false,
       "INVALID_ARGUMENT: Import 1, nowhere, does not name its module. (in The "
       "module)"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(absl::StrCat(c.name, " ", c.convention));
    ModuleBuilder builder;
    builder.AddImport("hal.buffer.assert", "0rrrIii_v", true);
    builder.AddImport(c.name, c.convention, c.optional);
    builder.AddFunction("f", "0_v", "entry: return []");
    EXPECT_EQ(StatusText(OpenBytes(builder.Build())), c.want);
  }
}

// A compiled module with one import's signature changed.
TEST(RefusalsTest, SignatureNobodyHasSeen) {
  std::string text = FileText(absl::StrCat(kModules, "add.bare.vmfb"));
  const size_t at = text.find("0rI_r");  // of hal.fence.create
  ASSERT_NE(at, text.npos);
  text.replace(at, 5, "0rF_r");
  EXPECT_EQ(StatusText(OpenBytes(
                {reinterpret_cast<const uint8_t*>(text.data()), text.size()})),
            "UNIMPLEMENTED: Function hal.fence.create has no signature 0rF_r; "
            "the nearest known is 0rI_r. (an import of module module)");
}

class ArgumentsTest : public testing::Test {
 protected:
  vm::Value Tensor(const std::string& text) {
    absl::StatusOr<hal::TensorType> spec = hal::TensorType::ParseStatic(text);
    EXPECT_TRUE(spec.ok()) << spec.status();
    auto view = abi::NewTensor(*session_->devices()[0], *spec);
    EXPECT_TRUE(view.ok()) << view.status();
    return vm::Value(Ref<RefObject>(*std::move(view)));
  }
  vm::Value BufferOf(const vm::Value& tensor) {
    const auto* view = RefCast<hal::BufferView>(tensor.ref());
    return vm::Value(Ref<RefObject>(view->buffer()));
  }

  void Link(const std::string& path) {
    auto session = Open({path});
    ASSERT_EQ(StatusText(session), "OK");
    session_ = *std::move(session);
  }

  std::string Call(const char* function, std::vector<vm::Value> arguments) {
    absl::StatusOr<abi::Callable> callable = session_->Lookup(function);
    if (!callable.ok()) return StatusText(callable);
    return StatusText(tests::CallRegisters(*session_, *callable, arguments));
  }

  std::unique_ptr<abi::Session> session_;
};

TEST_F(ArgumentsTest, OfTensors) {
  Link(absl::StrCat(kModules, "add.vmfb"));
  const vm::Value good = Tensor("4xf32");
  const vm::Value null{Ref<RefObject>()};
  struct Case {
    const char* what;
    std::vector<vm::Value> arguments;
    std::string want;
  };
  const Case cases[] = {
      {"right", {good, good}, "OK"},
      {"none",
       {},
       "INVALID_ARGUMENT: Function 'add': missing argument 'input0': "
       "add(input0: 4xf32, input1: 4xf32) -> (output0: 4xf32)."},
      {"one",
       {good},
       "INVALID_ARGUMENT: Function 'add': missing argument 'input1': "
       "add(input0: 4xf32, input1: 4xf32) -> (output0: 4xf32)."},
      {"three",
       {good, good, good},
       "INVALID_ARGUMENT: Function 'add' takes 2 arguments; 3 are given: "
       "add(input0: 4xf32, input1: 4xf32) -> (output0: 4xf32)."},
      {"dimension",
       {good, Tensor("5xf32")},
       "INVALID_ARGUMENT: Argument 1 ('input1'): an array 5xf32 is given; "
       "dimension 0 is 5, expected 4 (4xf32)."},
      {"zero",
       {good, Tensor("0xf32")},
       "INVALID_ARGUMENT: Argument 1 ('input1'): an array 0xf32 is given; "
       "dimension 0 is 0, expected 4 (4xf32)."},
      {"rank",
       {good, Tensor("2x2xf32")},
       "INVALID_ARGUMENT: Argument 1 ('input1'): an array 2x2xf32 is given; "
       "the rank is 2, expected 1 (4xf32)."},
      {"rank 0",
       {good, Tensor("f32")},
       "INVALID_ARGUMENT: Argument 1 ('input1'): an array f32 is given; the "
       "rank is 0, expected 1 (4xf32)."},
      {"dtype",
       {good, Tensor("4xi32")},
       "INVALID_ARGUMENT: Argument 1 ('input1'): an array 4xi32 is given; "
       "4xf32 is expected, and i32 cannot be converted to f32 without loss."},
      {"width",
       {good, Tensor("4xf64")},
       "INVALID_ARGUMENT: Argument 1 ('input1'): an array 4xf64 is given; "
       "4xf32 is expected, and f64 cannot be converted to f32 without loss."},
      {"both",
       {good, Tensor("4x4xi8")},
       "INVALID_ARGUMENT: Argument 1 ('input1'): an array 4x4xi8 is given; the "
       "rank is 2, expected 1 (4xf32)."},
      {"null",
       {null, good},
       "INVALID_ARGUMENT: Argument 0 ('input0'): null is given; 4xf32 is "
       "expected."},
      {"i32",
       {good, vm::Value(int32_t{1})},
       "INVALID_ARGUMENT: Argument 1 ('input1'): the integer 1 is given; the "
       "rank is 0, expected 1 (4xf32)."},
      {"f32",
       {vm::Value(1.5f), good},
       "INVALID_ARGUMENT: Argument 0 ('input0'): the float 1.5 is given; the "
       "rank is 0, expected 1 (4xf32)."},
      {"a buffer",
       {good, BufferOf(good)},
       "INVALID_ARGUMENT: Argument 1 ('input1'): a hal.buffer is given; 4xf32 "
       "is expected."},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.what);
    EXPECT_EQ(Call("add", c.arguments), c.want);
  }
}

TEST_F(ArgumentsTest, ThatAreStorage) {
  Link(absl::StrCat(kTestdata, "storage.vmfb"));
  const vm::Value good = Tensor("4xf32");
  const vm::Value null{Ref<RefObject>()};
  struct Case {
    const char* what;
    std::vector<vm::Value> arguments;
    std::string want;
  };
  const Case cases[] = {
      {"right", {good, Tensor("4xf32")}, "OK"},
      {"larger", {good, Tensor("8xf32")}, "OK"},
      {"of another type", {good, Tensor("16xi8")}, "OK"},
      {"small",
       {good, Tensor("3xf32")},
       "INVALID_ARGUMENT: Argument 1 ('input1'): storage of 12 bytes is given; "
       "result 0, 4xf32, needs 16."},
      {"empty",
       {good, Tensor("0xf32")},
       "INVALID_ARGUMENT: Argument 1 ('input1'): storage of 0 bytes is given; "
       "result 0, 4xf32, needs 16."},
      {"null",
       {good, null},
       "INVALID_ARGUMENT: Argument 1 ('input1'): null is given; 4xf32 is "
       "expected."},
      {"a buffer",
       {good, BufferOf(good)},
       "INVALID_ARGUMENT: Argument 1 ('input1'): a hal.buffer is given; 4xf32 "
       "is expected."},
      {"left out", {good}, "OK"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.what);
    EXPECT_EQ(Call("twice", c.arguments), c.want);
  }
}

TEST_F(ArgumentsTest, Names) {
  Link(absl::StrCat(kModules, "counter.vmfb"));
  const std::string exports =
      " It exports 'next', 'next_three', 'reset', 'accumulate' and "
      "'accumulate_twice'.";
  struct Case {
    const char* function;
    std::string want;
  };
  const Case cases[] = {
      {"next", "OK"},
      {"module.next", "OK"},
      {"nxet",
       "NOT_FOUND: Module 'module' exports no function 'nxet'; did you mean "
       "'next'?" +
           exports},
      {"unlike any",
       "NOT_FOUND: Module 'module' exports no function 'unlike any'." +
           exports},
      {"other.next",
       "NOT_FOUND: No module 'other' is loaded. Module 'module' exports no "
       "function 'other.next'." +
           exports},
      {"__init",
       "NOT_FOUND: Module 'module' exports no function '__init'." + exports},
      {"module.__init",
       "NOT_FOUND: Module 'module' exports no function 'module.__init'." +
           exports},
      {"",
       "INVALID_ARGUMENT: Module 'module' exports 5 functions; one must be "
       "named: 'next', 'next_three', 'reset', 'accumulate' and "
       "'accumulate_twice'."},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.function);
    EXPECT_EQ(Call(c.function, {}), c.want);
  }
  EXPECT_EQ(Call("reset", {vm::Value(int64_t{1})}), "OK");
  EXPECT_EQ(Call("reset", {vm::Value(int64_t{1} << 40)}),
            "INVALID_ARGUMENT: Argument 0 ('input0'): 1099511627776 is out of "
            "range for i32 (-2147483648 to 4294967295).");
}

}  // namespace
}  // namespace eyrie
