// A client of the plug-in's C interface, for tests.
#ifndef EYRIE_PLUGINS_PJRT_TESTING_TEST_CLIENT_H_
#define EYRIE_PLUGINS_PJRT_TESTING_TEST_CLIENT_H_

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "plugins/pjrt/c_types.h"

extern "C" const eyrie::pjrt::Api* GetPjrtApi();

namespace eyrie::pjrt {

inline constexpr char kDigits[] = "samples/digits/digits.vmfb";
inline constexpr char kTypes[] = "func (tensor<8x8xf32>) -> tensor<10xf32>";

inline const Api& TheApi() { return *GetPjrtApi(); }

// Returns "OK", or the code and the message of an error, which it destroys.
inline std::string Text(Error* error) {
  if (error == nullptr) return "OK";
  Error_GetCode_Args code = {};
  code.struct_size = sizeof(code);
  code.error = error;
  EXPECT_EQ(TheApi().Error_GetCode(&code), nullptr);
  Error_Message_Args message = {};
  message.struct_size = sizeof(message);
  message.error = error;
  TheApi().Error_Message(&message);
  const std::string text = absl::StrCat(
      code.code, ": ", std::string(message.message, message.message_size));
  Error_Destroy_Args destroy = {};
  destroy.struct_size = sizeof(destroy);
  destroy.error = error;
  TheApi().Error_Destroy(&destroy);
  return text;
}

// Calls a function with arguments that know their size.
template <typename Args>
std::string Call(Error* (*function)(Args*), Args& args) {
  args.struct_size = sizeof(args);
  return Text(function(&args));
}

template <typename Args>
Args Zero() {
  Args args = {};
  args.struct_size = sizeof(args);
  return args;
}

// A client with the options' texts, on local-sync, with no cache and the
// compiler that is none.
class ClientTest : public testing::Test {
 public:
  void SetUp() override {
    setenv("EYRIE_COMPILER", "plugins/pjrt/compiler/testing/libIREECompiler.so",
           1);
    setenv("EYRIE_PJRT_CACHE", "off", 1);
    Add("device", "local-sync");
    Add("device_count", "2");
    client_ = NewClient();
    ASSERT_NE(client_, nullptr);
  }
  void TearDown() override {
    auto args = Zero<Client_Destroy_Args>();
    args.client = client_;
    EXPECT_EQ(Call(TheApi().Client_Destroy, args), "OK");
  }

  void Add(const char* name, const char* value) {
    NamedValue option = {};
    option.struct_size = sizeof(option);
    option.name = name;
    option.name_size = std::strlen(name);
    option.type = NamedType::kString;
    option.string_value = value;
    option.value_size = std::strlen(value);
    options_.push_back(option);
  }
  Client* NewClient(std::string* error = nullptr) {
    auto args = Zero<Client_Create_Args>();
    args.create_options = options_.data();
    args.num_options = options_.size();
    const std::string text = Call(TheApi().Client_Create, args);
    if (error != nullptr) *error = text;
    return args.client;
  }

  // Returns an executable, or null after storing the error.
  LoadedExecutable* Compile(std::string program, std::string* error = nullptr,
                            const std::string& options = "") {
    Program given = {};
    given.struct_size = sizeof(given);
    given.code = program.data();
    given.code_size = program.size();
    given.format = "mlir";
    given.format_size = 4;
    auto args = Zero<Client_Compile_Args>();
    args.client = client_;
    args.program = &given;
    args.compile_options = options.data();
    args.compile_options_size = options.size();
    const std::string text = Call(TheApi().Client_Compile, args);
    if (error != nullptr) *error = text;
    return args.executable;
  }
  LoadedExecutable* Digits(const char* words = "") {
    std::string error;
    LoadedExecutable* const made =
        Compile(absl::StrCat(words, "file ", kDigits, " ", kTypes), &error);
    EXPECT_EQ(error, "OK");
    return made;
  }
  LoadedExecutable* Load(const std::string& bytes, std::string* error) {
    auto args = Zero<Executable_DeserializeAndLoad_Args>();
    args.client = client_;
    args.serialized_executable = bytes.data();
    args.serialized_executable_size = bytes.size();
    *error = Call(TheApi().Executable_DeserializeAndLoad, args);
    return args.loaded_executable;
  }
  void Destroy(LoadedExecutable* executable) {
    auto args = Zero<LoadedExecutable_Destroy_Args>();
    args.executable = executable;
    EXPECT_EQ(Call(TheApi().LoadedExecutable_Destroy, args), "OK");
  }
  Executable* ExecutableOf(LoadedExecutable* loaded) {
    auto args = Zero<LoadedExecutable_GetExecutable_Args>();
    args.loaded_executable = loaded;
    EXPECT_EQ(Call(TheApi().LoadedExecutable_GetExecutable, args), "OK");
    return args.executable;
  }
  void Destroy(Executable* executable) {
    auto args = Zero<Executable_Destroy_Args>();
    args.executable = executable;
    EXPECT_EQ(Call(TheApi().Executable_Destroy, args), "OK");
  }

  // Returns a buffer with a copy of floats, or null after storing the error.
  Buffer* Floats(const void* data, std::vector<int64_t> dims,
                 std::vector<int64_t> strides = {},
                 std::string* error = nullptr,
                 HostBufferSemantics semantics = kImmutableOnlyDuringCall,
                 Event** done = nullptr) {
    auto args = Zero<Client_BufferFromHostBuffer_Args>();
    args.client = client_;
    args.data = data;
    args.type = kBufferTypeF32;
    args.dims = dims.data();
    args.num_dims = dims.size();
    args.byte_strides = strides.data();
    args.num_byte_strides = strides.size();
    args.host_buffer_semantics = semantics;
    const std::string text = Call(TheApi().Client_BufferFromHostBuffer, args);
    if (error != nullptr) *error = text;
    if (done != nullptr) {
      *done = args.done_with_host_buffer;
    } else {
      Destroy(args.done_with_host_buffer);
    }
    return args.buffer;
  }
  void Destroy(Buffer* buffer) {
    auto args = Zero<Buffer_Destroy_Args>();
    args.buffer = buffer;
    EXPECT_EQ(Call(TheApi().Buffer_Destroy, args), "OK");
  }
  void Destroy(Event* event) {
    auto args = Zero<Event_Destroy_Args>();
    args.event = event;
    EXPECT_EQ(Call(TheApi().Event_Destroy, args), "OK");
  }
  std::string Await(Event* event) {
    auto args = Zero<Event_Await_Args>();
    args.event = event;
    return Call(TheApi().Event_Await, args);
  }
  bool IsReady(Event* event) {
    auto args = Zero<Event_IsReady_Args>();
    args.event = event;
    EXPECT_EQ(Call(TheApi().Event_IsReady, args), "OK");
    return args.is_ready;
  }

  // Executes a program with one result.
  std::string Execute(LoadedExecutable* executable,
                      const std::vector<Buffer*>& arguments, Buffer** result,
                      std::vector<int64_t> kept = {}) {
    ExecuteOptions options = {};
    options.struct_size = offsetof(ExecuteOptions, context);
    options.non_donatable_input_indices = kept.data();
    options.num_non_donatable_input_indices = kept.size();
    Buffer* const* const lists[] = {arguments.data()};
    Buffer** const results[] = {result};
    auto args = Zero<LoadedExecutable_Execute_Args>();
    args.executable = executable;
    args.options = &options;
    args.argument_lists = lists;
    args.num_devices = 1;
    args.num_args = arguments.size();
    args.output_lists = results;
    Event* done = nullptr;
    args.device_complete_events = &done;
    const std::string text = Call(TheApi().LoadedExecutable_Execute, args);
    if (done != nullptr) Destroy(done);
    return text;
  }
  // Returns the floats of a buffer after they are ready; none after an error.
  std::vector<float> Read(Buffer* buffer, std::string* error = nullptr,
                          Buffer_MemoryLayout* layout = nullptr) {
    auto args = Zero<Buffer_ToHostBuffer_Args>();
    args.src = buffer;
    EXPECT_EQ(Call(TheApi().Buffer_ToHostBuffer, args), "OK");  // the size
    std::vector<float> floats;
    floats.reserve(1);  // so that the address is not null
    floats.resize(args.dst_size / sizeof(float));
    args.dst = floats.data();
    args.host_layout = layout;
    std::string text = Call(TheApi().Buffer_ToHostBuffer, args);
    if (text == "OK") {
      text = Await(args.event);
      Destroy(args.event);
    }
    if (error != nullptr) *error = text;
    return text == "OK" ? floats : std::vector<float>();
  }
  bool IsDeleted(Buffer* buffer) {
    auto args = Zero<Buffer_IsDeleted_Args>();
    args.buffer = buffer;
    EXPECT_EQ(Call(TheApi().Buffer_IsDeleted, args), "OK");
    return args.is_deleted;
  }

  std::vector<NamedValue> options_;
  Client* client_ = nullptr;
};

inline std::vector<float> Image() {
  std::vector<float> image(64);
  for (size_t i = 0; i < image.size(); ++i) {
    image[i] = static_cast<float>(i % 17) - 3;
  }
  return image;
}

// A buffer of 8x8xf32 whose elements are transferred later.
class TransferTest : public ClientTest {
 public:
  Buffer* Begin() {
    const int64_t dims[] = {8, 8};
    ShapeSpec spec = {sizeof(ShapeSpec), nullptr, dims, 2, kBufferTypeF32};
    auto create = Zero<Client_CreateBuffersForAsyncHostToDevice_Args>();
    create.client = client_;
    create.shape_specs = &spec;
    create.num_shape_specs = 1;
    EXPECT_EQ(Call(TheApi().Client_CreateBuffersForAsyncHostToDevice, create),
              "OK");
    manager_ = create.transfer_manager;
    auto retrieve =
        Zero<AsyncHostToDeviceTransferManager_RetrieveBuffer_Args>();
    retrieve.transfer_manager = manager_;
    const auto function =
        TheApi().AsyncHostToDeviceTransferManager_RetrieveBuffer;
    EXPECT_EQ(Call(function, retrieve), "OK");
    Buffer* const buffer = retrieve.buffer_out;
    EXPECT_EQ(Call(function, retrieve),
              "9: Buffer 0 has been retrieved before.");
    return buffer;
  }
  std::string Send(const std::vector<float>& floats, int64_t offset,
                   int64_t size, bool is_last) {
    auto args = Zero<AsyncHostToDeviceTransferManager_TransferData_Args>();
    args.transfer_manager = manager_;
    args.data = floats.data() + offset / 4;
    args.offset = offset;
    args.transfer_size = size;
    args.is_last_transfer = is_last;
    const std::string text =
        Call(TheApi().AsyncHostToDeviceTransferManager_TransferData, args);
    Destroy(args.done_with_h2d_transfer);
    return text;
  }
  void End() {
    auto args = Zero<AsyncHostToDeviceTransferManager_Destroy_Args>();
    args.transfer_manager = manager_;
    EXPECT_EQ(Call(TheApi().AsyncHostToDeviceTransferManager_Destroy, args),
              "OK");
  }
  Event* ReadyEvent(Buffer* buffer) {
    auto args = Zero<Buffer_ReadyEvent_Args>();
    args.buffer = buffer;
    EXPECT_EQ(Call(TheApi().Buffer_ReadyEvent, args), "OK");
    return args.event;
  }

  AsyncHostToDeviceTransferManager* manager_ = nullptr;
};

}  // namespace eyrie::pjrt

#endif  // EYRIE_PLUGINS_PJRT_TESTING_TEST_CLIENT_H_
