// A client of the plug-in's C interface: each function with structs of a wrong
// size, then programs from a compiler for tests (compiler/testing).
#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "plugins/pjrt/testing/test_client.h"
#include "tests/support/files.h"

namespace eyrie::pjrt {
namespace {

TEST(Api, Versions) {
  const Api& api = TheApi();
  EXPECT_EQ(api.struct_size, sizeof(Api));
  EXPECT_EQ(api.version.major_version, 0);
  EXPECT_EQ(api.version.minor_version, 114);
  // The sizes of minor version 114.
  EXPECT_EQ(sizeof(Api), 1144u);
  EXPECT_EQ(sizeof(NamedValue), 56u);
  EXPECT_EQ(sizeof(Program), 48u);
  EXPECT_EQ(sizeof(Buffer_MemoryLayout), 80u);
  EXPECT_EQ(sizeof(ShapeSpec), 40u);
  EXPECT_EQ(sizeof(Client_BufferFromHostBuffer_Args), 120u);
  EXPECT_EQ(sizeof(LoadedExecutable_Execute_Args), 80u);
  EXPECT_EQ(offsetof(ExecuteOptions, context), 72u);
}

// A struct that is too small is an error, and nothing after it is read or
// written: it is a block of its own, so the address sanitizer would tell.
template <typename Args>
void CheckSizes(Error* (*function)(Args*)) {
  using Least = LeastSize<Args>;
  for (const size_t size : {size_t{0}, size_t{8}, Least::kBytes - 1}) {
    const std::unique_ptr<char[]> block(new char[std::max<size_t>(size, 8)]());
    std::memcpy(block.get(), &size, sizeof(size));
    EXPECT_EQ(Text(function(reinterpret_cast<Args*>(block.get()))),
              absl::StrCat("3: ", Least::kName, ": struct_size is ", size,
                           "; at least ", Least::kBytes, " is required."));
  }
  EXPECT_TRUE(absl::StartsWith(Text(function(nullptr)), "3: ")) << Least::kName;
}

TEST(Api, SizesOfStructs) {
#define FUNCTION(name, fields) CheckSizes<name##_Args>(TheApi().name);
#include "plugins/pjrt/api.def"
}

// The arguments of the oldest clients, all of which are null.
template <typename Args>
std::string CallWithNothing(Error* (*function)(Args*)) {
  const size_t size = LeastSize<Args>::kBytes;
  const std::unique_ptr<char[]> block(new char[size]());
  std::memcpy(block.get(), &size, sizeof(size));
  return Text(function(reinterpret_cast<Args*>(block.get())));
}

TEST(Api, NullHandles) {
#define IN(type, field)
#define HANDLE(type, field)            \
  EXPECT_EQ(                           \
      CallWithNothing<Args>(function), \
      absl::StrCat("3: ", LeastSize<Args>::kName, ": `" #field "` is null."));
#define FUNCTION(name, fields)                            \
  {                                                       \
    using Args [[maybe_unused]] = name##_Args;            \
    [[maybe_unused]] const auto function = TheApi().name; \
    fields                                                \
  }
#include "plugins/pjrt/api.def"
}

TEST_F(ClientTest, Options) {
  const struct {
    const char* name;
    const char* value;
    const char* want;
  } kRows[] = {
      {"timeout_ms", "x",
       "3: The option timeout_ms is \"x\"; it must be a whole number from 0 to "
       "2147483647."},
      {"isolate", "perhaps",
       "3: The option isolate is \"perhaps\"; it must be 0, 1, true or false."},
      {"device_count", "65",
       "3: The option device_count is \"65\"; it must be 1 to 64."},
      {"color", "red",
       "3: There is no option \"color\"; the options are device, device_count, "
       "isolate, timeout_ms, compiler, compile_timeout_ms, compile_flags, "
       "compile_workers, cache."},
      {"device", "gpu9", "5: "},
  };
  for (const auto& row : kRows) {
    Add(row.name, row.value);
    std::string error;
    EXPECT_EQ(NewClient(&error), nullptr);
    EXPECT_TRUE(absl::StartsWith(error, row.want)) << error;
    options_.pop_back();
  }
}

TEST_F(ClientTest, Executes) {
  LoadedExecutable* const digits = Digits();
  const std::vector<float> image = Image();
  Buffer* const buffer = Floats(image.data(), {8, 8});
  Buffer* result = nullptr;
  ASSERT_EQ(Execute(digits, {buffer}, &result), "OK");
  const std::vector<float> scores = Read(result);
  EXPECT_EQ(scores.size(), 10u);
  Destroy(result);
  // The transposed image, given by strides.
  std::vector<float> columns(64);
  for (size_t i = 0; i < 64; ++i) columns[i % 8 * 8 + i / 8] = image[i];
  Buffer* const turned = Floats(columns.data(), {8, 8}, {4, 32});
  ASSERT_EQ(Execute(digits, {turned}, &result), "OK");
  EXPECT_EQ(Read(result), scores);
  Destroy(result);
  EXPECT_EQ(Read(turned), image);
  Destroy(turned);
  Destroy(buffer);
  Destroy(digits);
}

TEST_F(ClientTest, LayoutsOfTheHost) {
  const float numbers[] = {1, 2, 3, 4, 5, 6};
  Buffer* const buffer = Floats(numbers, {2, 3});
  const int64_t order[] = {0, 1};
  Buffer_MemoryLayout layout = {};
  layout.struct_size = sizeof(layout);
  layout.type = Buffer_MemoryLayout::kTiled;
  layout.tiled.minor_to_major = order;
  layout.tiled.minor_to_major_size = 2;
  EXPECT_EQ(Read(buffer, nullptr, &layout),
            (std::vector<float>{1, 4, 2, 5, 3, 6}));
  layout.tiled.minor_to_major_size = 1;
  std::string error;
  Read(buffer, &error, &layout);
  EXPECT_EQ(error, "3: The layout's order of dimensions is not one of 2.");
  layout.tiled.num_tiles = 1;
  Read(buffer, &error, &layout);
  EXPECT_EQ(error, "12: Tiled layouts are not possible.");
  Destroy(buffer);
}

TEST_F(ClientTest, WrongBuffers) {
  const float number = 1;
  const struct {
    std::vector<int64_t> dims;
    std::vector<int64_t> strides;
    const char* want;
  } kRows[] = {
      {{-1},
       {},
       "3: Dimension 0 is -1; dynamic shapes and negative dimensions are not "
       "possible."},
      {{int64_t{1} << 40, int64_t{1} << 40},
       {},
       "3: The elements exceed 63 bits of bytes at dimension 1 "
       "(1099511627776)."},
      {{1}, {4, 4}, "3: 2 strides are given for 1 dimensions."},
  };
  for (const auto& row : kRows) {
    std::string error;
    EXPECT_EQ(Floats(&number, row.dims, row.strides, &error), nullptr);
    EXPECT_EQ(error, row.want);
  }
}

TEST_F(ClientTest, WrongArguments) {
  LoadedExecutable* const digits = Digits();
  const std::vector<float> image = Image();
  Buffer* const good = Floats(image.data(), {8, 8});
  Buffer* const flat = Floats(image.data(), {64});
  Buffer* const deleted = Floats(image.data(), {8, 8});
  auto args = Zero<Buffer_Delete_Args>();
  args.buffer = deleted;
  EXPECT_EQ(Call(TheApi().Buffer_Delete, args), "OK");
  const struct {
    std::vector<Buffer*> arguments;
    const char* want;
  } kRows[] = {
      {{}, "3: name has 1 arguments; 0 are given."},
      {{good, good}, "3: name has 1 arguments; 2 are given."},
      {{nullptr}, "3: Argument 0 of name is null."},
      {{flat}, "3: Argument 0 of name is 64xf32; the program takes 8x8xf32."},
      {{deleted},
       "9: The buffer has been deleted or donated. (argument 0 of name)"},
  };
  for (const auto& row : kRows) {
    Buffer* result = nullptr;
    EXPECT_EQ(Execute(digits, row.arguments, &result), row.want);
  }
  for (Buffer* const buffer : {good, flat, deleted}) Destroy(buffer);
  auto remove = Zero<LoadedExecutable_Delete_Args>();
  remove.executable = digits;
  EXPECT_EQ(Call(TheApi().LoadedExecutable_Delete, remove), "OK");
  Buffer* const again = Floats(image.data(), {8, 8});
  Buffer* result = nullptr;
  EXPECT_EQ(Execute(digits, {again}, &result),
            "9: The executable has been deleted.");
  Destroy(again);
  Destroy(digits);
}

TEST_F(ClientTest, SizesOfPrograms) {
  LoadedExecutable* const digits = Digits();
  Executable* const executable = ExecutableOf(digits);
  auto stats = Zero<Executable_GetCompiledMemoryStats_Args>();
  stats.executable = executable;
  EXPECT_EQ(Call(TheApi().Executable_GetCompiledMemoryStats, stats), "OK");
  EXPECT_GT(stats.generated_code_size_in_bytes, 1000);
  EXPECT_EQ(stats.argument_size_in_bytes, 8 * 8 * 4);
  EXPECT_EQ(stats.output_size_in_bytes, 10 * 4);
  EXPECT_EQ(stats.temp_size_in_bytes, 0);
  Destroy(executable);
  Destroy(digits);
}

TEST_F(ClientTest, DonatedBuffersAreDeleted) {
  LoadedExecutable* const digits = Digits("donated ");
  const std::vector<float> image = Image();
  for (const bool is_kept : {true, false}) {
    Buffer* const buffer = Floats(image.data(), {8, 8});
    Buffer* result = nullptr;
    const std::vector<int64_t> kept(is_kept ? 1 : 0, 0);
    EXPECT_EQ(Execute(digits, {buffer}, &result, kept), "OK");
    EXPECT_EQ(IsDeleted(buffer), !is_kept);
    EXPECT_EQ(Read(result).size(), 10u);
    Destroy(result);
    Destroy(buffer);
  }
  Destroy(digits);
}

TEST_F(ClientTest, DonatedMemoryIsReusedIfNothingElseRefersToIt) {
  std::string error;
  LoadedExecutable* const update = Compile(
      "donated file tests/modules/3.13/consume.vmfb "
      "func (tensor<8xf32>, tensor<2xf32>) -> tensor<8xf32>",
      &error);
  ASSERT_NE(update, nullptr) << error;
  alignas(64) const float numbers[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  const float row[] = {-1, -2};
  struct Case {
    const char* name;
    HostBufferSemantics semantics;
    bool is_kept;        // not donated in this execution
    bool is_referenced;  // from outside, as by an array of NumPy
    bool is_reused;
  };
  constexpr Case kCases[] = {
      {"donated", kImmutableOnlyDuringCall, false, false, true},
      {"not donated", kImmutableOnlyDuringCall, true, false, false},
      {"referenced", kImmutableOnlyDuringCall, false, true, false},
      {"the host's", kImmutableZeroCopy, false, false, false},
  };
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    Buffer* const cache = Floats(numbers, {8}, {}, nullptr, c.semantics);
    Buffer* const part = Floats(row, {2});
    auto pointer = Zero<Buffer_UnsafePointer_Args>();
    pointer.buffer = cache;
    EXPECT_EQ(Call(TheApi().Buffer_UnsafePointer, pointer), "OK");
    auto add = Zero<Buffer_IncreaseExternalReferenceCount_Args>();
    auto drop = Zero<Buffer_DecreaseExternalReferenceCount_Args>();
    add.buffer = drop.buffer = cache;
    if (c.is_referenced) {
      EXPECT_EQ(Call(TheApi().Buffer_IncreaseExternalReferenceCount, add),
                "OK");
    }
    const std::vector<int64_t> kept(c.is_kept ? 1 : 0, 0);
    Buffer* result = nullptr;
    ASSERT_EQ(Execute(update, {cache, part}, &result, kept), "OK");
    EXPECT_EQ(IsDeleted(cache), !c.is_kept);
    EXPECT_EQ(Read(result), (std::vector<float>{1, 2, 3, -1, -2, 6, 7, 8}));
    auto after = Zero<Buffer_UnsafePointer_Args>();
    after.buffer = result;
    EXPECT_EQ(Call(TheApi().Buffer_UnsafePointer, after), "OK");
    EXPECT_EQ(after.buffer_pointer == pointer.buffer_pointer, c.is_reused);
    if (c.is_referenced || c.is_kept) {
      EXPECT_EQ(reinterpret_cast<const float*>(pointer.buffer_pointer)[3], 4);
    }
    if (c.is_referenced) {
      EXPECT_EQ(Call(TheApi().Buffer_DecreaseExternalReferenceCount, drop),
                "OK");
    }
    EXPECT_EQ(numbers[3], 4);
    Destroy(result);
    Destroy(part);
    Destroy(cache);
  }
  Destroy(update);
}

TEST_F(ClientTest, MemoryOfTheHostIsReleasedAtTheEnd) {
  alignas(64) float numbers[16] = {1, 2};
  Event* done = nullptr;
  Buffer* const buffer =
      Floats(numbers, {16}, {}, nullptr, kImmutableZeroCopy, &done);
  EXPECT_FALSE(IsReady(done));
  auto pointer = Zero<Buffer_UnsafePointer_Args>();
  pointer.buffer = buffer;
  EXPECT_EQ(Call(TheApi().Buffer_UnsafePointer, pointer), "OK");
  EXPECT_EQ(pointer.buffer_pointer, reinterpret_cast<uintptr_t>(numbers));
  // A reference keeps the memory after the buffer is deleted.
  auto add = Zero<Buffer_IncreaseExternalReferenceCount_Args>();
  add.buffer = buffer;
  EXPECT_EQ(Call(TheApi().Buffer_IncreaseExternalReferenceCount, add), "OK");
  auto remove = Zero<Buffer_Delete_Args>();
  remove.buffer = buffer;
  EXPECT_EQ(Call(TheApi().Buffer_Delete, remove), "OK");
  EXPECT_FALSE(IsReady(done));
  auto drop = Zero<Buffer_DecreaseExternalReferenceCount_Args>();
  drop.buffer = buffer;
  EXPECT_EQ(Call(TheApi().Buffer_DecreaseExternalReferenceCount, drop), "OK");
  EXPECT_TRUE(IsReady(done));
  EXPECT_EQ(Call(TheApi().Buffer_DecreaseExternalReferenceCount, drop),
            "9: The buffer has no external references.");
  Destroy(done);
  Destroy(buffer);
}

// An execution begins when the last of its arguments is ready.
TEST_F(TransferTest, ExecutionsWaitForTransfers) {
  LoadedExecutable* const digits = Digits();
  const std::vector<float> image = Image();
  const struct {
    bool succeeds;
    const char* want;
  } kRows[] = {
      {true, "OK"},
      {false,
       "1: The transfer manager was destroyed before the last transfer."},
  };
  for (const auto& row : kRows) {
    Buffer* const pending = Begin();
    Buffer* result = nullptr;
    ASSERT_EQ(Execute(digits, {pending}, &result), "OK");
    Event* const ready = ReadyEvent(result);
    EXPECT_FALSE(IsReady(ready));
    Destroy(pending);  // the execution keeps its array
    std::string calls;
    auto on_ready = Zero<Event_OnReady_Args>();
    on_ready.event = ready;
    on_ready.user_arg = &calls;
    on_ready.callback = [](Error* error, void* user) {
      *static_cast<std::string*>(user) += Text(error);
    };
    EXPECT_EQ(Call(TheApi().Event_OnReady, on_ready), "OK");
    EXPECT_EQ(Send(image, 0, 128, false), "OK");
    EXPECT_EQ(Send(image, 128, 129, false),
              "11: The transfer of 129 bytes to offset 128 exceeds buffer 0 "
              "(256 bytes).");
    EXPECT_EQ(Send(image, 128, 128, row.succeeds), "OK");
    End();
    EXPECT_TRUE(IsReady(ready));
    EXPECT_EQ(calls, row.want);
    std::string error;
    EXPECT_EQ(Read(result, &error).size(), row.succeeds ? 10u : 0u);
    EXPECT_EQ(error, row.want);
    Destroy(ready);
    Destroy(result);
  }
  Destroy(digits);
}

TEST_F(ClientTest, EventsAreSetOnce) {
  auto create = Zero<Event_Create_Args>();
  ASSERT_EQ(Call(TheApi().Event_Create, create), "OK");
  auto error = Zero<Event_Error_Args>();
  error.event = create.event;
  EXPECT_EQ(Call(TheApi().Event_Error, error), "9: The event is not ready.");
  std::thread waiter(
      [&] { EXPECT_EQ(Await(create.event), "11: It is too far."); });
  auto set = Zero<Event_Set_Args>();
  set.event = create.event;
  set.error_code = 11;
  set.error_message = "It is too far.";
  set.error_message_size = 14;
  EXPECT_EQ(Call(TheApi().Event_Set, set), "OK");
  waiter.join();
  EXPECT_EQ(Call(TheApi().Event_Set, set), "9: The event is already set.");
  EXPECT_EQ(Call(TheApi().Event_Error, error), "11: It is too far.");
  Destroy(create.event);
}

TEST_F(ClientTest, Copies) {
  const std::vector<float> image = Image();
  Buffer* const buffer = Floats(image.data(), {8, 8});
  auto devices = Zero<Client_Devices_Args>();
  devices.client = client_;
  ASSERT_EQ(Call(TheApi().Client_Devices, devices), "OK");
  ASSERT_EQ(devices.num_devices, 2u);
  auto copy = Zero<Buffer_CopyToDevice_Args>();
  copy.buffer = buffer;
  copy.dst_device = devices.devices[1];
  ASSERT_EQ(Call(TheApi().Buffer_CopyToDevice, copy), "OK");
  Destroy(buffer);
  EXPECT_EQ(Read(copy.dst_buffer), image);
  auto raw = Zero<Buffer_CopyRawToHost_Args>();
  raw.buffer = copy.dst_buffer;
  float floats[2] = {};
  raw.dst = floats;
  raw.offset = 8;
  raw.transfer_size = 8;
  ASSERT_EQ(Call(TheApi().Buffer_CopyRawToHost, raw), "OK");
  Destroy(raw.event);
  EXPECT_EQ(floats[1], image[3]);
  raw.transfer_size = 249;
  EXPECT_EQ(Call(TheApi().Buffer_CopyRawToHost, raw),
            "11: The range of 249 bytes at 8 exceeds the buffer (256 bytes).");
  Destroy(copy.dst_buffer);
}

TEST_F(ClientTest, RefusedPrograms) {
  const std::string replicas =
      std::string("\x1a\x02\x20\x02", 4);  // num_replicas: 2
  const struct {
    const char* program;
    std::string options;
    const char* want;
  } kRows[] = {
      {"refuse func () -> ()", "",
       "3: The compiler refuses the program.\n  error: program:1:6: op is not "
       "supported"},
      {"crash func () -> ()", "",
       "13: The compiler was ended by signal 11 (SIGSEGV)."},
      {"func (tensor<?xf32>) -> ()", "",
       "12: Argument 0 of the program is an array of f32: Dimension 0 is -1"},
      {"func (tensor<4xi4>) -> ()", "",
       "12: Argument 0 of the program is an array of i4: Buffers cannot have "
       "elements of type i4."},
      {"func () -> ()", "",
       "3: The compiler's module is not a ZIP; do not use the flag "},
      {"func () -> ()", replicas,
       "12: The program is for 2 replicas; this plug-in runs programs with "
       "one."},
      {"func () -> ()", "\x1a\x7f",
       "3: The bytes are no message of protocol buffers. (in the options of "
       "the compilation)"},
  };
  for (const auto& row : kRows) {
    std::string error;
    EXPECT_EQ(Compile(row.program, &error, row.options), nullptr);
    EXPECT_TRUE(absl::StartsWith(error, row.want)) << error;
  }
}

TEST_F(ClientTest, SerializedProgramsNeedNoCompiler) {
  LoadedExecutable* const digits = Digits("donated ");
  Executable* const executable = ExecutableOf(digits);
  auto serialize = Zero<Executable_Serialize_Args>();
  serialize.executable = executable;
  ASSERT_EQ(Call(TheApi().Executable_Serialize, serialize), "OK");
  std::string bytes(serialize.serialized_bytes,
                    serialize.serialized_bytes_size);
  serialize.serialized_executable_deleter(serialize.serialized_executable);
  auto fingerprint = Zero<Executable_Fingerprint_Args>();
  fingerprint.executable = executable;
  ASSERT_EQ(Call(TheApi().Executable_Fingerprint, fingerprint), "OK");
  const std::string hash(fingerprint.executable_fingerprint,
                         fingerprint.executable_fingerprint_size);
  EXPECT_EQ(hash.size(), 64u);
  Destroy(executable);
  Destroy(digits);

  setenv("EYRIE_COMPILER", "/nowhere", 1);
  std::string error;
  LoadedExecutable* const loaded = Load(bytes, &error);
  ASSERT_EQ(error, "OK");
  Executable* const again = ExecutableOf(loaded);
  fingerprint.executable = again;
  ASSERT_EQ(Call(TheApi().Executable_Fingerprint, fingerprint), "OK");
  EXPECT_EQ(hash, std::string(fingerprint.executable_fingerprint, 64));
  Destroy(again);
  const std::vector<float> image = Image();
  Buffer* const buffer = Floats(image.data(), {8, 8});
  Buffer* result = nullptr;
  EXPECT_EQ(Execute(loaded, {buffer}, &result), "OK");
  EXPECT_TRUE(IsDeleted(buffer));  // the note says that it is donated
  Destroy(result);
  Destroy(buffer);
  Destroy(loaded);
  // Wherever it is cut, it is refused.
  for (size_t size = 0; size < bytes.size(); size += 97) {
    EXPECT_EQ(Load(bytes.substr(0, size), &error), nullptr) << size;
    EXPECT_NE(error, "OK");
  }
}

// A .vmfb without a note has the types of its signature.
TEST_F(ClientTest, ModulesOfOthers) {
  std::string error;
  LoadedExecutable* const loaded = Load(FileText(kDigits), &error);
  ASSERT_EQ(error, "OK");
  Executable* const executable = ExecutableOf(loaded);
  auto types = Zero<Executable_OutputElementTypes_Args>();
  types.executable = executable;
  ASSERT_EQ(Call(TheApi().Executable_OutputElementTypes, types), "OK");
  ASSERT_EQ(types.num_output_types, 1u);
  EXPECT_EQ(types.output_types[0], kBufferTypeF32);
  auto dims = Zero<Executable_OutputDimensions_Args>();
  dims.executable = executable;
  ASSERT_EQ(Call(TheApi().Executable_OutputDimensions, dims), "OK");
  EXPECT_EQ(dims.dim_sizes[0], 1u);
  EXPECT_EQ(dims.dims[0], 10);
  Destroy(executable);
  Destroy(loaded);
  const struct {
    const char* file;
    const char* want;
  } kRows[] = {
      {"tests/modules/3.13/abi_v1.vmfb",
       "3: The program's file has 14 functions, and none is named \"main\"."},
  };
  for (const auto& row : kRows) {
    EXPECT_EQ(Load(FileText(row.file), &error), nullptr);
    EXPECT_EQ(error, row.want);
  }
}

TEST_F(ClientTest, ThreadsShareAProgram) {
  LoadedExecutable* const digits = Digits();
  const std::vector<float> image = Image();
  Buffer* const buffer = Floats(image.data(), {8, 8});
  Buffer* first = nullptr;
  ASSERT_EQ(Execute(digits, {buffer}, &first), "OK");
  const std::vector<float> scores = Read(first);
  Destroy(first);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int call = 0; call < 50; ++call) {
        Buffer* result = nullptr;
        EXPECT_EQ(Execute(digits, {buffer}, &result), "OK");
        EXPECT_EQ(Read(result), scores);
        Destroy(result);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  Destroy(buffer);
  Destroy(digits);
}

TEST_F(ClientTest, Topologies) {
  auto from = Zero<Client_TopologyDescription_Args>();
  from.client = client_;
  ASSERT_EQ(Call(TheApi().Client_TopologyDescription, from), "OK");
  auto serialize = Zero<TopologyDescription_Serialize_Args>();
  serialize.topology = from.topology;
  ASSERT_EQ(Call(TheApi().TopologyDescription_Serialize, serialize), "OK");
  const std::string bytes(serialize.serialized_bytes,
                          serialize.serialized_bytes_size);
  serialize.serialized_topology_deleter(serialize.serialized_topology);
  EXPECT_EQ(bytes, "device_count=2 device=local-sync");
  const struct {
    std::string bytes;
    const char* want;
  } kRows[] = {
      {bytes, "OK"},
      {"", "3: This is no topology of this plug-in."},
      {"device_count=2", "3: This is no topology of this plug-in."},
      {"device_count=99 device=x",
       "3: The option device_count is \"99\"; it must be 1 to 64."},
  };
  for (const auto& row : kRows) {
    auto read = Zero<TopologyDescription_Deserialize_Args>();
    read.serialized_topology = row.bytes.data();
    read.serialized_topology_size = row.bytes.size();
    EXPECT_EQ(Call(TheApi().TopologyDescription_Deserialize, read), row.want);
    auto destroy = Zero<TopologyDescription_Destroy_Args>();
    destroy.topology = read.topology;
    EXPECT_EQ(Call(TheApi().TopologyDescription_Destroy, destroy), "OK");
  }
}

}  // namespace
}  // namespace eyrie::pjrt
