// Builds executable FlatBuffers for tests from plain structs.
#ifndef EYRIE_HAL_VULKAN_EXECUTABLE_BUILDER_H_
#define EYRIE_HAL_VULKAN_EXECUTABLE_BUILDER_H_

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "flatbuffers/flatbuffers.h"
#include "hal/vulkan/executable_generated.h"
#include "hal/vulkan/spirv_text.h"

namespace eyrie::hal::vulkan {

// How buffers are passed by address.
struct AddressedPart {
  uint32_t alignment;
  uint64_t length;
};
struct AddressesPart {
  uint32_t version = 1;
  uint32_t root_offset = 0;
  uint32_t root_length = 32;
  uint32_t constants_offset = 32;
  uint32_t constant_count = 2;
  uint8_t entry_type = 0;
  uint32_t binding_count = 2;
  std::vector<AddressedPart> bindings = {{4, 16}, {16, 0}};
};

// One part of each kind, for tests to change. Empty parts are omitted.
struct ExecutableParts {
  struct Binding {
    uint32_t binding;
    uint32_t kind = 7;
    uint32_t count = 1;
    uint32_t stages = 0x20;
  };
  struct Range {
    uint32_t offset;
    uint32_t size;
    uint32_t stages = 0x20;
  };

  std::vector<std::string> shaders = {
      "Capability 1; MemoryModel 0 1; EntryPoint 5 1 'main';"
      "ExecutionMode 1 17 8 2 1; Decorate 4 34 0; Decorate 4 33 1;"
      "Variable 3 4 12"};
  std::vector<uint32_t> words;  // if not empty, replaces the first shader
  std::vector<Binding> bindings = {{0}, {1}};
  std::vector<uint32_t> sets = {0};
  std::vector<Range> ranges = {{0, 8}};
  std::vector<std::string> exports = {"main"};
  uint32_t shader_module = 0;
  uint32_t layout = 0;
  uint32_t subgroup_size = 0;
  std::string source_file;
  uint8_t dispatch_abi = 0;
  std::optional<AddressesPart> addresses;

  // Returns parts that pass buffers by address.
  static ExecutableParts Addressing();

  std::vector<uint8_t> Build() const;
};

inline ExecutableParts ExecutableParts::Addressing() {
  ExecutableParts parts;
  parts.shaders[0] =
      "Capability 1; Capability 5347; MemoryModel 5348 1;"
      "EntryPoint 5 1 'main'; ExecutionMode 1 17 64 1 1";
  parts.sets = {};
  parts.ranges = {{0, 40}};
  parts.dispatch_abi = 1;
  parts.addresses.emplace();
  return parts;
}

inline std::vector<uint8_t> ExecutableParts::Build() const {
  flatbuffers::FlatBufferBuilder to;
  std::vector<flatbuffers::Offset<fbs::Binding>> set;
  for (const Binding& b : bindings) {
    set.push_back(fbs::CreateBinding(to, b.binding, b.kind, b.count, b.stages));
  }
  const auto set_layout = fbs::CreateSetLayoutDirect(to, &set);
  std::vector<fbs::PushConstantRange> pushed;
  for (const Range& r : ranges) {
    pushed.emplace_back(r.stages, r.offset, r.size);
  }
  const auto pipeline_layout = fbs::CreatePipelineLayoutDirect(
      to, sets.empty() ? nullptr : &sets, pushed.empty() ? nullptr : &pushed);
  std::vector<flatbuffers::Offset<fbs::ShaderModule>> modules;
  for (const std::string& text : shaders) {
    const bool is_given = modules.empty() && !words.empty();
    const std::vector<uint32_t> all = is_given ? words : AssembleSpirv(text);
    modules.push_back(fbs::CreateShaderModuleDirect(
        to, text.empty() && !is_given ? nullptr : &all));
  }
  flatbuffers::Offset<fbs::AddressLayout> address_layout;
  if (addresses) {
    std::vector<flatbuffers::Offset<fbs::AddressedBinding>> addressed;
    for (const AddressedPart& b : addresses->bindings) {
      addressed.push_back(
          fbs::CreateAddressedBinding(to, b.alignment, b.length));
    }
    address_layout = fbs::CreateAddressLayoutDirect(
        to, addresses->version, addresses->root_offset, addresses->root_length,
        addresses->constants_offset, addresses->constant_count,
        addresses->entry_type, addresses->binding_count,
        addressed.empty() ? nullptr : &addressed);
  }
  flatbuffers::Offset<fbs::ExportSource> source;
  if (!source_file.empty()) {
    source = fbs::CreateExportSource(
        to, 0, fbs::CreateSourceLocationDirect(to, source_file.c_str(), 12));
  }
  std::vector<flatbuffers::Offset<fbs::Pipeline>> pipelines;
  for (const std::string& name : exports) {
    pipelines.push_back(fbs::CreatePipelineDirect(
        to, shader_module, name.empty() ? nullptr : name.c_str(), layout,
        subgroup_size, source, dispatch_abi, address_layout));
  }
  const std::vector set_layouts = {set_layout};
  const std::vector layouts = {pipeline_layout};
  fbs::FinishExecutableBuffer(
      to, fbs::CreateExecutableDirect(to, &pipelines, &set_layouts, &layouts,
                                      &modules));
  return {to.GetBufferPointer(), to.GetBufferPointer() + to.GetSize()};
}

// Adds the header that 3.9 and later write before the FlatBuffer.
inline std::vector<uint8_t> WithHeader(const std::vector<uint8_t>& flatbuffer) {
  std::vector<uint8_t> bytes(64);
  const uint64_t size = flatbuffer.size();
  std::memcpy(bytes.data(), "VKE1", 4);
  std::memcpy(bytes.data() + 8, &size, sizeof(size));
  bytes.insert(bytes.end(), flatbuffer.begin(), flatbuffer.end());
  return bytes;
}

}  // namespace eyrie::hal::vulkan

#endif  // EYRIE_HAL_VULKAN_EXECUTABLE_BUILDER_H_
