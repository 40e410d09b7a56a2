// Tests what embedders provide: a log, and an allocator for CPU devices.
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "abi/c/testing/c_value_text.h"
#include "absl/strings/str_cat.h"
#include "eyrie/runtime.h"
#include "gtest/gtest.h"
#include "tests/support/module_builder.h"

namespace eyrie {
namespace {

constexpr char kAdd[] = "tests/modules/3.13/add.vmfb";
constexpr char kTrace[] = "tests/modules/3.13/trace.vmfb";
constexpr char kDigits[] = "samples/digits/digits.vmfb";

// ---- Logs -------------------------------------------------------------------

// Returns a module that prints, traces, and fails when its context ends.
Result<Module> Talker() {
  tests::ModuleBuilder module;
  module.name = "talker";
  module.AddFunction("talk", "0i_v",
                     "entry: print \"at\" [i0] trace \"by\" [i0] return []");
  module.AddFunction("__deinit", "0_v",
                     "entry: const.i32 9 i0 fail i0 \"not_now\"");
  const std::vector<uint8_t> bytes = module.Build();
  return Module::Load(std::as_bytes(std::span(bytes)));
}

// Collects the lines of a log: "1 text|3 text|".
class Lines {
 public:
  Log log() {
    return [this](Severity severity, std::string_view text) {
      std::lock_guard<std::mutex> lock(mutex_);
      absl::StrAppend(&text_, static_cast<int>(severity), " ",
                      std::string(text), "|");
    };
  }
  std::string Take() {
    std::lock_guard<std::mutex> lock(mutex_);
    return std::exchange(text_, "");
  }

 private:
  std::mutex mutex_;
  std::string text_;
};

constexpr char kTalk[] = "1 at(7)|1 trace by(7)|";
constexpr char kEnd[] =
    "3 A module fails when its context ends: not_now\n"
    "  at talker.__deinit+0x8 (test.mlir:2:1)|";

// The output of modules goes to the context's log, or else to the device's log,
// but not to standard output.
TEST(HostLog, TakesWhatModulesSay) {
  const struct {
    bool on_device, on_context;
    std::string want_device, want_context;
  } kCases[] = {
      {false, false, "", ""},
      {true, false, absl::StrCat(kTalk, kEnd), ""},
      {false, true, "", absl::StrCat(kTalk, kEnd)},
      {true, true, "", absl::StrCat(kTalk, kEnd)},
  };
  const auto module = Talker();
  ASSERT_TRUE(module) << module.error().message();
  for (const auto& c : kCases) {
    SCOPED_TRACE(absl::StrCat(c.on_device, c.on_context));
    Lines of_device, of_context;
    testing::internal::CaptureStderr();
    testing::internal::CaptureStdout();
    {
      DeviceOptions options;
      if (c.on_device) options.log = of_device.log();
      const auto device = Device::Open("local-sync", options);
      auto context = Context::Create(
          *device, *module, {.log = c.on_context ? of_context.log() : nullptr});
      EXPECT_TRUE(context) << context.error().message();
      EXPECT_TRUE(context->Call("talk", {7}));
    }
    EXPECT_EQ(of_device.Take(), c.want_device);
    EXPECT_EQ(of_context.Take(), c.want_context);
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  }
}

TEST(HostLog, TakesTracedTensors) {
  Lines lines;
  const auto device = Device::Open("local-sync", {.log = lines.log()});
  const auto module = Module::Load(kTrace);
  ASSERT_TRUE(module) << module.error().message();
  auto context = Context::Create(*device, *module);
  const auto& function = *eyrie_module_function(module->get(), 0);
  const std::array<float, 4> numbers = {1, 2, 3, 4};
  const auto results =
      context->Call(function.name, {*Value::Array({2, 2}, numbers)});
  ASSERT_TRUE(results) << results.error().message();
  EXPECT_EQ(lines.Take(), "1 === doubled ===\n2x2xf32=[2 4][6 8]|");
}

// The data is freed once, when nothing can write to the log any more, even if
// no object was created.
TEST(HostLog, DataIsFreedOnce) {
  const auto write = [](eyrie_severity_t, const char*, size_t, void*) {};
  const auto count = [](void* data) { ++*static_cast<int*>(data); };
  const auto module = Talker();
  for (const bool fails : {false, true}) {
    int device_freed = 0;
    int context_freed = 0;
    eyrie_device_options_t options = {};
    options.struct_size = sizeof(options);
    options.log = write;
    options.log_data = &device_freed;
    options.free_log_data = count;
    eyrie_device_t* device = nullptr;
    eyrie_error_free(
        eyrie_device_open(fails ? "none" : "local-sync", &options, &device));
    EXPECT_EQ(device_freed, fails ? 1 : 0);
    eyrie_context_options_t of_context = {};
    of_context.struct_size = sizeof(of_context);
    of_context.timeout_ns = fails ? -1 : 0;
    of_context.log = write;
    of_context.log_data = &context_freed;
    of_context.free_log_data = count;
    eyrie_module_t* modules[] = {module->get()};
    eyrie_context_t* context = nullptr;
    eyrie_error_free(eyrie_context_create(modules, 1, &device, fails ? 0 : 1,
                                          &of_context, &context));
    EXPECT_EQ(context_freed, fails ? 1 : 0);
    eyrie_context_release(context);
    EXPECT_EQ(context_freed, 1);
    context = nullptr;
    of_context.timeout_ns = 0;
    eyrie_error_free(eyrie_context_open(
        fails ? "absent.vmfb" : "tests/modules/3.13/add.vmfb", "local-sync",
        &of_context, &context));
    EXPECT_EQ(context_freed, fails ? 2 : 1);
    eyrie_context_release(context);
    EXPECT_EQ(context_freed, 2);
    eyrie_device_release(device);
    EXPECT_EQ(device_freed, 1);
  }
}

// Several threads write to the log of one device.
TEST(HostLog, ThreadsShareIt) {
  std::atomic<int> lines{0};
  const auto device = Device::Open(
      "local-sync",
      {.log = [&](Severity, std::string_view) { lines.fetch_add(1); }});
  const auto module = Talker();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      auto context = Context::Create(*device, *module);
      for (int i = 0; i < 50; ++i) EXPECT_TRUE(context->Call("talk", {i}));
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(lines, 4 * (50 * 2 + 1));
}

// ---- Machine code -----------------------------------------------------------

// All modes give the same results.
TEST(HostJit, IsChosenWithTheDevice) {
  const auto module = Talker();
  for (const Jit jit : {Jit::kLazy, Jit::kOff, Jit::kEager}) {
    const auto device = Device::Open("local-sync", {.jit = jit});
    ASSERT_TRUE(device) << device.error().message();
    auto context = Context::Create(*device, *module);
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(context->Call("talk", {i}));
  }
  const auto device = Device::Open("local-sync", {.jit = static_cast<Jit>(7)});
  ASSERT_FALSE(device);
  EXPECT_EQ(device.error().code(), EYRIE_INVALID_ARGUMENT);
  EXPECT_EQ(device.error().message(),
            "The device options' jit (7) is not lazy (0), off (1) or eager "
            "(2).");
}

// ---- Allocators -------------------------------------------------------------

// Allocates memory and records it.
class Counting final : public Allocator {
 public:
  explicit Counting(int refuse_from = 1 << 30, size_t offset = 0)
      : refuse_from_(refuse_from), offset_(offset) {}

  void* Allocate(size_t size, size_t alignment) override {
    std::lock_guard<std::mutex> lock(mutex_);
    EXPECT_EQ(alignment, 64u);
    if (calls_ >= refuse_from_) {
      ++refusals_;
      return nullptr;
    }
    ++calls_;
    void* const base = std::aligned_alloc(alignment, size / 64 * 64 + 128);
    std::memset(base, 0xA5, size + offset_);  // arbitrary contents
    void* const memory = static_cast<char*>(base) + offset_;
    sizes_[memory] = size;
    bytes_ += size;
    return memory;
  }
  void Free(void* memory, size_t size) override {
    std::lock_guard<std::mutex> lock(mutex_);
    EXPECT_EQ(sizes_.count(memory), 1u);
    EXPECT_EQ(sizes_[memory], size);
    sizes_.erase(memory);
    std::free(static_cast<char*>(memory) - offset_);
  }

  void RefuseFrom(int calls) {
    std::lock_guard<std::mutex> lock(mutex_);
    refuse_from_ = calls_ + calls;
    refusals_ = 0;
  }
  int calls() const { return calls_; }
  int refusals() const { return refusals_; }  // after RefuseFrom
  size_t bytes() const { return bytes_; }
  size_t live() const { return sizes_.size(); }
  bool Holds(const void* byte) const {
    const auto after = sizes_.upper_bound(const_cast<void*>(byte));
    if (after == sizes_.begin()) return false;
    const auto& [memory, size] = *std::prev(after);
    return byte < static_cast<const char*>(memory) + size;
  }

 private:
  std::mutex mutex_;
  int refuse_from_;
  const size_t offset_;
  int calls_ = 0;
  int refusals_ = 0;
  size_t bytes_ = 0;
  std::map<void*, size_t> sizes_;  // keyed by address
};

Result<Value> RowValue(std::vector<float> numbers) {
  return Value::Array({static_cast<int64_t>(numbers.size())}, numbers);
}

// The bytes of all buffers come from the allocator, also those of a result that
// outlives everything else. In the end all memory is freed with its size, and
// then the allocator is destroyed.
TEST(HostAllocator, GetsBackWhatItGave) {
  for (const char* uri : {"local-sync", "local-task"}) {
    SCOPED_TRACE(uri);
    const auto allocator = std::make_shared<Counting>();
    {
      std::vector<Value> kept;
      {
        const auto device = Device::Open(uri, {.allocator = allocator});
        const auto module = Module::Load(kAdd);
        auto context = Context::Create(*device, *module);
        for (int i = 0; i < 10; ++i) {
          auto sum = context->Call(
              "add", {*RowValue({1, 2, 3, 4}), *RowValue({4, 3, 2, 1})});
          ASSERT_TRUE(sum) << sum.error().message();
          if (i % 5 == 0) kept.push_back(std::move((*sum)[0]));
        }
      }
      ASSERT_EQ(kept.size(), 2u);
      for (const Value& sum : kept) {
        const auto elements = *sum.elements<float>();
        EXPECT_EQ(elements[0] + elements[3], 10);
        EXPECT_TRUE(allocator->Holds(elements.data()));
      }
      EXPECT_GE(allocator->live(), 2u);
    }
    EXPECT_EQ(allocator->live(), 0u);
    EXPECT_GT(allocator->bytes(), 0u);
    EXPECT_EQ(allocator.use_count(), 1);
  }
}

// The initial contents of memory do not matter.
TEST(HostAllocator, ContentsDoNotMatter) {
  std::vector<std::vector<float>> scores;
  for (const bool own : {false, true}) {
    const auto allocator = own ? std::make_shared<Counting>() : nullptr;
    const auto device = Device::Open("local-sync", {.allocator = allocator});
    const auto module = Module::Load(kDigits);
    auto context = Context::Create(*device, *module);
    const std::vector<float> picture(64, 3);
    for (int i = 0; i < 2; ++i) {
      const auto result =
          context->Call("classify", {*Value::Array({8, 8}, picture)});
      ASSERT_TRUE(result) << result.error().message();
      const auto row = *(*result)[0].elements<float>();
      scores.emplace_back(row.begin(), row.end());
    }
  }
  for (const auto& row : scores) EXPECT_EQ(row, scores[0]);
}

// Uploads copy the elements to memory of the allocator.
TEST(HostAllocator, TakesUploads) {
  const auto allocator = std::make_shared<Counting>();
  const auto device = Device::Open("local-sync", {.allocator = allocator});
  const auto value = RowValue({1, 2})->Upload(*device);
  ASSERT_TRUE(value) << value.error().message();
  EXPECT_TRUE(allocator->Holds(value->elements<float>()->data()));
}

// The device keeps memory for later buffers, up to its limit.
TEST(HostAllocator, GetsIdleMemoryBackOverTheLimit) {
  const std::pair<uint64_t, size_t> kRows[] = {{0, 1}, {1, 0}, {1 << 20, 0}};
  for (const auto& [limit, kept] : kRows) {
    const auto allocator = std::make_shared<Counting>();
    const auto device = Device::Open(
        "local-sync", {.allocator = allocator, .max_idle_memory = limit});
    ASSERT_TRUE(device) << device.error().message();
    const std::vector<float> elements(1 << 19);  // 2 MiB
    for (int i = 0; i < 2; ++i) {
      const auto value = Value::Array({1 << 19}, elements)->Upload(*device);
      ASSERT_TRUE(value) << value.error().message();
    }
    EXPECT_EQ(allocator->live(), kept) << limit;
  }
}

// For each allocation in turn, it and all later ones fail. The call fails, and
// nothing leaks. The context remains usable once there is memory again.
TEST(HostAllocator, MayHaveNone) {
  const auto allocator = std::make_shared<Counting>();
  const auto module = Module::Load(kDigits);
  const auto picture = *Value::Array({8, 8}, std::vector<float>(64, 3));
  int refused = 0;
  for (bool done = false; !done; ++refused) {
    ASSERT_LT(refused, 100);
    SCOPED_TRACE(refused);
    const auto device = Device::Open("local-sync", {.allocator = allocator});
    allocator->RefuseFrom(refused);
    auto context = Context::Create(*device, *module);
    const std::string text =
        context ? Text(context->Call("classify", {picture})) : Text(context);
    done = allocator->refusals() == 0;
    if (!done) {
      EXPECT_EQ(text.rfind("8: ", 0), 0u) << text;
      EXPECT_NE(text.find("cannot be had: the host's allocator has none."),
                std::string::npos)
          << text;
    }
    allocator->RefuseFrom(1 << 20);
    if (context) {
      EXPECT_TRUE(context->Call("classify", {picture}));
    }
  }
  EXPECT_GT(refused, 1);
  EXPECT_EQ(allocator->live(), 0u);
}

TEST(HostAllocator, MustBeWellGiven) {
  // Memory that is not aligned is freed at once.
  const auto crooked = std::make_shared<Counting>(1 << 30, 8);
  const auto device = Device::Open("local-sync", {.allocator = crooked});
  EXPECT_EQ(Text(RowValue({1, 2})->Upload(*device)),
            "9: The host's allocator gives memory that begins 8 bytes past a "
            "multiple of 64, the alignment that it is asked for.");
  EXPECT_EQ(crooked->live(), 0u);
  EXPECT_EQ(Text(Device::Open("vulkan", {.allocator = crooked})),
            "12: Vulkan devices have memory of their own, not of the host's "
            "allocator.");
}

TEST(HostAllocator, ThreadsShareIt) {
  const auto allocator = std::make_shared<Counting>();
  {
    const auto device = Device::Open("local-task", {.allocator = allocator});
    const auto module = Module::Load(kAdd);
    std::vector<std::thread> threads;
    std::mutex mutex;
    std::vector<Value> kept;  // freed by another thread
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        auto context = Context::Create(*device, *module);
        for (int i = 0; i < 100; ++i) {
          const float number = static_cast<float>(t * i);
          auto sum = context->Call("add", {*RowValue({number, 0, 0, 0}),
                                           *RowValue({number, 0, 0, 0})});
          EXPECT_EQ((*(*sum)[0].elements<float>())[0], 2 * number);
          std::lock_guard<std::mutex> lock(mutex);
          kept.push_back(std::move((*sum)[0]));
          if (kept.size() > 8) kept.clear();
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  EXPECT_EQ(allocator->live(), 0u);
  // Blocks are reused for later buffers, so 400 results need few allocations.
  EXPECT_LT(allocator->calls(), 200);
}

}  // namespace
}  // namespace eyrie
