// Plays a hostile worker: whatever it writes, and whenever, the host's reader
// of a lane ends with a result about the commands that it posted.
//
// The first byte of a group is the number of its commands. Each time the host
// looks, the worker takes the next byte as an action, which may take four more
// as a number. tests/fuzz/BUILD describes how to run it.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/work_budget.h"
#include "hal/cpu/isolate/lane.h"
#include "hal/cpu/isolate/protocol.h"

namespace eyrie::hal::cpu::isolate {
namespace {

class HostileWorker final : public Lane::Peer {
 public:
  HostileWorker(const uint8_t* data, size_t size) : next_(data), left_(size) {}

  bool IsDead() const override {
    const_cast<HostileWorker*>(this)->Act();
    return is_dead_;
  }
  bool HasSpareProcessors() const override { return false; }
  void Wake(const std::atomic<uint32_t>&) override { Act(); }
  void Sleep(const std::atomic<uint32_t>&, uint32_t, absl::Duration) override {
    Act();
  }
  void Kill(Reason) override { is_dead_ = true; }

  uint8_t Byte() {
    if (left_ == 0) return 0;
    --left_;
    return *next_++;
  }
  bool is_over() const { return left_ == 0; }
  LaneInput& input() { return *input_; }
  LaneOutput& output() { return *output_; }

 private:
  uint32_t Number() {
    uint32_t number = 0;
    for (int i = 0; i < 4; ++i) number = number << 8 | Byte();
    return number;
  }
  void Act();

  const uint8_t* next_;
  size_t left_;
  bool is_dead_ = false;
  const std::unique_ptr<LaneInput> input_ = std::make_unique<LaneInput>();
  const std::unique_ptr<LaneOutput> output_ = std::make_unique<LaneOutput>();
};

void HostileWorker::Act() {
  if (left_ == 0) is_dead_ = true;
  const uint32_t posted = input_->posted.load();
  const uint32_t group = input_->commands[(posted - 1) % kSlots].group;
  switch (Byte() % 12) {
    case 0:  // as a worker does
      if (output_->done.load() != posted) output_->done.fetch_add(1);
      break;
    case 1:
      output_->done.store(posted);
      break;
    case 2:
      output_->done.store(Number());
      break;
    case 3:
      output_->failed_group.store(group);
      break;
    case 4:
      output_->failed_group.store(Number());
      break;
    case 5:
      output_->failed_command.store(posted - 1 - Byte() % 40);
      break;
    case 6:
      output_->failed_command.store(Number());
      break;
    case 7:
      output_->failed_code.store(static_cast<int32_t>(Number()));
      break;
    case 8:
      output_->failed_code.store(kStoppedCode);
      break;
    case 9:
      output_->worker_sleeps.store(Byte());
      break;
    case 10:
      output_->answer.store(Number());
      break;
    default:
      is_dead_ = true;
  }
}

void Require(bool holds) {
  if (!holds) std::abort();
}

// Runs a group. The names of its kernels are freed with it.
void RunGroup(Lane& lane, HostileWorker& worker, WorkBudget* work) {
  const size_t count = worker.Byte();
  std::vector<std::string> names;
  names.reserve(count);
  lane.Begin();
  for (size_t i = 0; i < count; ++i) {
    Command* const command = lane.Next(work);
    if (command == nullptr) break;
    const auto at = command - worker.input().commands;
    Require(at >= 0 && at < kSlots);
    names.push_back("a kernel's name, on the heap " + std::to_string(i));
    lane.Post({names.back(), 0});
  }
  const Lane::Outcome outcome = lane.Finish(work);
  if (outcome.end == Lane::End::kFailed) {
    Require(outcome.code != 0 && !outcome.label.name.empty());
  }
  if (outcome.end == Lane::End::kStopped) Require(work != nullptr);
  volatile size_t size = outcome.label.ToString().size();
  (void)size;
}

void Play(const uint8_t* data, size_t size) {
  HostileWorker worker(data, size);
  Lane lane(worker.input(), worker.output(), worker, worker.Byte() % 4);
  WorkBudget work;
  if (worker.Byte() % 2 != 0) work.Stop(absl::StatusCode::kCancelled);
  do {
    RunGroup(lane, worker, &work);
  } while (!worker.is_over());
}

}  // namespace
}  // namespace eyrie::hal::cpu::isolate

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  eyrie::hal::cpu::isolate::Play(data, size);
  return 0;
}
