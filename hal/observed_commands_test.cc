// Tests submissions with an observer of dispatches, on CPU devices that share
// memory or not.
#include "hal/observed_commands.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/work_budget.h"
#include "gtest/gtest.h"
#include "hal/device_group.h"
#include "tests/support/apart_device.h"
#include "tests/support/cpu_device.h"
#include "tests/support/fake_executable.h"
#include "tests/support/status_text.h"

namespace eyrie::hal {
namespace {

using tests::CreateApartDevice;

// Writes down what it sees: "before double 2x1x1 [] 1 1 2 2".
class Log final : public DispatchObserver {
 public:
  bool Wants(const Executable& executable, uint32_t ordinal) override {
    return absl::StrContains(wanted_, DispatchName(executable, ordinal));
  }
  absl::Status Before(const ObservedDispatch& dispatch) override {
    Add("before ", dispatch);
    return before_;
  }
  absl::Status After(const ObservedDispatch& dispatch) override {
    Add("after ", dispatch);
    return after_;
  }

  std::string Take() { return absl::StrJoin(std::exchange(lines_, {}), "; "); }

  std::string wanted_ = "double #1";
  absl::Status before_;
  absl::Status after_;

 private:
  void Add(absl::string_view when, const ObservedDispatch& dispatch) {
    std::string line =
        absl::StrCat(when, dispatch.name(), " ",
                     absl::StrJoin(dispatch.workgroup_count, "x"), " [",
                     absl::StrJoin(dispatch.constants, " "), "]");
    for (const Ref<Buffer>& binding : dispatch.bindings) {
      absl::StrAppend(&line, IsReadOnly(*binding) ? " read-only " : " ",
                      Words(*binding));
    }
    lines_.push_back(std::move(line));
  }

  std::vector<std::string> lines_;
};

// A kernel that only returns a code.
template <int kCode>
FakeKernel Returns(const char* name, uint32_t constants, uint32_t bindings) {
  return {name, constants, bindings,
          [](const auto*, const auto*, const auto*) { return kCode; }};
}

struct Kind {
  const char* name;
  int device;  // of cpu::kDeviceKinds
  bool is_apart;
};
constexpr Kind kKinds[] = {
    {"sync", 0, false}, {"task2", 2, false}, {"apart", 0, true}};

class ObservedCommands : public ::testing::TestWithParam<Kind> {
 protected:
  ObservedCommands() {
    std::vector<Ref<Device>> devices = {
        cpu::NewDevice(cpu::kDeviceKinds[GetParam().device])};
    if (GetParam().is_apart) {
      devices[0] = CreateApartDevice(devices[0]);
      devices.push_back(CreateApartDevice(cpu::NewDevice()));
    }
    device_ = devices[0];
    // A buffer of the last device: with apart devices, commands use a copy.
    words_ = NewBuffer(*devices.back(), 128);
    group_ = std::make_unique<DeviceGroup>(std::move(devices), &log_);
  }

  Ref<CommandBuffer> Record(const std::function<void(CommandBuffer&)>& record) {
    Ref<CommandBuffer> commands =
        *device_->CreateCommandBuffer(0, kAnyQueue, 4);
    record(*commands);
    EXPECT_TRUE(commands->Finalize().ok());
    return commands;
  }
  void Dispatch(CommandBuffer& commands, uint32_t ordinal,
                std::vector<uint32_t> constants, std::vector<BufferRef> refs) {
    EXPECT_EQ(StatusText(commands.Dispatch(executable_, ordinal, {2, 1, 1},
                                           constants, refs)),
              "OK");
  }
  void FillWith(CommandBuffer& commands, uint8_t byte) {
    const uint32_t word = byte;
    EXPECT_TRUE(
        commands
            .Fill(Whole(words_), {reinterpret_cast<const uint8_t*>(&word), 4})
            .ok());
    EXPECT_TRUE(commands.ExecutionBarrier(0, 0).ok());
  }
  std::string FirstWords() { return Words(**Buffer::Subspan(words_, 0, 16)); }
  std::string Run(Ref<CommandBuffer> commands, QueueFences fences = {},
                  std::span<const BufferBinding> table = {}) {
    const Ref<Fence> done = *device_->CreateFence();
    fences.signal = done.get();
    const absl::Status status =
        group_->QueueExecute(*device_, fences, std::move(commands), table);
    const absl::Status signalled =
        done->Wait(Deadline::After(absl::Seconds(20)));
    EXPECT_TRUE(status.ok() || signalled == status) << signalled;
    return StatusText(signalled);
  }

  Log log_;
  Ref<Device> device_;
  Ref<Buffer> words_;
  std::unique_ptr<DeviceGroup> group_;
  const Ref<Executable> executable_ =
      CreateFakeExecutable({{"double", 0, 1, DoubleKernel},
                            Returns<0>("", 1, 2),
                            Returns<1>("fail", 0, 0)});
};

TEST_P(ObservedCommands, SeesBindingsBeforeAndAfter) {
  const Ref<CommandBuffer> commands = Record([this](CommandBuffer& to) {
    FillWith(to, 1);
    Dispatch(to, 0, {}, {{words_, 0, 0, 8}});
    Dispatch(to, 0, {}, {{{}, 2, 64, 8}});
    Dispatch(to, 1, {7},
             {{Buffer::ReadOnly(words_), 0, 0, 4}, {words_, 0, 64, 8}});
    FillWith(to, 5);
  });
  const BufferBinding table[] = {{}, {}, {words_.get(), 0, 128}};
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(Run(commands, {}, table), "OK");
    EXPECT_EQ(log_.Take(),
              "before double 2x1x1 [] 1 1; after double 2x1x1 [] 2 2; "
              "before double 2x1x1 [] 1 1; after double 2x1x1 [] 2 2; "
              "before #1 2x1x1 [7] read-only 2 2 2; "
              "after #1 2x1x1 [7] read-only 2 2 2");
    EXPECT_EQ(FirstWords(), "5 5 5 5");
  }
}

TEST_P(ObservedCommands, ReadsIndirectCounts) {
  EXPECT_EQ(Run(Record([this](CommandBuffer& to) {
              FillWith(to, 1);
              const BufferRef bindings[] = {{words_, 0, 0, 4}};
              EXPECT_TRUE(to.DispatchIndirect(executable_, 0,
                                              {words_, 0, 4, 12}, {}, bindings)
                              .ok());
            })),
            "OK");
  EXPECT_EQ(log_.Take(), "before double 1x1x1 [] 1; after double 1x1x1 [] 2");
}

TEST_P(ObservedCommands, RunsUnobservedCommandsAsTheyAre) {
  log_.wanted_ = "";
  EXPECT_EQ(Run(Record([this](CommandBuffer& to) {
              FillWith(to, 3);
              Dispatch(to, 0, {}, {{words_, 0, 0, 8}});
            })),
            "OK");
  EXPECT_EQ(Run(Record([](CommandBuffer&) {})), "OK");
  EXPECT_EQ(Run(Ref<CommandBuffer>()), "OK");
  EXPECT_EQ(log_.Take(), "");
  EXPECT_EQ(FirstWords(), "6 6 3 3");
}

TEST_P(ObservedCommands, ErrorsEndTheSubmission) {
  const Ref<CommandBuffer> commands = Record([this](CommandBuffer& to) {
    FillWith(to, 1);
    Dispatch(to, 0, {}, {{words_, 0, 0, 8}});
    FillWith(to, 9);
  });
  log_.before_ = absl::CancelledError("no");
  EXPECT_EQ(Run(commands), "CANCELLED: no");
  EXPECT_EQ(FirstWords(), "1 1 1 1");
  log_.before_ = absl::OkStatus();
  log_.after_ = absl::DataLossError("full");
  EXPECT_EQ(Run(commands), "DATA_LOSS: full");
  EXPECT_EQ(FirstWords(), "2 2 1 1");
  log_.Take();
  log_.wanted_ = "fail";
  const std::string failed =
      Run(Record([this](CommandBuffer& to) { Dispatch(to, 2, {}, {}); }));
  EXPECT_TRUE(absl::StartsWith(failed, "INTERNAL: ")) << failed;
  EXPECT_EQ(log_.Take(), "before fail 2x1x1 []");
}

TEST_P(ObservedCommands, WaitsForItsFence) {
  const Ref<CommandBuffer> commands = Record(
      [this](CommandBuffer& to) { Dispatch(to, 0, {}, {{words_, 0, 0, 8}}); });
  const Ref<Fence> wait = *device_->CreateFence();
  QueueFences fences;
  fences.wait = wait.get();
  const auto budget = std::make_shared<WorkBudget>();
  budget->Stop(absl::StatusCode::kCancelled);
  fences.work = &budget;
  EXPECT_EQ(Run(commands, fences),
            "CANCELLED: The device's work is stopped: the call is cancelled.");
  fences.work = nullptr;
  wait->Fail(absl::AbortedError("lost"));
  EXPECT_EQ(Run(commands, fences), "ABORTED: lost");
  EXPECT_EQ(log_.Take(), "");
}

INSTANTIATE_TEST_SUITE_P(Kinds, ObservedCommands, ::testing::ValuesIn(kKinds),
                         [](const auto& info) {
                           return std::string(info.param.name);
                         });

}  // namespace
}  // namespace eyrie::hal
