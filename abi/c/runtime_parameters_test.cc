// Tests parameters through the embedding API.
#include <fcntl.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "eyrie/parameters.h"
#include "eyrie/runtime.h"
#include "gtest/gtest.h"
#include "hal/parameters/irpa_writer.h"

namespace eyrie {
namespace {

// Writes an archive to the test's folder with the parameters of
// tests/modules/parameters.mlir: "w" is four times 2, all others are zeros.
// Returns its path.
std::string WriteParameters() {
  hal::ParameterSource w;
  w.key = "w";
  w.length = 16;
  w.content = hal::ParameterSource::Content::kFill;
  w.splat = {{0, 0, 0, 0x40}, 4};
  hal::ParameterSource b = w;
  b.key = "b";
  b.splat = {{}, 4};
  hal::ParameterSource m = b;
  m.key = "m";
  m.length = 32768;
  const hal::ParameterSource sources[] = {w, b, m};
  const std::string path = testing::TempDir() + "/parameters.irpa";
  std::FILE* file = std::fopen(path.c_str(), "wb");
  const absl::Status status =
      hal::WriteIrpa(sources, 64, [&](std::span<const uint8_t> bytes) {
        std::fwrite(bytes.data(), 1, bytes.size(), file);
        return absl::OkStatus();
      });
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(std::fclose(file), 0);
  return path;
}

TEST(RuntimeParameters, AreFoundByScope) {
  const std::string path = WriteParameters();
  auto device = Device::Open("local-sync");
  auto module = Module::Load("tests/modules/3.13/parameters.vmfb");
  ASSERT_TRUE(device.ok() && module.ok());
  auto context = Context::Create(*device, *module,
                                 {.parameter_files = {path, "model=" + path}});
  ASSERT_TRUE(context.ok()) << context.error().message();
  auto x = Value::Array({4}, std::vector<float>{1, 2, 3, 4});
  ASSERT_TRUE(x.ok());
  auto results = context->Call("scale", {*x});
  ASSERT_TRUE(results.ok()) << results.error().message();
  const auto scaled = results->front().elements<float>();
  ASSERT_TRUE(scaled.ok());
  EXPECT_EQ(std::vector<float>(scaled->begin(), scaled->end()),
            std::vector<float>({2, 4, 6, 8}));

  auto none = Context::Create(*device, *module);
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().message().substr(0, 51),
            "There are no parameters of the scope 'model'; none ");
  auto missing = Context::Create(*device, *module,
                                 {.parameter_files = {"/nowhere/w.irpa"}});
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().message(),
            "Cannot open /nowhere/w.irpa: No such file or directory.");
}

// Reads a whole file.
std::vector<std::byte> BytesOf(const std::string& path) {
  std::vector<std::byte> bytes;
  std::FILE* const file = std::fopen(path.c_str(), "rb");
  for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file)) {
    bytes.push_back(static_cast<std::byte>(c));
  }
  std::fclose(file);
  return bytes;
}

// Memory with parameters, aligned as devices need it.
struct Weights {
  alignas(64) float w[4] = {2, 2, 2, 2};
  alignas(64) int32_t b[4] = {1, 2, 3, 4};
  alignas(64) float m[8192] = {};
};

// Each way to give the parameters of tests/modules/parameters.mlir.
struct Way {
  const char* name;
  std::function<Result<void>(Parameters& parameters, Weights& weights,
                             int& released)>
      add;
};

// Adds a file for both scopes.
template <typename F>
Result<void> AddBoth(F add) {
  if (auto done = add("model"); !done) return done;
  return add("");
}

Result<void> AddDescriptor(Parameters& to, const std::string& path) {
  // The archive begins in the middle of a page.
  const std::string longer = testing::TempDir() + "/longer";
  std::ofstream(longer, std::ios::binary)
      << std::string(448, 'x') << std::ifstream(path).rdbuf() << "end";
  const int fd = open(longer.c_str(), O_RDONLY);
  const uint64_t size = BytesOf(path).size();
  auto done = AddBoth(
      [&](const char* of) { return to.AddDescriptor(fd, of, {448, size}); });
  close(fd);
  return done;
}

// Adds each parameter by `add(key, array, scope)`.
template <typename F>
Result<void> AddEach(Weights& weights, F add) {
  if (auto done = add("w", weights.w, "model"); !done) return done;
  if (auto done = add("m", weights.m, "model"); !done) return done;
  return add("b", weights.b, "");
}

Result<void> AddBytes(Parameters& to, Weights& weights, MemoryUse use,
                      int& released) {
  return AddEach(weights, [&](const char* key, auto& array, const char* scope) {
    return to.AddBytes(key, std::as_bytes(std::span(array)), scope, use,
                       [&released] { ++released; });
  });
}

Result<void> AddReaders(Parameters& to, Weights& weights) {
  return AddEach(weights, [&](const char* key, auto& array, const char* scope) {
    const auto* const from = reinterpret_cast<const std::byte*>(array);
    const auto read = [from](uint64_t offset,
                             std::span<std::byte> target) -> Result<void> {
      std::memcpy(target.data(), from + offset, target.size());
      return {};
    };
    return to.AddReader(key, sizeof(array), read, scope);
  });
}

std::vector<Way> Ways() {
  const std::string path = WriteParameters();
  return {
      {"file",
       [=](Parameters& to, Weights&, int&) {
         return AddBoth([&](const char* of) { return to.AddFile(path, of); });
       }},
      {"descriptor",
       [=](Parameters& to, Weights&, int&) { return AddDescriptor(to, path); }},
      {"memory",
       [=](Parameters& to, Weights&, int&) {
         auto kept = std::make_shared<std::vector<std::byte>>(BytesOf(path));
         return AddBoth([&](const char* of) {
           return to.AddMemory(*kept, of, MemoryUse::kCopy, [kept] {});
         });
       }},
      {"bytes",
       [=](Parameters& to, Weights& weights, int& released) {
         return AddBytes(to, weights, MemoryUse::kCopy, released);
       }},
      {"lent bytes",
       [=](Parameters& to, Weights& weights, int& released) {
         return AddBytes(to, weights, MemoryUse::kLendConst, released);
       }},
      {"reader", [=](Parameters& to, Weights& weights,
                     int&) { return AddReaders(to, weights); }},
  };
}

// Runs the functions of the module, which read a constant and count from
// `first` on in a variable.
void CheckModule(Context& context, int first) {
  auto x = Value::Array({4}, std::vector<float>{1, 2, 3, 4});
  auto scaled = context.Call("scale", {*x});
  ASSERT_TRUE(scaled.ok()) << scaled.error().message();
  EXPECT_EQ(scaled->front().elements<float>()->back(), 8);
  for (int i = first; i < first + 2; ++i) {
    auto count = context.Call("count", {});
    ASSERT_TRUE(count.ok()) << count.error().message();
    EXPECT_EQ(count->front().elements<float>()->front(), i);
  }
}

TEST(RuntimeParameters, ComeFromEverywhere) {
  auto module = Module::Load("tests/modules/3.13/parameters.vmfb");
  for (const char* driver : {"local-sync", "local-task"}) {
    auto device = Device::Open(driver);
    for (const Way& way : Ways()) {
      SCOPED_TRACE(std::string(driver) + " " + way.name);
      const auto weights = std::make_unique<Weights>();
      int released = 0;
      {
        Parameters parameters;
        auto added = way.add(parameters, *weights, released);
        ASSERT_TRUE(added.ok()) << added.error().message();
        for (int i = 0; i < 2; ++i) {
          auto context =
              Context::Create(*device, *module, {.parameters = &parameters});
          ASSERT_TRUE(context.ok()) << context.error().message();
          CheckModule(*context, 1);
          if (i == 0) continue;
          // Contexts keep what they use.
          parameters = Parameters();
          EXPECT_EQ(released, 0);
          CheckModule(*context, 3);
        }
      }
      EXPECT_EQ(released, way.name == std::string("bytes") ||
                                  way.name == std::string("lent bytes")
                              ? 3
                              : 0);
      EXPECT_EQ(weights->m[4094], 0);
    }
  }
}

// Constants that are used in place take no memory of the context, and a
// variable does.
TEST(RuntimeParameters, ConstantsAreUsedInPlace) {
  auto device = Device::Open("local-sync");
  auto module = Module::Load("tests/modules/3.13/parameters.vmfb");
  uint64_t used[2] = {};
  for (const MemoryUse use : {MemoryUse::kCopy, MemoryUse::kLendConst}) {
    const auto weights = std::make_unique<Weights>();
    int released = 0;
    Parameters parameters;
    ASSERT_TRUE(AddBytes(parameters, *weights, use, released));
    auto context = Context::Create(
        *device, *module, {.max_memory = 1 << 20, .parameters = &parameters});
    ASSERT_TRUE(context.ok()) << context.error().message();
    used[static_cast<int>(use)] = context->usage().memory;
  }
  EXPECT_GE(used[1], 32768u);
  EXPECT_GE(used[0], used[1] + sizeof(Weights::w) + sizeof(Weights::b));
}

TEST(RuntimeParameters, Errors) {
  Parameters parameters;
  int released = 0;
  const std::byte none[1] = {};
  const auto count = [&released] { ++released; };
  const auto text = [](const Result<void>& result) {
    return result ? "OK" : result.error().message();
  };
  EXPECT_EQ(text(parameters.AddBytes("k", none)), "OK");
  const struct {
    Result<void> result;
    std::string want;
  } kRows[] = {
      // The first one is used.
      {parameters.AddBytes("k", none), "OK"},
      {parameters.AddBytes("l", none, "", static_cast<MemoryUse>(2), count),
       "The use of memory (2) is not copy (0) or lend const (1)."},
      {parameters.AddMemory(none, "", MemoryUse::kCopy, count),
       "The file (1 bytes) is not a .irpa, .safetensors or .gguf file. "
       "(parameter file in memory)"},
      {parameters.AddFile("/nowhere/w.irpa"),
       "Cannot open /nowhere/w.irpa: No such file or directory."},
      {parameters.AddDescriptor(-1),
       "Descriptor -1 is not an open regular file."},
  };
  for (const auto& row : kRows) EXPECT_EQ(text(row.result), row.want);
  EXPECT_EQ(released, 2);

  // A reader's error fails the initializer.
  auto device = Device::Open("local-task");
  auto module = Module::Load("tests/modules/3.13/parameters.vmfb");
  for (const char* scope : {"model", ""}) {
    for (const char* key : {"w", "b", "m"}) {
      const auto fail = [](uint64_t, std::span<std::byte>) -> Result<void> {
        return Error(EYRIE_DATA_LOSS, "The disk is gone.");
      };
      EXPECT_TRUE(
          parameters.AddReader(key, *key == 'm' ? 32768 : 16, fail, scope));
    }
  }
  auto context = Context::Create(*device, *module, {.parameters = &parameters});
  ASSERT_FALSE(context.ok());
  EXPECT_EQ(context.error().code(), EYRIE_DATA_LOSS);
  EXPECT_EQ(context.error().message().substr(0, 17), "The disk is gone.");
}

}  // namespace
}  // namespace eyrie
