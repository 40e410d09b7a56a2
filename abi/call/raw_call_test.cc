// Tests calls of raw functions without storage for results: storage from
// signatures, from result allocators, and from allocators that misbehave.
#include <memory>
#include <string>
#include <vector>

#include "abi/call/invoker.h"
#include "abi/call/pending_call.h"
#include "abi/call/session.h"
#include "abi/tensor/tensor.h"
#include "abi/tensor/tensor_text.h"
#include "abi/value/encoder.h"
#include "abi/value/host_value.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "gtest/gtest.h"
#include "hal/fence.h"
#include "tests/support/releases.h"
#include "tests/support/sessions.h"
#include "tests/support/status_text.h"
#include "vm/asm/assembler.h"

namespace eyrie::abi::v0 {
namespace {

constexpr const char* kVariants[] = {"", ".async"};

// Reads "2xf32=1 2" as a tensor, "&2xf32=1 2" as its buffer, "7" as an i32, and
// "null".
std::vector<vm::Value> Read(Session& session, const std::string& texts) {
  std::vector<vm::Value> values;
  for (absl::string_view text : absl::StrSplit(texts, ';', absl::SkipEmpty())) {
    const bool as_buffer = absl::ConsumePrefix(&text, "&");
    const size_t equals = text.find('=');
    if (text == "null") {
      values.emplace_back(Ref<RefObject>());
    } else if (equals == text.npos) {
      values.emplace_back(int32_t{7});
    } else {
      const hal::TensorType spec =
          *hal::TensorType::ParseStatic(text.substr(0, equals));
      auto view = *NewTensor(*session.devices()[0], spec);
      std::vector<uint8_t> bytes(view->byte_length());
      EXPECT_TRUE(ParseElements(text.substr(equals + 1), spec, bytes).ok());
      EXPECT_TRUE(view->buffer()->Write(0, bytes).ok());
      values.emplace_back(as_buffer ? Ref<RefObject>(view->buffer())
                                    : Ref<RefObject>(std::move(view)));
    }
  }
  return values;
}

std::string Text(const std::vector<vm::Value>& values) {
  std::string text;
  for (const vm::Value& value : values) {
    auto* view = RefCast<hal::BufferView>(value.ref());
    if (view == nullptr) return "no buffer";
    absl::StrAppend(&text, text.empty() ? "" : ";", view->ShapeAndType(), "=");
    AppendElements(*BytesOf(*view), SpecOf(*view), 64, FloatCase::kLower, text);
  }
  return text;
}

// Returns the results of a call, or the first line of its error.
std::string Call(Session& session, const char* function,
                 const std::string& arguments) {
  auto callable = session.Lookup(function);
  if (!callable.ok()) return StatusText(callable);
  const auto results =
      tests::CallRegisters(session, *callable, Read(session, arguments));
  if (results.ok()) return Text(*results);
  return std::vector<std::string>(absl::StrSplit(StatusText(results), '\n'))[0];
}

TEST(RawCall, OfEveryRelease) {
  const struct {
    const char* function;
    const char* arguments;
    const char* want;
  } kRows[] = {
      // Storage is created, or given.
      {"double", "4xf32=1 2 3 4", "4xf32=2 4 6 8"},
      {"double", "4xf32=1 2 3 4;4xf32=0", "4xf32=2 4 6 8"},
      {"scale", "3xf32=1 2 3", "3xf32=2 4 6"},
      {"scale", "0xf32=", "0xf32="},
      {"outer", "2xf32=1 2;1x3xf32=5 6 7", "2x3xf32=[5 6 7][10 12 14];1xf32=3"},
      {"leading", "4xf32=1 0 3 -4", "2xf32=1 0"},
      {"leading", "4xf32=1 0 3 -4;null", "2xf32=1 0"},
      {"plain", "3xf32=1 2 3", "3xf32=2 4 6"},
      // Arguments that do not match the signature.
      {"double", "3xf32=1 2 3",
       "INVALID_ARGUMENT: Argument 0 ('input0'): an array 3xf32 is given; "
       "dimension 0 is 3, expected 4 (4xf32)."},
      {"double", "7",
       "INVALID_ARGUMENT: Argument 0 ('input0'): the integer 7 is given; the "
       "rank is 0, expected 1 (4xf32)."},
      {"double", "",
       "INVALID_ARGUMENT: Function 'double': missing argument 'input0': "
       "double(input0: 4xf32) -> (output0: 4xf32)."},
      {"outer", "2xf32=1 2;2x3xf32=5 6 7 8 9 10",
       "INVALID_ARGUMENT: Argument 1 ('input1'): an array 2x3xf32 is given; "
       "dimension 0 is 2, expected 1 (1x?xf32)."},
      {"scale", "null",
       "INVALID_ARGUMENT: Argument 0 ('input0'): null is given; ?xf32 is "
       "expected."},
      {"double", "4xf32=1 2 3 4;2xf32=0",
       "INVALID_ARGUMENT: Argument 1 ('input1'): storage of 8 bytes is given; "
       "result 0, 4xf32, needs 16."},
  };
  for (const char* release : tests::kReleases) {
    for (const char* variant : kVariants) {
      const auto session = tests::OpenSession(
          absl::StrCat(release, "/raw_results", variant, ".vmfb"));
      for (const auto& row : kRows) {
        EXPECT_EQ(Call(*session, row.function, row.arguments), row.want)
            << release << variant << " " << row.function;
      }
    }
  }
}

TEST(RawCall, StorageIsTheResult) {
  const struct {
    const char* function;
    const char* arguments;
    const char* want;
  } kRows[] = {
      {"fill", "4xf32=1 2 3 4", "4xf32=2 4 6 8"},
      {"fill", "4xf32=1 2 3 4;4xf32=0", "4xf32=2 4 6 8"},
      {"fill", "4xf32=1 2 3 4;2x2xf32=0",
       "INVALID_ARGUMENT: Result 0 of function 'fill': a buffer 2x2xf32 is "
       "given; the rank is 2, expected 1 (Buffer<float32[4]>)."},
      {"fill_buffer", "2x2xi32=1 2 3 4", "2x2xsi32=[2 4][6 8]"},
      {"fill_buffer", "2x2xi32=1 2 3 4;&4xi32=0", "2x2xsi32=[2 4][6 8]"},
      {"fill_scaled", "2xf32=1 2", "2xf32=2 4;1xf32=3"},
      {"fill_scaled", "2xf32=1 2;2xf32=0;1xf32=0", "2xf32=2 4;1xf32=3"},
      // The length of a buffer determines its only dimension.
      {"unknown", "2xf32=1 2;&2xf32=0", "2xf32=2 4"},
      {"unknown", "2xf32=1 2",
       "INVALID_ARGUMENT: Function 'unknown' returns nothing, and storage "
       "cannot be created for all of its results; pass it as arguments."},
      {"fill", "",
       "INVALID_ARGUMENT: Function 'fill': missing argument 'input0': "
       "fill(input0: 4xf32) -> 4xf32."},
  };
  for (const char* release : tests::kReleases) {
    for (const char* variant : kVariants) {
      const auto session = tests::OpenSession(
          absl::StrCat(release, "/raw_fills", variant, ".vmfb"));
      for (const auto& row : kRows) {
        EXPECT_EQ(Call(*session, row.function, row.arguments), row.want)
            << release << variant << " " << row.function;
      }
    }
  }
}

TEST(RawCall, AllocatorsThatDoOtherThings) {
  const struct {
    const char* function;
    const char* want;
  } kRows[] = {
      {"empty",
       "INVALID_ARGUMENT: Result allocator '__empty' of function 'empty' "
       "returns a list of 0; 1 is expected, one for each dynamic result."},
      {"two",
       "INVALID_ARGUMENT: Result allocator '__two' of function 'two' returns "
       "a list of 2; 1 is expected, one for each dynamic result."},
      {"number",
       "INVALID_ARGUMENT: Result allocator '__number' of function 'number' is "
       "wrong about result 0: a number is given; Buffer<float32[?]> is "
       "expected."},
      {"bytes",
       "INVALID_ARGUMENT: Result allocator '__bytes' of function 'bytes' is "
       "wrong about result 0: vm.buffer is given; Buffer<float32[?]> is "
       "expected."},
      {"no_list",
       "INVALID_ARGUMENT: Result allocator '__no_list' of function 'no_list' "
       "returns null; a list is expected."},
      {"element",
       "INVALID_ARGUMENT: Result allocator '__element' of function 'element' "
       "is wrong about result 0: a buffer 4xi32 is given; the element type is "
       "i32, expected f32 (Buffer<float32[?]>)."},
      {"rank",
       "INVALID_ARGUMENT: Result allocator '__rank' of function 'rank' is "
       "wrong about result 0: a buffer 2x3xf32 is given; the rank is 2, "
       "expected 1 (Buffer<float32[?]>)."},
      {"dimension",
       "INVALID_ARGUMENT: Result allocator '__rank' of function 'dimension' "
       "is wrong about result 0: a buffer 2x3xf32 is given; dimension 1 is 3, "
       "expected 4 (Buffer<float32[?x4]>)."},
      {"twice",
       "INVALID_ARGUMENT: Result allocator '__twice' of function 'twice' is "
       "wrong about result 1: it uses the buffer of another result."},
      {"missing",
       "INVALID_ARGUMENT: Function 'missing': missing argument 'input1': "
       "missing(input0: array, input1: array) -> (output0: array). The module "
       "does not export the function '__missing', which is the result "
       "allocator of "
       "'missing'."},
      {"scalar",
       "INVALID_ARGUMENT: Function 'scalar': missing argument 'input1': "
       "scalar(input0: array, input1: array) -> (output0: array). Function "
       "'__scalar', the result allocator of 'scalar', does not take one list "
       "and return one."},
      {"itself",
       "INVALID_ARGUMENT: Function 'itself': missing argument 'input1': "
       "itself(input0: array, input1: array) -> (output0: array). Function "
       "'itself', the result allocator of 'itself', does not take one list "
       "and return one."},
  };
  for (const char* release : tests::kReleases) {
    for (const char* variant : kVariants) {
      const auto session = tests::OpenSession(
          absl::StrCat(release, "/raw_allocators", variant, ".vmfb"));
      for (const auto& row : kRows) {
        EXPECT_EQ(Call(*session, row.function, "4xf32=1 2 3 4"), row.want)
            << release << variant;
      }
      // If storage is given, the allocator is not needed.
      EXPECT_EQ(Call(*session, "empty", "2xf32=1 2;2xf32=3 4"), "2xf32=3 4");
      EXPECT_EQ(Call(*session, "missing", "2xf32=1 2;2xf32=3 4"), "2xf32=3 4");
    }
  }
}

// The messages come from the module and differ between releases.
TEST(RawCall, AllocatorsThatFail) {
  for (const char* release : tests::kReleases) {
    for (const char* variant : kVariants) {
      const auto session = tests::OpenSession(
          absl::StrCat(release, "/raw_allocators", variant, ".vmfb"));
      auto fails = *session->Lookup("fails");
      const auto failed = tests::CallRegisters(*session, fails,
                                               Read(*session, "4xf32=1 2 3 4"));
      EXPECT_EQ(failed.status().code(), absl::StatusCode::kFailedPrecondition);
      for (const char* part :
           {"there is no room", "(result allocator of 'fails')"}) {
        EXPECT_NE(StatusText(failed).find(part), std::string::npos)
            << StatusText(failed);
      }
      auto small = *session->Lookup("small");
      EXPECT_EQ(Text(*small.Call(Read(*session, "1xf32=4"))), "1xf32=8");
      const auto too_small = tests::CallRegisters(
          *session, small, Read(*session, "4xf32=1 2 3 4"));
      EXPECT_FALSE(too_small.ok());
    }
  }
}

// An allocator that always returns the same buffer, which a call must not
// receive if it also reads it.
TEST(RawCall, StorageIsNoArgument) {
  const auto session = tests::OpenSession("3.13/raw_allocators.vmfb");
  auto kept = *session->Lookup("kept");
  const auto first = kept.Call(Read(*session, "4xf32=1 2 3 4"));
  ASSERT_EQ(StatusText(first), "OK");
  EXPECT_EQ(StatusText(tests::CallRegisters(*session, kept, *first)),
            "INVALID_ARGUMENT: Result allocator '__kept' of function 'kept' is "
            "wrong about result 0: it uses the buffer of argument 0.");
}

TEST(RawCall, StorageIsCounted) {
  SessionOptions options;
  options.limits.max_memory = 1 << 20;
  const auto session =
      tests::OpenSession("3.13/raw_results.async.vmfb", options);
  auto function = *session->Lookup("double");
  const auto arguments = Read(*session, "4xf32=1 2 3 4");
  const MemoryMeter& meter = *session->context().memory();
  const uint64_t before = meter.in_use();
  auto results = function.Call(arguments);
  ASSERT_EQ(StatusText(results), "OK");
  EXPECT_EQ(meter.in_use(),
            before + session->devices()[0]->allocator().Footprint(16));
  results->clear();
  EXPECT_EQ(meter.in_use(), before);
}

constexpr char kNeverEnds[] =
    "FAILED_PRECONDITION: The wait for the fence would never end: nothing is "
    "left that could signal it.";

// Returns a session of a function that must not be called before its
// allocator's fence is reached, which never happens.
std::unique_ptr<Session> OpenNeverUsable(bool is_async) {
  const auto bytes = vm::Assemble(
      absl::StrCat(
          R"(vm.module @t version 0
vm.type !hal.buffer_view
vm.type !hal.fence
vm.type !vm.list<?>
vm.import @hal.fence.signal cconv "0r_v"
vm.export @__allocate
//! func.attr "iree.abi.model" = "coarse-fences"
vm.func @__allocate(%r0: !vm.list<?>, %r1: !hal.fence, )"
          R"(%r2: !hal.fence) -> (!vm.list<?>) {
^bb0:
  %i0 = vm.const.i32 1
  %r3 = vm.list.alloc %i0 : !vm.list<?>
  vm.list.resize %r3, %i0
  vm.return %R3
}
vm.export @f
//! func.attr "fv" = "1"
//! func.attr "f" = "I7!B4!d-1R7!B4!d-1"
//! func.attr "fbr" = "__allocate"
)",
          is_async
              ? R"(//! func.attr "iree.abi.model" = "coarse-fences"
vm.func @f(%r0: !hal.buffer_view, %r1: !hal.buffer_view, )"
                R"(%r2: !hal.fence, %r3: !hal.fence) -> (!hal.buffer_view) {
^bb0:
  %i0 = vm.cmp.nz.ref %r2
  vm.cond_br %i0, ^bb1(), ^bb2()
^bb1:
  vm.return %R0
^bb2:
  vm.call @hal.fence.signal(%r3)
  vm.return %R0
}
)"
              : R"(
vm.func @f(%r0: !hal.buffer_view, %r1: !hal.buffer_view) -> (!hal.buffer_view) {
^bb0:
  vm.return %R0
}
)"),
      "never.vmasm");
  EXPECT_EQ(StatusText(bytes), "OK");
  const auto program = LoadProgram(*bytes, "never.vmfb");
  EXPECT_EQ(StatusText(program), "OK");
  return *Session::Create({*program}, *OpenDevices({}, hal::DriverOptions()),
                          SessionOptions());
}

TEST(RawCall, WaitsForAllocatedStorage) {
  for (const bool is_async : {false, true}) {
    for (const bool in_pieces : {false, true}) {
      SCOPED_TRACE(absl::StrCat(is_async, in_pieces));
      const auto session = OpenNeverUsable(is_async);
      auto f = *session->Lookup("f");
      const HostValue array =
          FromRegister(Read(*session, "1xf32=1")[0], Type());
      const HostValue* const values[] = {&array};
      absl::Status status;
      std::vector<HostValue> results;
      if (in_pieces) {
        Invoker invoker = *Invoker::Create(*session, f);
        auto call = PendingCall::Begin(*session, invoker, {.values = values},
                                       [] {}, {});
        status = call.status();
        if (status.ok()) {
          ASSERT_TRUE((*call)->Run());
          status = (*call)->TakeResults(results);
        }
      } else {
        status =
            Invoker::Create(*session, f)->Call({.values = values}, results);
      }
      EXPECT_EQ(StatusText(status), kNeverEnds);
    }
  }
}

// A raw function may write to storage, so it begins after the fence.
TEST(RawCall, StartsAfterItsFence) {
  for (const char* variant : kVariants) {
    SCOPED_TRACE(variant);
    const auto session =
        tests::OpenSession(absl::StrCat("3.13/raw_results", variant, ".vmfb"));
    Invoker invoker = *Invoker::Create(*session, *session->Lookup("double"));
    const HostValue array =
        FromRegister(Read(*session, "4xf32=1 2 3 4")[0], Type());
    const HostValue* const values[] = {&array};
    const Ref<hal::Fence> wait = *session->devices()[0]->CreateFence();
    const Ref<hal::Fence> signal = *session->devices()[0]->CreateFence();
    std::vector<HostValue> results;
    const absl::Status status =
        invoker.Start({.values = values}, wait.get(), *signal, results);
    if (invoker.callable().is_async()) {  // the function itself waits
      EXPECT_EQ(StatusText(status), "OK");
      EXPECT_FALSE(*signal->Query());
    } else {
      EXPECT_EQ(StatusText(status), kNeverEnds);
      EXPECT_EQ(signal->Query().status(), status);
    }
  }
}

}  // namespace
}  // namespace eyrie::abi::v0
