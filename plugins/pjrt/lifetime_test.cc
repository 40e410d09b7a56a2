// Objects that are used after their client is destroyed, by callbacks, by
// several threads, and in a child process.
#include <cstring>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "plugins/pjrt/testing/test_client.h"
#include "tests/support/in_child.h"

namespace eyrie::pjrt {
namespace {

// A client that is destroyed first lives as long as what it has created.
TEST_F(TransferTest, ClientsAreDestroyedFirst) {
  LoadedExecutable* const digits = Digits();
  const std::vector<float> image = Image();
  Buffer* const buffer = Floats(image.data(), {8, 8});
  Buffer* const pending = Begin();
  auto copy = Zero<Buffer_CopyToDevice_Args>();
  auto devices = Zero<Client_Devices_Args>();
  devices.client = client_;
  ASSERT_EQ(Call(TheApi().Client_Devices, devices), "OK");
  copy.buffer = pending;
  copy.dst_device = devices.devices[1];
  ASSERT_EQ(Call(TheApi().Buffer_CopyToDevice, copy), "OK");
  auto args = Zero<Client_Destroy_Args>();
  args.client = client_;
  EXPECT_EQ(Call(TheApi().Client_Destroy, args), "OK");
  client_ = nullptr;  // for TearDown
  Buffer* results[2] = {};
  EXPECT_EQ(Execute(digits, {buffer}, &results[0]), "OK");
  EXPECT_EQ(Execute(digits, {pending}, &results[1]), "OK");
  Destroy(digits);
  Destroy(buffer);
  Destroy(pending);
  EXPECT_EQ(Send(image, 0, 256, true), "OK");
  End();
  EXPECT_EQ(Read(copy.dst_buffer), image);
  EXPECT_EQ(Read(results[0]), Read(results[1]));
  auto is_on_cpu = Zero<Buffer_IsOnCpu_Args>();
  is_on_cpu.buffer = results[0];
  EXPECT_EQ(Call(TheApi().Buffer_IsOnCpu, is_on_cpu), "OK");
  EXPECT_TRUE(is_on_cpu.is_on_cpu);
  for (Buffer* const each : {results[0], results[1], copy.dst_buffer}) {
    Destroy(each);
  }
}

// Each copy waits for the one before it. When the first is ready, so are all,
// without a call in a call for each.
TEST_F(TransferTest, LongChains) {
  const std::vector<float> image = Image();
  auto devices = Zero<Client_Devices_Args>();
  devices.client = client_;
  ASSERT_EQ(Call(TheApi().Client_Devices, devices), "OK");
  Buffer* last = Begin();
  for (int i = 0; i < 100'000; ++i) {
    auto copy = Zero<Buffer_CopyToDevice_Args>();
    copy.buffer = last;
    copy.dst_device = devices.devices[0];
    ASSERT_EQ(Call(TheApi().Buffer_CopyToDevice, copy), "OK");
    Destroy(last);
    last = copy.dst_buffer;
  }
  EXPECT_EQ(Send(image, 0, 256, true), "OK");
  End();
  EXPECT_EQ(Read(last), image);
  Destroy(last);
}

// Callbacks may destroy everything that leads to them.
TEST_F(TransferTest, CallbacksDestroy) {
  struct State {
    TransferTest* test;
    Event* event = nullptr;
    Buffer* buffer = nullptr;
    bool ends = false;
    int calls = 0;
  };
  const auto on_ready = [](Error* error, void* user) {
    EXPECT_EQ(Text(error), "OK");
    auto& state = *static_cast<State*>(user);
    if (state.calls++ != 0) return;
    state.test->Destroy(state.event);
    if (state.buffer != nullptr) state.test->Destroy(state.buffer);
    if (state.ends) state.test->End();
  };
  const auto listen = [&](Event* event, State& state) {
    auto args = Zero<Event_OnReady_Args>();
    args.event = event;
    args.user_arg = &state;
    args.callback = on_ready;
    EXPECT_EQ(Call(TheApi().Event_OnReady, args), "OK");
  };
  auto create = Zero<Event_Create_Args>();
  ASSERT_EQ(Call(TheApi().Event_Create, create), "OK");
  State own{this, create.event};
  for (int i = 0; i < 3; ++i) listen(create.event, own);
  auto set = Zero<Event_Set_Args>();
  set.event = create.event;
  EXPECT_EQ(Call(TheApi().Event_Set, set), "OK");
  EXPECT_EQ(own.calls, 3);
  // An event that is ready.
  ASSERT_EQ(Call(TheApi().Event_Create, create), "OK");
  set.event = create.event;
  EXPECT_EQ(Call(TheApi().Event_Set, set), "OK");
  State ready{this, create.event};
  listen(create.event, ready);
  EXPECT_EQ(ready.calls, 1);
  // The buffer, and the transfer manager whose function calls.
  Buffer* const buffer = Begin();
  State all{this, ReadyEvent(buffer), buffer, true};
  for (int i = 0; i < 2; ++i) listen(all.event, all);
  EXPECT_EQ(Send(Image(), 0, 256, true), "OK");
  EXPECT_EQ(all.calls, 2);
}

// A callback may wait for what becomes ready in the same call.
TEST_F(TransferTest, CallbacksWait) {
  struct State {
    TransferTest* test;
    Buffer* copy;
    std::vector<float> floats;
  };
  auto devices = Zero<Client_Devices_Args>();
  devices.client = client_;
  ASSERT_EQ(Call(TheApi().Client_Devices, devices), "OK");
  Buffer* const pending = Begin();
  auto copy = Zero<Buffer_CopyToDevice_Args>();
  copy.buffer = pending;
  copy.dst_device = devices.devices[0];
  ASSERT_EQ(Call(TheApi().Buffer_CopyToDevice, copy), "OK");
  State state{this, copy.dst_buffer, {}};
  Event* const event = ReadyEvent(pending);
  auto args = Zero<Event_OnReady_Args>();
  args.event = event;
  args.user_arg = &state;
  args.callback = [](Error* error, void* user) {
    EXPECT_EQ(Text(error), "OK");
    auto& each = *static_cast<State*>(user);
    each.floats = each.test->Read(each.copy);
  };
  EXPECT_EQ(Call(TheApi().Event_OnReady, args), "OK");
  EXPECT_EQ(Send(Image(), 0, 256, true), "OK");
  End();
  EXPECT_EQ(state.floats, Image());
  Destroy(event);
  Destroy(pending);
  Destroy(copy.dst_buffer);
}

// A destructor of the client's data may use the memory.
TEST_F(ClientTest, UserDataOfMemories) {
  static Memory* memory;
  static const MemoryFunctions* functions;
  auto memories = Zero<Client_AddressableMemories_Args>();
  memories.client = client_;
  ASSERT_EQ(Call(TheApi().Client_AddressableMemories, memories), "OK");
  memory = memories.addressable_memories[0];
  std::memcpy(&functions, memory, sizeof(functions));
  static int key, calls;
  const auto destroy = [](void*) {
    ++calls;
    EXPECT_EQ(functions->get_user_data(memory, &key), nullptr);
  };
  functions->set_user_data(memory, &key, &calls, destroy);
  functions->set_user_data(memory, &key, nullptr, nullptr);
  EXPECT_EQ(calls, 1);
}

// In the child of fork(), nothing waits: a device with threads and the compiler
// fail.
TEST_F(ClientTest, ForkedClients) {
  const struct {
    const char* device;
    const char* want;  // of the execution, and of a compilation
  } kRows[] = {{"local-task", "9:  9: "}, {"local-sync", "OK 9: "}};
  for (const auto& row : kRows) {
    Add("device", row.device);
    std::string error;
    Client* client = NewClient(&error);
    ASSERT_EQ(error, "OK");
    std::swap(client_, client);
    LoadedExecutable* const digits = Digits();
    const std::vector<float> image = Image();
    Buffer* const buffer = Floats(image.data(), {8, 8});
    const std::string texts = InChild([&] {
      Buffer* result = nullptr;
      const std::string text = Execute(digits, {buffer}, &result);
      Destroy(buffer);
      Destroy(digits);
      std::string compiled;
      Compile(absl::StrCat("file ", kDigits, " ", kTypes), &compiled);
      return absl::StrCat(text.substr(0, 3), " ", compiled.substr(0, 3));
    });
    EXPECT_EQ(texts, row.want) << row.device;
    Destroy(buffer);
    Destroy(digits);
    std::swap(client_, client);
    auto args = Zero<Client_Destroy_Args>();
    args.client = client;
    EXPECT_EQ(Call(TheApi().Client_Destroy, args), "OK");
    options_.pop_back();
  }
}

// Threads use a buffer and a program that others delete.
TEST_F(ClientTest, ThreadsDelete) {
  const std::vector<float> image = Image();
  for (int round = 0; round < 20; ++round) {
    LoadedExecutable* const digits = Digits();
    Buffer* const buffer = Floats(image.data(), {8, 8});
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) {
      threads.emplace_back([&, i] {
        for (int call = 0; call < 10; ++call) {
          Buffer* result = nullptr;
          const std::string text = Execute(digits, {buffer}, &result);
          if (text == "OK") {
            EXPECT_EQ(Read(result).size(), 10u);
            Destroy(result);
          } else {
            EXPECT_TRUE(absl::StartsWith(text, "9: ")) << text;
          }
          std::string error;
          Read(buffer, &error);
          auto add = Zero<Buffer_IncreaseExternalReferenceCount_Args>();
          add.buffer = buffer;
          auto drop = Zero<Buffer_DecreaseExternalReferenceCount_Args>();
          drop.buffer = buffer;
          if (Call(TheApi().Buffer_IncreaseExternalReferenceCount, add) ==
              "OK") {
            EXPECT_EQ(
                Call(TheApi().Buffer_DecreaseExternalReferenceCount, drop),
                "OK");
          }
          if (call != 5 || i == 2) continue;
          auto remove = Zero<Buffer_Delete_Args>();
          remove.buffer = buffer;
          EXPECT_EQ(Call(TheApi().Buffer_Delete, remove), "OK");
          auto unload = Zero<LoadedExecutable_Delete_Args>();
          unload.executable = digits;
          EXPECT_EQ(Call(TheApi().LoadedExecutable_Delete, unload), "OK");
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    Destroy(buffer);
    Destroy(digits);
  }
}

}  // namespace
}  // namespace eyrie::pjrt
