// Tests executables of releases before 20240828: both schemas, with the
// module's layouts and with those that the shaders imply.
#include "hal/vulkan/older_executable.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "flatbuffers/flatbuffers.h"
#include "gtest/gtest.h"
#include "hal/vulkan/executable_def.h"
#include "hal/vulkan/older_executable_generated.h"
#include "hal/vulkan/spirv_text.h"
#include "tests/support/status_text.h"

namespace eyrie::hal::vulkan {
namespace {

using Bytes = std::vector<uint8_t>;

// A shader with the entry point 'main' that uses binding 1 of set 0.
std::vector<uint32_t> Shader() {
  return AssembleSpirv(
      "Capability 1; MemoryModel 0 1; EntryPoint 5 1 'main';"
      "ExecutionMode 1 17 8 2 1; Decorate 4 34 0; Decorate 4 33 1;"
      "Variable 3 4 12");
}

template <typename Root>
Bytes Finish(flatbuffers::FlatBufferBuilder& to,
             flatbuffers::Offset<Root> root) {
  to.Finish(root, "SPVE");
  return {to.GetBufferPointer(), to.GetBufferPointer() + to.GetSize()};
}

Bytes OneShader(const std::vector<std::string>& names) {
  flatbuffers::FlatBufferBuilder to;
  const auto entries = to.CreateVectorOfStrings(names);
  const std::vector<uint32_t> sizes = {16};
  const auto subgroups = to.CreateVector(sizes);
  const auto code = to.CreateVector(Shader());
  return Finish(to, older_fbs::CreateOneShader(to, entries, subgroups, code));
}

// Returns an executable whose entry points share one name.
Bytes SharedName(uint32_t entry_points) {
  flatbuffers::FlatBufferBuilder to;
  const auto name = to.CreateString("main");
  const std::vector names(entry_points, name);
  const auto entries = to.CreateVector(names);
  const auto code = to.CreateVector(Shader());
  return Finish(to, older_fbs::CreateOneShader(to, entries, 0, code));
}

// `modules` is the index of each entry point's shader; there is one shader.
Bytes ManyShaders(const std::vector<std::string>& names,
                  const std::vector<uint32_t>& modules) {
  flatbuffers::FlatBufferBuilder to;
  const auto entries = to.CreateVectorOfStrings(names);
  const auto indices = to.CreateVector(modules);
  const std::vector<flatbuffers::Offset<older_fbs::ShaderModule>> shaders = {
      older_fbs::CreateShaderModule(to, to.CreateVector(Shader()))};
  const std::vector<flatbuffers::Offset<older_fbs::SourceLocation>> sources = {
      older_fbs::CreateSourceLocation(to, to.CreateString("a.mlir"), 7)};
  const auto all = to.CreateVector(shaders);
  const auto places = to.CreateVector(sources);
  return Finish(
      to, older_fbs::CreateManyShaders(to, entries, 0, indices, all, places));
}

Ref<hal::PipelineLayout> Layout(uint32_t constants,
                                std::vector<hal::DescriptorBinding> bindings) {
  return Ref<hal::PipelineLayout>::Adopt(
      new hal::PipelineLayout(constants, std::move(bindings)));
}

// Returns "main constants 2 bindings 0s 1u ...", or the error.
std::string Read(const Bytes& bytes,
                 std::vector<Ref<hal::PipelineLayout>> layouts) {
  const absl::StatusOr<ExecutableDef> def = ReadExecutable(bytes, layouts);
  if (!def.ok()) return StatusText(def);
  std::string text;
  for (const PipelineDef& pipeline : def->pipelines) {
    absl::StrAppend(&text, text.empty() ? "" : "; ", pipeline.name,
                    " constants ", pipeline.constant_count, " bindings");
    for (const DescriptorBinding& binding :
         def->layouts[pipeline.layout].bindings) {
      absl::StrAppend(
          &text, " ", binding.binding,
          binding.kind == DescriptorKind::kStorageBuffer ? "s" : "u");
    }
    if (pipeline.subgroup_size != 0) {
      absl::StrAppend(&text, " subgroups of ", pipeline.subgroup_size);
    }
    if (!pipeline.source_file.empty()) {
      absl::StrAppend(&text, " ", pipeline.source_file, ":",
                      pipeline.source_line);
    }
  }
  return text;
}

TEST(OlderExecutable, Reads) {
  const Bytes one = OneShader({"main"});
  const Bytes many = ManyShaders({"main"}, {0});
  EXPECT_TRUE(IsOlderExecutable(one));
  EXPECT_FALSE(IsOlderExecutable({one.data(), 7}));
  const auto layout =
      Layout(2, {{0, 0, hal::kUniformBuffer}, {0, 1, hal::kStorageBuffer}});
  EXPECT_EQ(Read(one, {layout}),
            "main constants 2 bindings 0u 1s subgroups of 16");
  EXPECT_EQ(Read(many, {layout}), "main constants 2 bindings 0u 1s a.mlir:7");
  EXPECT_EQ(Read(ManyShaders({"main", "main"}, {0, 0}), {layout, layout}),
            "main constants 2 bindings 0u 1s a.mlir:7; "
            "main constants 2 bindings 0u 1s");
}

TEST(OlderExecutable, Refuses) {
  const auto layout = Layout(0, {{0, 1, hal::kStorageBuffer}});
  const struct {
    Bytes bytes;
    std::vector<Ref<hal::PipelineLayout>> layouts;
    const char* want;
  } kCases[] = {
      {OneShader({"main"}),
       {layout, layout},
       "INVALID_ARGUMENT: The Vulkan executable has 1 entry points; the module "
       "gives 2 layouts."},
      {OneShader({"main"}),
       {Layout(0, {{1, 1, hal::kStorageBuffer}})},
       "UNIMPLEMENTED: The Vulkan executable's layout has descriptor set 1; "
       "kernels have one set, 0."},
      {OneShader({"other"}),
       {layout},
       "INVALID_ARGUMENT: The Vulkan executable's shader module 0 has no entry "
       "point 'other'. (export 0)"},
      {ManyShaders({"main"}, {1}),
       {layout},
       "INVALID_ARGUMENT: The Vulkan executable has no shader module for entry "
       "point 0."},
      {ManyShaders({"main", "main"}, {0}),
       {layout, layout},
       "INVALID_ARGUMENT: The Vulkan executable has no shader module for entry "
       "point 1."},
  };
  for (const auto& c : kCases) EXPECT_EQ(Read(c.bytes, c.layouts), c.want);
}

// Small files whose parts are shared must not take much memory.
TEST(OlderExecutable, LimitsSharedParts) {
  std::vector<hal::DescriptorBinding> wide;
  for (uint32_t i = 0; i < 256; ++i) {
    wide.push_back({0, i, hal::kStorageBuffer});
  }
  const struct {
    uint32_t entry_points;
    std::vector<hal::DescriptorBinding> bindings;
    const char* want;
  } kCases[] = {
      {65537,
       {},
       "RESOURCE_EXHAUSTED: The Vulkan executable has 65537 entry points; the "
       "limit is 65536."},
      {4097, wide,
       "RESOURCE_EXHAUSTED: The Vulkan executable has 1048832 bindings in all; "
       "the limit is 1048576."},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(Read(SharedName(c.entry_points),
                   std::vector(c.entry_points, Layout(0, c.bindings))),
              c.want);
  }
}

// Changing any byte is harmless or refused.
TEST(OlderExecutable, SurvivesDamage) {
  const auto layout = Layout(0, {{0, 1, hal::kStorageBuffer}});
  for (const Bytes& file :
       {OneShader({"main"}), ManyShaders({"main", "main"}, {0, 0})}) {
    const std::vector<Ref<hal::PipelineLayout>> layouts(
        file == OneShader({"main"}) ? 1 : 2, layout);
    int refused = 0;
    for (size_t i = 8; i < file.size(); ++i) {
      Bytes damaged = file;
      damaged[i] ^= 0x41;
      refused += !ReadExecutable(damaged, layouts).ok();
      damaged.resize(i);
      refused += !ReadExecutable(damaged, layouts).ok();
    }
    EXPECT_GT(refused, 100);
  }
}

}  // namespace
}  // namespace eyrie::hal::vulkan
