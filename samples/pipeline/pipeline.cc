// A pipeline: several pictures at a time pass through three functions of a
// module, and no thread waits between the stages.
//   pipeline edges.vmfb [pictures]
//
// Each call waits for one fence and signals another. A call returns before the
// work begins, so this thread can continue with the next picture. The last
// fence of a picture reports that its result is ready.
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <future>
#include <memory>
#include <utility>
#include <vector>

#include "eyrie/fence.h"
#include "eyrie/runtime.h"

namespace {

constexpr int kSide = 32;
// The maximum number of pictures in the pipeline. It limits memory, and is
// enough to keep the device busy.
constexpr size_t kInFlight = 4;

int Fail(const eyrie::Error& error) {
  std::fprintf(stderr, "pipeline: %s\n", error.message().c_str());
  return 1;
}

// Returns a picture with a bright square of 8 x 8 pixels, which moves with
// `number`.
eyrie::Result<eyrie::Value> Picture(int number) {
  std::vector<float> pixels(kSide * kSide);
  for (int i = 0; i < 8; ++i) {
    for (int j = 0; j < 8; ++j) {
      pixels[(4 + i) * kSide + (2 * number + j) % kSide] = 1;
    }
  }
  return eyrie::Value::Array({kSide, kSide}, pixels);
}

// A picture in the pipeline.
struct Flight {
  std::vector<eyrie::Value> result;  // its elements are valid after `done`
  std::future<eyrie::Result<void>> done;
};

// Starts all stages for a picture. Returns immediately.
eyrie::Result<Flight> Launch(const eyrie::Device& device,
                             std::vector<eyrie::Function>& stages,
                             eyrie::Value picture) {
  Flight flight;
  flight.result.push_back(std::move(picture));
  std::unique_ptr<eyrie::Fence> before;
  for (eyrie::Function& stage : stages) {
    auto after = eyrie::Fence::Create(device);
    if (!after) return after.error();
    // Use the previous stage's result in place as soon as it is ready.
    flight.result[0].Lend();
    auto results = stage.Call({flight.result[0]}, {},
                              {.wait = before.get(), .signal = &*after});
    if (!results) return results.error();
    flight.result = *std::move(results);
    before = std::make_unique<eyrie::Fence>(*std::move(after));
  }
  // Called once, on the thread that ends the last stage. Also receives the
  // failure of any stage.
  auto ended = std::make_shared<std::promise<eyrie::Result<void>>>();
  flight.done = ended->get_future();
  before->OnDone([ended](const eyrie::Error* error) {
    ended->set_value(error ? eyrie::Result<void>(*error)
                           : eyrie::Result<void>());
  });
  return flight;
}

// Waits for a picture and prints the number of its edge pixels.
eyrie::Result<void> Land(int number, Flight flight) {
  if (auto done = flight.done.get(); !done) return done;
  const auto count = flight.result[0].elements<int32_t>();
  if (!count) return count.error();
  std::printf("picture %d: %d pixels are edges\n", number, (*count)[0]);
  return {};
}

eyrie::Result<void> Run(const char* path, int pictures) {
  // Only the stages of the same picture depend on each other, so a device with
  // threads works on several pictures at the same time.
  auto device = eyrie::Device::Open("local-task");
  if (!device) return device.error();
  auto module = eyrie::Module::Load(path);
  if (!module) return module.error();
  auto context = eyrie::Context::Create(*device, *module);
  if (!context) return context.error();
  std::vector<eyrie::Function> stages;
  for (const char* name : {"smooth", "edges", "count"}) {
    auto stage = context->Find(name);
    if (!stage) return stage.error();
    stages.push_back(*stage);
  }

  std::deque<Flight> flights;
  int landed = 0;
  for (int number = 0; number < pictures; ++number) {
    auto picture = Picture(number);
    if (!picture) return picture.error();
    auto flight = Launch(*device, stages, *std::move(picture));
    if (!flight) return flight.error();
    flights.push_back(*std::move(flight));
    if (flights.size() < kInFlight) continue;
    if (auto done = Land(landed++, std::move(flights.front())); !done) {
      return done;
    }
    flights.pop_front();
  }
  for (Flight& flight : flights) {
    if (auto done = Land(landed++, std::move(flight)); !done) return done;
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 && argc != 3) {
    return Fail({EYRIE_INVALID_ARGUMENT, "pipeline MODULE [PICTURES]"});
  }
  const auto done = Run(argv[1], argc == 3 ? std::atoi(argv[2]) : 8);
  return done ? 0 : Fail(done.error());
}
