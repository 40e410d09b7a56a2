// Tests memory that the host lends: modules that are not copied, arrays that
// calls must not change, and memory for results.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "eyrie/pending_call.h"
#include "eyrie/prepared_call.h"
#include "eyrie/runtime.h"
#include "gtest/gtest.h"

namespace eyrie {
namespace {

const std::string kFolder = "tests/modules/3.13/";

std::string BytesOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

template <typename T>
std::string ErrorOf(const Result<T>& result) {
  return result ? "OK" : result.error().message();
}

// Calls a function of one of the modules below.
void CheckAdd(const Module& module) {
  auto device = Device::Open("local-sync");
  auto context = Context::Create(*device, module);
  ASSERT_TRUE(context.ok()) << context.error().message();
  const Value a = *Value::Array({4}, {1.f, 2.f, 3.f, 4.f});
  auto sums = context->Call("add", {a, a});
  ASSERT_TRUE(sums.ok()) << sums.error().message();
  EXPECT_EQ(sums->front().elements<float>()->back(), 8);
}

TEST(LentModule, AtAnyAddress) {
  for (const char* file : {"add.vmfb", "add.debug.vmfb"}) {
    const std::string bytes = BytesOf(kFolder + file);
    for (const size_t shift : {0, 1, 8, 16, 63}) {
      SCOPED_TRACE(std::string(file) + " + " + std::to_string(shift));
      std::vector<std::byte> memory(bytes.size() + 64);
      std::memcpy(memory.data() + shift, bytes.data(), bytes.size());
      int released = 0;
      {
        auto module =
            Module::Borrow(std::span(memory).subspan(shift, bytes.size()),
                           [&released] { ++released; });
        ASSERT_TRUE(module.ok()) << module.error().message();
        CheckAdd(*module);
        // A context keeps the bytes.
        auto device = Device::Open("local-sync");
        auto context = Context::Create(*device, *module);
        module = Error(EYRIE_OK, "");
        EXPECT_EQ(released, 0);
      }
      EXPECT_EQ(released, 1);

      const std::string path = testing::TempDir() + "/inside";
      std::ofstream(path, std::ios::binary)
          << std::string(shift, 'x') << bytes << "end";
      const int fd = open(path.c_str(), O_RDONLY);
      auto mapped = Module::LoadDescriptor(fd, {shift, bytes.size()});
      close(fd);
      ASSERT_TRUE(mapped.ok()) << mapped.error().message();
      CheckAdd(*mapped);
    }
  }
}

TEST(LentModule, Errors) {
  int released = 0;
  const std::byte text[4] = {};
  EXPECT_EQ(ErrorOf(Module::Borrow(text, [&released] { ++released; })),
            "The module in memory has 4 bytes, too few for a compiled module.");
  EXPECT_EQ(released, 1);
  EXPECT_EQ(ErrorOf(Module::LoadDescriptor(-1)),
            "Descriptor -1 is not an open regular file.");
}

// ---- Arrays that calls must not change --------------------------------------

// Four floats in memory that no one can write to.
class ConstFloats {
 public:
  ConstFloats() {
    void* const page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    numbers_ = static_cast<float*>(page);
    for (int i = 0; i < 8; ++i) numbers_[i] = static_cast<float>(i + 1);
    mprotect(page, 4096, PROT_READ);
  }
  ~ConstFloats() { munmap(numbers_, 4096); }

  Value Array(int64_t count) const {
    Value array = *Value::Borrow({sizeof(eyrie_array_t), EYRIE_DTYPE_F32, 1,
                                  &count, nullptr, numbers_,
                                  static_cast<size_t>(count) * sizeof(float)});
    array.LendConst();
    return array;
  }
  const float* data() const { return numbers_; }

 private:
  float* numbers_;
};

Result<Context> OpenModule(const std::string& device, const std::string& file) {
  auto opened = Device::Open(device);
  auto module = Module::Load(kFolder + file);
  if (!module) return module.error();
  return Context::Create(*opened, *module);
}

TEST(LendConst, ReadsInPlace) {
  const ConstFloats floats;
  for (const char* device : {"local-sync", "local-task"}) {
    for (const char* file : {"add.vmfb", "add.async.vmfb"}) {
      auto context = OpenModule(device, file);
      ASSERT_TRUE(context);
      auto add = context->Find("add");
      const Value x = floats.Array(4);
      for (int i = 0; i < 3; ++i) {
        auto sums = add->Call({x, x});
        ASSERT_EQ(ErrorOf(sums), "OK");
        EXPECT_EQ(sums->front().elements<float>()->back(), 8);
        EXPECT_EQ(add->statistics().copied, 0u);
      }
      EXPECT_EQ(ErrorOf(add->CallOut({x}, {x, x})),
                "Result 0: a read-only array cannot receive a result.");
    }
  }
}

TEST(LendConst, ResultsOverTheMemoryAreReadOnly) {
  const ConstFloats floats;
  auto context = OpenModule("local-sync", "shapes.vmfb");
  ASSERT_TRUE(context);
  auto results = context->Call("identity", {floats.Array(4)});
  ASSERT_EQ(ErrorOf(results), "OK");
  Value same = (*results)[0];
  EXPECT_EQ(same.elements<float>()->data(), floats.data());
  same.Lend();
  auto identity = context->Find("identity");
  results = identity->Call({same});
  ASSERT_EQ(ErrorOf(results), "OK");
  EXPECT_NE((*results)[0].elements<float>()->data(), floats.data());
  EXPECT_EQ(ErrorOf(identity->CallOut({same}, {same})),
            "Result 0: a read-only array cannot receive a result.");
}

// A module's commands cannot write, whether the array is the host's or one of
// the device.
TEST(LendConst, CommandsCannotWrite) {
  const ConstFloats floats;
  auto device = Device::Open("local-sync");
  auto module = Module::Load(kFolder + "consume.vmfb");
  auto context = Context::Create(*device, *module);
  ASSERT_TRUE(context);
  const Value row = *Value::Array({2}, {5.f, 6.f});
  Value own = *floats.Array(8).Upload(*device);
  own.LendConst();
  for (const Value& cache : {floats.Array(8), own}) {
    auto put = context->Call("put", {cache, row, 2});
    ASSERT_FALSE(put.ok());
    EXPECT_EQ(put.error().code(), EYRIE_PERMISSION_DENIED);
  }
  EXPECT_EQ(own.elements<float>()->front(), 1);
}

// Only such a value may be lent without others seeing the writes.
TEST(SoleOwner, NothingElseRefersToTheMemory) {
  auto device = Device::Open("local-sync");
  auto module = Module::Load(kFolder + "sharing.vmfb");
  auto context = Context::Create(*device, *module);
  ASSERT_TRUE(context);
  const ConstFloats floats;
  EXPECT_EQ(eyrie_value_is_sole_owner(nullptr), 0);
  EXPECT_FALSE(Value(7).IsSoleOwner());
  EXPECT_FALSE(floats.Array(4).IsSoleOwner());  // not the device's memory
  Value own = *floats.Array(4).Upload(*device);
  EXPECT_TRUE(own.IsSoleOwner());
  {
    const Value copy = own;
    EXPECT_FALSE(own.IsSoleOwner());
    EXPECT_FALSE(copy.IsSoleOwner());
  }
  EXPECT_TRUE(own.IsSoleOwner());
  {
    auto twice = context->Call("twice", {own});  // of a copy
    ASSERT_EQ(ErrorOf(twice), "OK");
    EXPECT_EQ((*twice)[0].elements<float>()->data(),
              (*twice)[1].elements<float>()->data());
    EXPECT_FALSE((*twice)[0].IsSoleOwner());
    EXPECT_TRUE(own.IsSoleOwner());
  }
  own.Lend();
  {
    auto rows = context->Call("rows", {own});
    ASSERT_EQ(ErrorOf(rows), "OK");
    EXPECT_FALSE((*rows)[0].IsSoleOwner());
    EXPECT_FALSE(own.IsSoleOwner());
  }
  EXPECT_TRUE(own.IsSoleOwner());
  own.LendConst();
  EXPECT_FALSE(own.IsSoleOwner());  // calls may not write
}

// ---- Memory for results -----------------------------------------------------

class CountingAllocator final : public Allocator {
 public:
  void* Allocate(size_t size, size_t alignment) override {
    if (size > limit) return nullptr;
    ++live;
    ++total;
    void* const memory = std::aligned_alloc(
        alignment, (size + shift + alignment - 1) / alignment * alignment);
    return static_cast<char*>(memory) + shift;
  }
  void Free(void* memory, size_t) override {
    --live;
    std::free(static_cast<char*>(memory) - shift);
  }

  size_t limit = SIZE_MAX;
  size_t shift = 0;
  int live = 0;
  int total = 0;
};

TEST(ResultMemory, HoldsTheArrays) {
  const struct {
    const char* file;
    const char* function;
    unsigned copied;  // the last is the result, if it is not written in place
  } kRows[] = {
      {"add.vmfb", "add", 3},
      {"add.async.vmfb", "add", 3},
      {"destination.vmfb", "add_into", 2},
      {"destination.async.vmfb", "add_into", 2},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.file);
    auto memory = std::make_shared<CountingAllocator>();
    auto context = OpenModule("local-sync", row.file);
    ASSERT_TRUE(context);
    auto function = context->Find(row.function);
    const Value a = *Value::Array({4}, {1.f, 2.f, 3.f, 4.f});
    const CallOptions options = {.allocator = memory};
    auto results = function->Call({a, a}, {}, options);
    ASSERT_EQ(ErrorOf(results), "OK");
    EXPECT_EQ(function->statistics().copied, row.copied);
    EXPECT_EQ(memory->live, 1);
    EXPECT_EQ(results->front().elements<float>()->back(), 8);
    // Each way to call.
    auto prepared = PreparedCall::Prepare(*function, {a, a});
    ASSERT_TRUE(prepared->Run(options));
    EXPECT_EQ(prepared->results()[0].elements<float>()->back(), 8);
    EXPECT_EQ(memory->live, 2);
    auto pending = PendingCall::Begin(*function, {a, a}, [] {}, {}, options);
    while (!pending->Poll()) {
    }
    auto later = pending->Results();
    ASSERT_EQ(ErrorOf(later), "OK");
    EXPECT_EQ(later->front().elements<float>()->back(), 8);
    EXPECT_EQ(memory->live, 3);
    // An array of the caller takes the result.
    alignas(64) float sums[4] = {};
    ASSERT_EQ(ErrorOf(function->CallOut({*Value::Borrow({4}, sums)}, {a, a}, {},
                                        options)),
              "OK");
    EXPECT_EQ(sums[3], 8);
    EXPECT_EQ(memory->total, 3);
    // Results keep the memory, without the context.
    context = Error(EYRIE_OK, "");
    EXPECT_EQ(results->front().elements<float>()->back(), 8);
    results->clear();
    EXPECT_EQ(memory->live, 2);
  }
}

TEST(ResultMemory, FailuresAreErrorsOfTheCall) {
  const struct {
    size_t limit;
    size_t shift;
    uint64_t max_memory;
    std::string want;
  } kRows[] = {
      {15, 0, 0,
       "The allocator for results has no memory for 16 bytes. (result 0)"},
      {1000, 8, 0,
       "The allocator for results returned memory that is not aligned to 64 "
       "bytes. (result 0)"},
      {1000, 0, 1 << 20, "OK"},
  };
  auto device = Device::Open("local-sync");
  auto module = Module::Load(kFolder + "add.vmfb");
  const Value a = *Value::Array({4}, {1.f, 2.f, 3.f, 4.f});
  for (const auto& row : kRows) {
    auto memory = std::make_shared<CountingAllocator>();
    memory->limit = row.limit;
    memory->shift = row.shift;
    auto context =
        Context::Create(*device, *module, {.max_memory = row.max_memory});
    const uint64_t before = context->usage().memory;
    std::vector<Value> results = {7};
    const auto done = context->Find("add")->CallInto(results, {a, a}, {},
                                                     {.allocator = memory});
    EXPECT_EQ(ErrorOf(done), row.want);
    if (done) {
      EXPECT_GE(context->usage().memory, row.max_memory ? before + 16 : 0);
    } else {
      EXPECT_EQ(results[0].As<int>(), 7);
    }
    EXPECT_EQ(memory->live, done ? 1 : 0);
    // The context can be called again.
    EXPECT_EQ(ErrorOf(context->Call("add", {a, a})), "OK");
    results.clear();
    EXPECT_EQ(memory->live, 0);
    EXPECT_EQ(memory.use_count(), 1);
  }
}

}  // namespace
}  // namespace eyrie
