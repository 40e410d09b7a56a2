// Devices in a child of fork(). A device with threads fails every operation
// with an error and never hangs. A device without threads still works.
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/deadline.h"
#include "gtest/gtest.h"
#include "hal/device.h"
#include "hal/forked_device.h"
#include "tests/devices/each_device.h"
#include "tests/support/device_helpers.h"
#include "tests/support/in_child.h"
#include "tests/support/status_text.h"

namespace eyrie::hal {
namespace {

class Fork : public EachDevice {};

INSTANTIATE_TEST_SUITE_P(Devices, Fork, ::testing::ValuesIn(DeviceMakers()),
                         NameOfDevice);

// Objects that the parent creates before it forks.
struct Before {
  Ref<Device> device;
  Ref<Buffer> buffer;         // holds the words 1 and 2
  Ref<Semaphore> open;        // at 0
  Ref<Semaphore> reached;     // at 1
  Ref<CommandBuffer> filled;  // finalized
  Ref<File> file;
};

Before Prepare(const Ref<Device>& device, std::vector<uint8_t>& bytes) {
  Before before;
  before.device = device;
  before.buffer = NewBuffer(*device, 8);
  SetWords(*before.buffer, {1, 2});
  before.open = *device->CreateSemaphore(0);
  before.reached = *device->CreateSemaphore(0);
  EXPECT_TRUE(before.reached->Signal(1).ok());
  before.filled = *device->CreateCommandBuffer(0, kAnyQueue, 0);
  const uint32_t nine = 9;
  EXPECT_TRUE(before.filled->Fill(Whole(before.buffer), BytesOf(nine)).ok());
  EXPECT_TRUE(before.filled->Finalize().ok());
  before.file =
      MakeRef<File>(std::span<uint8_t>(bytes), memory_access::kAll, nullptr);
  // Makes the device start its threads, if it has any.
  EXPECT_TRUE(Execute(*device, before.filled, {}).ok());
  SetWords(*before.buffer, {1, 2});
  return before;
}

std::string OfFence(const Ref<Fence>& fence, Deadline deadline) {
  return StatusText(fence->Wait(deadline));
}

// Returns the status of an operation. Adds the signal fence's state if it
// differs from that status.
template <typename Operation>
std::string Enqueue(const Before& before, const Operation& operation) {
  const Ref<Semaphore>& done = before.open;
  const Ref<Fence> signal = Fence::ForPoint(done, 1);
  const std::string status =
      StatusText(operation(QueueFences{nullptr, signal.get()}));
  const std::string state = StateAt(*done, 1);
  if (state == "1" || state == status) return status;
  return absl::StrCat(status, ", its fence: ", state);
}

bool HasThreads(const Before& before) {
  return before.device->Query(kForkedQuery, "").has_value();
}

const struct Row {
  const char* name;
  std::string (*run)(Before& before);
  const char* want;     // of a device without threads
  const char* subject;  // what fails on a device with threads; null: nothing
} kRows[] = {
    {"fill",
     [](Before& before) {
       return Enqueue(before, [&](const QueueFences& fences) {
         const uint32_t seven = 7;
         return before.device->QueueFill(fences, Whole(before.buffer),
                                         BytesOf(seven));
       });
     },
     "OK", "Device"},
    {"update",
     [](Before& before) {
       return Enqueue(before, [&](const QueueFences& fences) {
         const uint64_t seven = 7;
         return before.device->QueueUpdate(fences, BytesOf(seven),
                                           Whole(before.buffer));
       });
     },
     "OK", "Device"},
    {"copy",
     [](Before& before) {
       return Enqueue(before, [&](const QueueFences& fences) {
         return before.device->QueueCopy(fences, {before.buffer, 0, 0, 4},
                                         {before.buffer, 0, 4, 4});
       });
     },
     "OK", "Device"},
    {"read",
     [](Before& before) {
       return Enqueue(before, [&](const QueueFences& fences) {
         return before.device->QueueRead(fences, before.file, 0,
                                         Whole(before.buffer));
       });
     },
     "OK", "Device"},
    {"write",
     [](Before& before) {
       return Enqueue(before, [&](const QueueFences& fences) {
         return before.device->QueueWrite(fences, Whole(before.buffer),
                                          before.file, 0);
       });
     },
     "OK", "Device"},
    {"barrier",
     [](Before& before) {
       return Enqueue(before, [&](const QueueFences& fences) {
         return before.device->QueueBarrier(fences);
       });
     },
     "OK", "Device"},
    {"commands",
     [](Before& before) {
       return Enqueue(before, [&](const QueueFences& fences) {
         return before.device->QueueExecute(fences, before.filled, {});
       });
     },
     "OK", "Device"},
    {"alloca and dealloca",
     [](Before& before) {
       return Enqueue(before, [&](const QueueFences& fences) {
         const auto buffer = before.device->QueueAlloca({}, {}, 64);
         if (!buffer.ok()) return fences.Refuse(buffer.status());
         return before.device->QueueDealloca(fences, *buffer);
       });
     },
     "OK", "Device"},
    {"what waits for what the parent may signal",
     [](Before& before) {
       const Ref<Fence> wait = Fence::ForPoint(before.open, 1);
       return StatusText(before.device->QueueBarrier({wait.get(), nullptr}));
     },
     "OK", "Device"},
    {"a semaphore of its own",
     [](Before& before) {
       return StatusText(before.device->CreateSemaphore(0));
     },
     "OK", "Device"},
    {"a value that is reached",
     [](Before& before) {
       return OfFence(Fence::ForPoint(before.reached, 1), Deadline::Never());
     },
     "OK", nullptr},
    {"a wait for ever",
     [](Before& before) {
       const Ref<Fence> fence = Fence::ForPoint(before.open, 1);
       const Ref<Fence> held = fence;  // so that it could still be signalled
       if (HasThreads(before)) {
         return OfFence(fence, Deadline::Never());
       }
       return OfFence(fence, Deadline::Passed());
     },
     "DEADLINE_EXCEEDED: The semaphore is at 0 and did not reach 1 in time.",
     "The device of a fence"},
    {"a wait for two",
     [](Before& before) {
       const Ref<Fence> fence = Fence::ForPoint(before.open, 1);
       fence->Insert(before.reached, 2);
       if (HasThreads(before)) {
         return OfFence(fence, Deadline::Never());
       }
       return OfFence(fence, Deadline::Passed());
     },
     "DEADLINE_EXCEEDED: The fence of 2 points was not reached in time.",
     "The device of a fence"},
    {"a question",
     [](Before& before) {
       return StatusText(Fence::ForPoint(before.open, 1)->Query());
     },
     "OK", "The device of a fence"},
    {"a callback",
     [](Before& before) {
       std::string told = "OK";
       before.open->OnReached(
           1, [&](const absl::Status& status) { told = StatusText(status); });
       if (!HasThreads(before)) before.open->Signal(1).IgnoreError();
       return told;
     },
     "OK", "The device of a fence"},
    // The rows after it see the parent's bytes.
    {"bytes that it writes",
     [](Before& before) {
       const MemoryType type = before.buffer->memory_type();
       if ((type & memory_type::kHostVisible) == 0) return std::string("7 8");
       SetWords(*before.buffer, {7, 8});
       return Words(*before.buffer);
     },
     "7 8", nullptr},
    {"bytes",
     [](Before& before) {
       // Bytes that the host cannot see need a copy; other rows test copies.
       const MemoryType type = before.buffer->memory_type();
       if ((type & memory_type::kHostVisible) == 0) return std::string("1 2");
       return Words(*before.buffer);
     },
     "1 2", nullptr},
    {"an owner that ends",
     [](Before& before) {
       before.device->CancelQueued(&before);
       return std::string("OK");
     },
     "OK", nullptr},
    {"the end of all",
     [](Before& before) {
       before = {};
       return std::string("OK");
     },
     "OK", nullptr},
};

TEST_P(Fork, EveryOperation) {
  std::vector<uint8_t> bytes(8);
  Before before = Prepare(device_, bytes);
  device_ = nullptr;
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.name);
    const bool fails = HasThreads(before) && row.subject != nullptr;
    const std::string subject =
        !fails ? ""
        : row.subject == absl::string_view("Device")
            ? absl::StrCat("Device '", before.device->id(), "'")
            : row.subject;
    EXPECT_EQ(InChild([&] { return row.run(before); }),
              fails ? absl::StrCat("FAILED_PRECONDITION: ", subject,
                                   " was opened before fork(), and its threads "
                                   "do not exist in this child process. Open a "
                                   "device in the child.")
                    : row.want);
  }
  // The parent's device still works.
  EXPECT_TRUE(Execute(*before.device, before.filled, {}).ok());
  EXPECT_EQ(Words(*before.buffer), "9 9");
}

}  // namespace
}  // namespace eyrie::hal
