// Tests loading and running executables, their tables, damaged files, and
// machines that lack features.
#include "hal/cpu/executable.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/ref.h"
#include "gtest/gtest.h"
#include "hal/cpu/code_places.h"
#include "hal/cpu/dispatch_abi.h"
#include "hal/cpu/image.h"
#include "hal/cpu/library.h"
#include "hal/cpu/library_executable.h"
#include "hal/cpu/machine/cpu_features.h"
#include "hal/cpu/machine/instruction_set.h"
#include "hal/cpu/native_executable.h"
#include "hal/driver.h"
#include "hal/executable.h"
#include "tests/support/executable_file.h"
#include "tests/support/status_text.h"

namespace eyrie::hal::cpu {
namespace {

const absl::string_view kEmbedded = ThisInstructionSet().embedded_format;
const absl::string_view kSystem = ThisInstructionSet().system_format;

absl::StatusOr<Ref<hal::Executable>> Load(
    const std::vector<uint8_t>& file, FeatureSet machine = MachineFeatures(),
    absl::string_view format = kEmbedded, const DriverOptions& options = {}) {
  return LoadExecutable({.format = format, .data = file, .constants = {}},
                        options, machine);
}

// Returns a line "name (constants, bindings) size memory" per export.
std::string Describe(const hal::Executable& executable) {
  std::string text;
  const auto& kernels =
      static_cast<const NativeExecutable&>(executable).kernels();
  for (size_t i = 0; i < executable.exports().size(); ++i) {
    const ExportInfo& info = executable.exports()[i];
    absl::StrAppend(&text, info.name, " (", info.constant_count, ", ",
                    info.binding_count, ") ", info.workgroup_size[0], "x",
                    info.workgroup_size[1], "x", info.workgroup_size[2], " ",
                    kernels[i].local_memory_size, "\n");
  }
  return text;
}

TEST(Executable, PlacesOfItsCode) {
  auto executable = Load(TestFile("add_v6"));
  ASSERT_EQ(StatusText(executable), "OK");
  const auto& library = static_cast<const LibraryExecutable&>(**executable);
  const auto kernel =
      reinterpret_cast<uintptr_t>(library.kernels()[0].function);
  const auto place = FindCodePlace(kernel + 1);
  ASSERT_TRUE(place.has_value());
  EXPECT_EQ(place->kernel, "add_dispatch_0_elementwise_16_f32");
  EXPECT_EQ(place->address, kernel + 1 - library.image().bias());
  EXPECT_EQ(FindCodePlace(reinterpret_cast<uintptr_t>(&library)), std::nullopt);
  *executable = nullptr;
  EXPECT_EQ(FindCodePlace(kernel + 1), std::nullopt);
}

TEST(Executable, Exports) {
  const InstructionSet* const kAny = &ThisInstructionSet();
  const struct {
    const InstructionSet* set;
    const char* file;
    const char* want;
  } kCases[] = {
      {kAny, "add_v5", " (0, 3) 1x1x1 0\n"},  // built without names
      {kAny, "add_v6", "add_dispatch_0_elementwise_16_f32 (0, 3) 1x1x1 0\n"},
      {&kAArch64, "matmul_v5", " (0, 3) 1x1x1 0\n"},
      {&kRiscv64, "matmul_v5", " (0, 3) 1x1x1 0\n"},
      {&kX86_64, "matmul_v5",
       " (0, 2) 1x1x1 0\n (0, 2) 1x1x1 0\n (0, 2) 1x1x1 0\n"
       " (0, 2) 1x1x1 0\n"},
      {kAny, "matmul_v6",
       "matmul_dispatch_0_matmul_128x128x256_i8xi8xi32 (0, 2) 1x1x1 0\n"
       "_encoding_0_encode_128x256xi8_to_128x256xi8 (0, 2) 1x1x1 0\n"
       "_encoding_1_encode_256x128xi8_to_256x128xi8 (0, 2) 1x1x1 0\n"},
  };
  for (const auto& c : kCases) {
    if (c.set != kAny) continue;
    auto executable = Load(TestFile(c.file));
    ASSERT_EQ(StatusText(executable), "OK") << c.file;
    EXPECT_EQ(Describe(**executable), c.want) << c.file;
    const auto& library = static_cast<const LibraryExecutable&>(**executable);
    EXPECT_TRUE(library.image().IsCode(
        reinterpret_cast<uintptr_t>(library.kernels()[0].function)));
    EXPECT_FALSE(library.name().empty());
  }
}

// Adds sixteen pairs of numbers with the first export.
std::string RunAdd(const hal::Executable& executable) {
  alignas(64) float a[16], b[16], sum[16] = {};
  for (int i = 0; i < 16; ++i) {
    a[i] = static_cast<float>(i);
    b[i] = 100;
  }
  void* const bindings[] = {a, b, sum};
  const size_t lengths[] = {64, 64, 64};
  DispatchState dispatch = {};
  dispatch.workgroup_size_x = dispatch.workgroup_size_y =
      dispatch.workgroup_size_z = 1;
  dispatch.workgroup_count_x = dispatch.workgroup_count_y =
      dispatch.workgroup_count_z = 1;
  dispatch.max_concurrency = 1;
  dispatch.binding_count = 3;
  dispatch.binding_pointers = bindings;
  dispatch.binding_lengths = lengths;
  const WorkgroupState workgroup = {};
  const auto& library = static_cast<const NativeExecutable&>(executable);
  const int code = library.kernels()[0].function(&library.environment(),
                                                 &dispatch, &workgroup);
  return absl::StrCat(code, ": ", sum[0], " ", sum[1], " ", sum[15]);
}

TEST(Executable, Runs) {
  const struct {
    const char* file;
    bool runs;
  } kCases[] = {
      {"add_v5", true},
      {"add_v6", true},
      {"add_avx512", MachineFeatures().Has(Feature::kAvx512F)},
      {"add_vector", MachineFeatures().Has(Feature::kRiscvV)},
  };
  for (const auto& [file, runs] : kCases) {
    if (!runs) continue;
    auto executable = Load(TestFile(file));
    ASSERT_EQ(StatusText(executable), "OK") << file;
    EXPECT_EQ(RunAdd(**executable), "0: 100 101 115") << file;
  }
}

TEST(Executable, SystemLibrariesOnRequestOnly) {
  const std::vector<uint8_t> file = TestFile("add_system");
  EXPECT_EQ(StatusText(Load(file, MachineFeatures(), kSystem)),
            absl::StrCat("UNIMPLEMENTED: Executables of the format '", kSystem,
                         "' are loaded by the system's linker, which needs "
                         "--allow_system_executables."));
  DriverOptions options;
  options.allow_system_executables = true;
  // Load two at once: the linker must not take one for the other.
  auto one = Load(file, MachineFeatures(), kSystem, options);
  auto two = Load(file, MachineFeatures(), kSystem, options);
  ASSERT_EQ(StatusText(one), "OK");
  ASSERT_EQ(StatusText(two), "OK");
  EXPECT_NE(static_cast<NativeExecutable&>(**one).kernels()[0].function,
            static_cast<NativeExecutable&>(**two).kernels()[0].function);
  EXPECT_EQ(RunAdd(**one), "0: 100 101 115");
  EXPECT_EQ(RunAdd(**two), "0: 100 101 115");
}

TEST(Executable, Formats) {
  DriverOptions system;
  system.allow_system_executables = true;
  DriverOptions none;
  none.allow_native_code = false;
  const struct {
    absl::string_view format;
    const DriverOptions options;
    bool want;
  } kCases[] = {
      {kEmbedded, {}, true},
      {kSystem, {}, false},
      {kSystem, system, true},
      {kEmbedded, none, false},
      {"embedded-elf-x86_32", {}, false},
      {"", {}, false},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(SupportsFormat(c.format, c.options), c.want) << c.format;
  }
  const std::vector<uint8_t> file = TestFile("add_v6");
  EXPECT_EQ(StatusText(Load(file, MachineFeatures(), "embedded-elf-x86_32")),
            absl::StrCat("UNIMPLEMENTED: Executables of the format "
                         "'embedded-elf-x86_32' do not run here; formats that "
                         "run: ",
                         kEmbedded, "."));
  EXPECT_EQ(
      StatusText(Load(file, MachineFeatures(), kEmbedded, none)),
      absl::StrCat("UNIMPLEMENTED: Executables of the format '", kEmbedded,
                   "' are native code, which is not allowed here."));
}

TEST(Executable, CpuFeatures) {
  constexpr FeatureSet kAvx2 = {
      Feature::kSse3,   Feature::kSsse3, Feature::kSse41, Feature::kSse42,
      Feature::kPopcnt, Feature::kAvx,   Feature::kAvx2,  Feature::kFma};
  const struct {
    const InstructionSet& set;
    const char* file;
    FeatureSet machine;
    const char* want;
  } kCases[] = {
      {kX86_64, "add_v6", FeatureSet(), "OK"},
      {kX86_64, "add_avx512", kX86_64.features, "OK"},
      {kX86_64, "add_avx512", kAvx2,
       "UNIMPLEMENTED: The executable uses CPU features that this machine "
       "lacks (avx512f) in 'add_dispatch_0_elementwise_16_f32'."},
      {kX86_64, "add_avx512", FeatureSet(),
       "UNIMPLEMENTED: The executable uses CPU features that this machine "
       "lacks (avx, avx512f) in 'add_dispatch_0_elementwise_16_f32'."},
      // Contains code for AVX2, but chooses it at run time.
      {kX86_64, "matmul_v5", FeatureSet(), "OK"},
      {kAArch64, "add_v6", FeatureSet(), "OK"},
      {kAArch64, "matmul_v6", FeatureSet(), "OK"},
      {kAArch64, "matmul_i8mm", kAArch64.features, "OK"},
      {kAArch64,
       "matmul_i8mm",
       {Feature::kArmDotProd},
       "UNIMPLEMENTED: The executable uses CPU features that this machine "
       "lacks (i8mm) in 'matmul_dispatch_0_matmul_128x128x256_i8xi8xi32'."},
      {kRiscv64, "add_v6", FeatureSet(), "OK"},
      {kRiscv64, "matmul_v6", FeatureSet(), "OK"},
      {kRiscv64, "add_vector", kRiscv64.features, "OK"},
      {kRiscv64,
       "add_vector",
       {Feature::kRiscvZfh},
       "UNIMPLEMENTED: The executable uses CPU features that this machine "
       "lacks (v) in 'add_dispatch_0_elementwise_16_f32'."},
  };
  for (const auto& c : kCases) {
    if (&c.set != &ThisInstructionSet()) continue;
    EXPECT_EQ(StatusText(Load(TestFile(c.file), c.machine)), c.want) << c.file;
  }
}

TEST(Executable, ConstantsAreCounted) {
  const std::vector<uint8_t> file = TestFile("add_v6");
  const uint32_t constants[] = {1, 2};
  EXPECT_EQ(
      StatusText(LoadExecutable(
          {.format = kEmbedded, .data = file, .constants = constants}, {})),
      "INVALID_ARGUMENT: The executable takes 0 specialization constants; 2 "
      "are given.");
}

// Loading a file with wrong bits outside the machine code does not crash,
// although it runs the library's query function.
TEST(Executable, FlippedBits) {
  for (const char* name : {"add_v6", "matmul_v5"}) {
    std::vector<uint8_t> file = TestFile(name);
    // The third program header describes the segment with the code.
    uint64_t code[5];  // offset, addresses, file size, memory size
    std::memcpy(code, file.data() + 0x40 + size_t{2} * 56 + 8, sizeof(code));
    int refused = 0;
    for (size_t at = 0; at < file.size(); ++at) {
      if (at >= code[0] && at < code[0] + code[3]) continue;
      for (const uint8_t bits : {0x01, 0x80, 0xFF}) {
        file[at] ^= bits;
        refused += Load(file).ok() ? 0 : 1;
        file[at] ^= bits;
      }
    }
    EXPECT_GT(refused, 500) << name;
    EXPECT_EQ(StatusText(Load(file)), "OK") << name;
  }
}

// A library in the test's memory, which the tests damage.
class FakeImage final : public Image {
 public:
  FakeImage() {
    ranges_ = {{{reinterpret_cast<const uint8_t*>(&data), sizeof(data)}, false},
               {{code, sizeof(code)}, true}};
    data.header.version = 6;
    data.header.name = data.name;
    data.attributes5[0].local_memory_pages = 2;
    data.attributes5[1].constant_count = 1;
    DispatchAttributesV6& attributes = data.attributes6[0];
    attributes.local_memory_pages = 1;
    attributes.constant_count = 2;
    attributes.binding_count = 3;
    attributes.workgroup_size_x = 4;
    attributes.workgroup_size_y = 5;
    attributes.workgroup_size_z = 6;
    data.library.header = data.library5.header = &data.header;
    data.library3.header = data.library4.header = &data.header;
    data.library3.exports = {2,          data.functions, data.attributes3,
                             data.names, nullptr,        nullptr};
    data.library4.exports = {2,       data.functions, nullptr, data.names,
                             nullptr, nullptr,        nullptr};
    data.library4.constants.count = 4;
    data.attributes3[1].local_memory_pages = 3;
    data.library.imports = {2, data.imports};
    data.library.exports.count = data.library5.exports.count = 2;
    data.library.exports.functions = data.functions;
    data.library.exports.attributes = data.attributes6;
    data.library.exports.names = data.names;
    data.library5.exports.functions = data.functions;
    data.library5.exports.attributes = data.attributes5;
    data.library5.exports.names = data.names;
    data.library.constants.count = 7;
  }
  absl::StatusOr<Function> FindFunction(absl::string_view) const override {
    return absl::NotFoundError("A fake has no functions.");
  }

  static DispatchFunction CodeAt(size_t offset) {
    return reinterpret_cast<DispatchFunction>(
        reinterpret_cast<uintptr_t>(code + offset));
  }

  static constexpr uint8_t code[32] = {};
  struct Data {
    char name[8] = "library";
    char first[4] = "one", second[4] = "two", required[8] = "erf_v1",
         optional[8] = "?erf_v2";
    LibraryHeader header = {};
    DispatchFunction functions[2] = {CodeAt(0), CodeAt(16)};
    DispatchAttributesV3 attributes3[2] = {};
    DispatchAttributesV5 attributes5[2] = {};
    DispatchAttributesV6 attributes6[2] = {};
    const char* names[2] = {first, second};
    const char* imports[2] = {optional, required};
    LibraryV6 library = {};
    LibraryV5 library5 = {};
    LibraryV4 library4 = {};
    LibraryV3 library3 = {};
  } data;
};

std::string Describe(const absl::StatusOr<Library>& library) {
  if (!library.ok()) return StatusText(library);
  std::string text = absl::StrCat(library->name, " ", library->constant_count);
  for (const absl::string_view name : library->imports) {
    absl::StrAppend(&text, " ", name);
  }
  for (const LibraryExport& entry : library->exports) {
    const auto count = [](uint32_t declared) {
      return declared == ExportInfo::kUndeclared ? "?" : absl::StrCat(declared);
    };
    absl::StrAppend(&text, " ", entry.name, "(", count(entry.constant_count),
                    ", ", count(entry.binding_count), ", ",
                    entry.local_memory_size, ", ", entry.workgroup_size[0], "x",
                    entry.workgroup_size[1], "x", entry.workgroup_size[2], ")");
  }
  return text;
}

TEST(Library, Tables) {
  FakeImage image;
  EXPECT_EQ(Describe(ReadLibrary(image, 6, &image.data.library.header)),
            "library 7 ?erf_v2 erf_v1 one(2, 3, 4096, 4x5x6) "
            "two(0, 0, 0, 1x1x1)");
  image.data.header.version = 5;
  EXPECT_EQ(Describe(ReadLibrary(image, 5, &image.data.library5.header)),
            "library 0 one(0, 0, 8192, 1x1x1) two(1, 0, 0, 1x1x1)");
  image.data.library5.exports.attributes = nullptr;
  image.data.library5.exports.names = nullptr;
  EXPECT_EQ(Describe(ReadLibrary(image, 5, &image.data.library5.header)),
            "library 0 (0, 0, 0, 1x1x1) (0, 0, 0, 1x1x1)");
  image.data.header.version = 4;
  EXPECT_EQ(Describe(ReadLibrary(image, 4, &image.data.library4.header)),
            "library 4 one(?, ?, 0, 1x1x1) two(?, ?, 0, 1x1x1)");
  image.data.header.version = 3;
  EXPECT_EQ(Describe(ReadLibrary(image, 3, &image.data.library3.header)),
            "library 0 one(?, ?, 0, 1x1x1) two(?, ?, 12288, 1x1x1)");
}

TEST(Library, DamagedTables) {
  using Data = FakeImage::Data;
  static const char kElsewhere[] = "elsewhere";
  const struct {
    void (*damage)(Data&);
    const char* want;
  } kCases[] = {
      {[](Data& d) { d.header.version = 4; },
       "INVALID_ARGUMENT: The executable answers for library version 6 with "
       "version 4."},
      {[](Data& d) { d.header.features = 0x30; },
       "UNIMPLEMENTED: The executable needs library features 30h; none are "
       "known."},
      {[](Data& d) { d.header.sanitizer = 3; },
       "UNIMPLEMENTED: The executable is compiled with sanitizer thread, which "
       "has no counterpart here."},
      {[](Data& d) { d.header.sanitizer = 77; },
       "UNIMPLEMENTED: The executable is compiled with sanitizer 77, which has "
       "no counterpart here."},
      {[](Data& d) { d.library.header = nullptr; },
       "INVALID_ARGUMENT: The executable's library header lies outside its "
       "image."},
      {[](Data& d) { d.header.name = kElsewhere; },
       "INVALID_ARGUMENT: The executable's library name lies outside its "
       "image."},
      {[](Data& d) { d.library.imports.symbols = nullptr; },
       "INVALID_ARGUMENT: The executable's table of import names lies outside "
       "its image."},
      {[](Data& d) { d.library.imports.count = 1 << 20; },
       "RESOURCE_EXHAUSTED: The executable has 1048576 imports; the limit is "
       "65536."},
      {[](Data& d) { d.library.exports.count = ~0u; },
       "RESOURCE_EXHAUSTED: The executable has 4294967295 exports; the limit "
       "is 65536."},
      {[](Data& d) { d.library.exports.count = 2000; },
       "INVALID_ARGUMENT: The executable's export 2 lies outside its code."},
      {[](Data& d) { d.library.exports.functions = nullptr; },
       "INVALID_ARGUMENT: The executable's table of functions lies outside its "
       "image."},
      {[](Data& d) { d.functions[1] = nullptr; },
       "INVALID_ARGUMENT: The executable's export 1 lies outside its code."},
      {[](Data& d) { d.library.exports.attributes = nullptr; },
       "INVALID_ARGUMENT: The executable's table of attributes lies outside "
       "its image."},
      {[](Data& d) { d.attributes6[1].constant_count = 65; },
       "INVALID_ARGUMENT: The executable's export 1 takes 65 constants and 0 "
       "bindings; the limits are 64 and 64."},
      {[](Data& d) { d.attributes6[0].binding_count = 255; },
       "INVALID_ARGUMENT: The executable's export 0 takes 2 constants and 255 "
       "bindings; the limits are 64 and 64."},
      {[](Data& d) { d.names[0] = kElsewhere; },
       "INVALID_ARGUMENT: The executable's export name lies outside its "
       "image."},
      {[](Data& d) {
         // A name that runs to the end of the image.
         char* bytes = reinterpret_cast<char*>(&d);
         d.names[0] = bytes + sizeof(d) - 3;
         std::fill_n(bytes + sizeof(d) - 8, 8, 'x');
       },
       "INVALID_ARGUMENT: The executable's export name is not terminated: no "
       "zero byte follows."},
  };
  for (const auto& c : kCases) {
    FakeImage image;
    c.damage(image.data);
    EXPECT_EQ(Describe(ReadLibrary(image, 6, &image.data.library.header)),
              c.want);
  }
  const FakeImage image;
  EXPECT_EQ(Describe(ReadLibrary(image, 6, nullptr)),
            "INVALID_ARGUMENT: The executable's library lies outside its "
            "image.");
}

}  // namespace
}  // namespace eyrie::hal::cpu
