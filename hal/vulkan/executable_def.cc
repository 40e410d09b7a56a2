// Decodes and checks the FlatBuffer of an executable.
#include "hal/vulkan/executable_def.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/allocate.h"
#include "base/byte_reader.h"
#include "base/checked_math.h"
#include "base/hash_map.h"
#include "base/optional_field.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "flatbuffers/flatbuffers.h"
#include "hal/vulkan/executable_generated.h"
#include "hal/vulkan/executable_limits.h"
#include "hal/vulkan/older_executable.h"

namespace eyrie::hal::vulkan {
namespace {

using Bytes = std::span<const uint8_t>;

constexpr char kMagic[] = "VKE1";
constexpr size_t kHeaderSize = 64;
constexpr size_t kLeastFlatBuffer = 8;  // root offset, identifier

constexpr uint32_t kComputeStage = 0x20;    // VkShaderStageFlagBits
constexpr uint32_t kUniformDescriptor = 6;  // VkDescriptorType
constexpr uint32_t kStorageDescriptor = 7;  // VkDescriptorType
constexpr uint32_t kAddressLayoutVersion = 1;
constexpr uint8_t kAddressEntries = 0;  // in the table of addresses

// More limits are in executable_limits.h.
constexpr uint32_t kMaxBindings = 256;
constexpr size_t kMaxNameSize = 4096;

template <typename... Args>
absl::Status Invalid(const Args&... args) {
  return absl::InvalidArgumentError(
      absl::StrCat("The Vulkan executable", args...));
}
template <typename... Args>
absl::Status Unimplemented(const Args&... args) {
  return absl::UnimplementedError(
      absl::StrCat("The Vulkan executable", args...));
}

// Returns the FlatBuffer within the data, with or without the header.
absl::StatusOr<Bytes> FindFlatBuffer(Bytes data) {
  const auto has_magic = [data](size_t offset) {
    return data.size() >= offset + 4 &&
           std::memcmp(data.data() + offset, kMagic, 4) == 0;
  };
  if (has_magic(4)) return data;
  if (!has_magic(0)) {
    return Invalid(" of ", data.size(), " bytes has the identifier ", kMagic,
                   " neither at its start nor at byte 4.");
  }
  if (data.size() < kHeaderSize) {
    return Invalid(" ends ", data.size(), " bytes into its header of ",
                   kHeaderSize, ".");
  }
  const auto version = LoadLittleEndian<uint32_t>(data.data() + 4);
  const auto size = LoadLittleEndian<uint64_t>(data.data() + 8);
  if (version != 0) {
    return Unimplemented("'s header is of version ", version, "; 0 is known.");
  }
  data = data.subspan(kHeaderSize);
  if (size < kLeastFlatBuffer || size > data.size()) {
    return Invalid("'s header declares ", size, " bytes; ", data.size(),
                   " follow.");
  }
  return data.first(size);
}

class Reader {
 public:
  absl::StatusOr<ExecutableDef> Read(Bytes data) {
    ASSIGN_OR_RETURN(const Bytes flatbuffer, FindFlatBuffer(data));
    RETURN_IF_ERROR(Verify(flatbuffer));
    RETURN_IF_ERROR(ReadShaderModules(flatbuffer.size()));
    RETURN_IF_ERROR(ReadLayouts());
    RETURN_IF_ERROR(ReadPipelines(flatbuffer.size()));
    return std::move(result_);
  }

 private:
  absl::Status Verify(Bytes flatbuffer);
  absl::Status ReadShaderModules(size_t flatbuffer_size);
  absl::Status ReadLayouts();
  absl::Status ReadPushConstants(const fbs::PipelineLayout& from,
                                 uint32_t index, PipelineLayout& layout);
  absl::Status ReadSet(const fbs::SetLayout& from, uint32_t set_index,
                       PipelineLayout& layout);
  absl::Status ReadPipelines(size_t flatbuffer_size);
  absl::StatusOr<PipelineDef> ReadPipeline(const fbs::Pipeline& from);
  absl::Status ReadAddresses(const fbs::AddressLayout* from,
                             PipelineDef& pipeline);
  absl::Status CheckAddresses(const fbs::AddressLayout& from,
                              const PipelineLayout& layout);
  absl::Status CountBindings(uint32_t count);

  std::vector<uint64_t> copy_;  // if the FlatBuffer is not aligned
  const fbs::Executable* root_ = nullptr;
  uint64_t bindings_ = 0;
  ExecutableDef result_;
};

absl::Status Reader::Verify(Bytes flatbuffer) {
  if (flatbuffer.size() >= FLATBUFFERS_MAX_BUFFER_SIZE) {
    return Unimplemented("'s FlatBuffer has ", flatbuffer.size(),
                         " bytes; the limit is ",
                         FLATBUFFERS_MAX_BUFFER_SIZE - 1, ".");
  }
  if (reinterpret_cast<uintptr_t>(flatbuffer.data()) % sizeof(uint64_t) != 0) {
    RETURN_IF_ERROR(Resize(copy_, flatbuffer.size() / sizeof(uint64_t) + 1,
                           "a FlatBuffer"));
    std::memcpy(copy_.data(), flatbuffer.data(), flatbuffer.size());
    flatbuffer = {reinterpret_cast<const uint8_t*>(copy_.data()),
                  flatbuffer.size()};
  }
  flatbuffers::Verifier::Options limits;
  // Each table except the root needs an offset of 4 bytes that refers to it.
  limits.max_tables = static_cast<uint32_t>(flatbuffer.size() / 4 + 1);
  flatbuffers::Verifier verifier(flatbuffer.data(), flatbuffer.size(), limits);
  if (!fbs::VerifyExecutableBuffer(verifier)) {
    return Invalid(
        "'s FlatBuffer is damaged: an offset or a size in it points outside of "
        "it.");
  }
  root_ = fbs::GetExecutable(flatbuffer.data());
  return absl::OkStatus();
}

absl::Status Reader::ReadShaderModules(size_t flatbuffer_size) {
  uint64_t total = 0;
  for (uint32_t i = 0; i < Size(root_->shader_modules()); ++i) {
    const auto* code = root_->shader_modules()->Get(i)->code();
    // If modules shared words, they would take more memory than the file.
    total += uint64_t{Size(code)} * sizeof(uint32_t);
    RETURN_IF_ERROR(CheckLimit(total, flatbuffer_size, "bytes of shaders"));
    ShaderModule module;
    if (code != nullptr) {
      RETURN_IF_ERROR(Assign(module.words, *code, "a shader"));
    }
    absl::StatusOr<SpirvModule> spirv = ReadSpirv(module.words);
    if (!spirv.ok()) {
      return Annotate(spirv.status(), absl::StrCat("(shader module ", i,
                                                   " of the executable)"));
    }
    module.spirv = *std::move(spirv);
    RETURN_IF_ERROR(
        PushBack(result_.shader_modules, std::move(module), "shaders"));
  }
  return absl::OkStatus();
}

absl::Status Reader::CountBindings(uint32_t count) {
  RETURN_IF_ERROR(CheckLimit(count, kMaxBindings, "bindings in one layout"));
  bindings_ += count;
  return CheckLimit(bindings_, kMaxBindingsInAll, "bindings in all");
}

absl::Status Reader::ReadSet(const fbs::SetLayout& from, uint32_t set_index,
                             PipelineLayout& layout) {
  RETURN_IF_ERROR(CountBindings(Size(from.bindings())));
  layout.has_set = true;
  for (uint32_t i = 0; i < Size(from.bindings()); ++i) {
    const fbs::Binding& binding = *from.bindings()->Get(i);
    const auto where = [&] {
      return absl::StrCat("'s descriptor ", i, " of set layout ", set_index);
    };
    if (binding.kind() != kUniformDescriptor &&
        binding.kind() != kStorageDescriptor) {
      return Unimplemented(where(), " is of kind ", binding.kind(),
                           "; known are uniform (6) and storage buffers (7).");
    }
    if (binding.count() != 1) {
      return Unimplemented(where(), " is an array of ", binding.count(),
                           "; the HAL binds single buffers.");
    }
    if ((binding.stages() & kComputeStage) == 0) {
      return Invalid(where(), " is for the stages ",
                     absl::Hex(binding.stages()), "h, without compute (20h).");
    }
    for (const DescriptorBinding& other : layout.bindings) {
      if (other.binding == binding.binding()) {
        return Invalid(where(), " has the number ", binding.binding(),
                       ", which an earlier binding of the set has too.");
      }
    }
    layout.bindings.push_back(
        {binding.binding(), binding.kind() == kUniformDescriptor
                                ? DescriptorKind::kUniformBuffer
                                : DescriptorKind::kStorageBuffer});
  }
  return absl::OkStatus();
}

absl::Status Reader::ReadPushConstants(const fbs::PipelineLayout& from,
                                       uint32_t index, PipelineLayout& layout) {
  if (Size(from.push_constants()) == 0) return absl::OkStatus();
  if (Size(from.push_constants()) != 1) {
    return Unimplemented("'s layout ", index, " has ",
                         Size(from.push_constants()),
                         " ranges of push constants; kernels have one.");
  }
  const fbs::PushConstantRange& range = *from.push_constants()->Get(0);
  const auto where = [&] {
    return absl::StrCat("'s layout ", index, " has push constants of ",
                        range.size(), " bytes at ", range.offset());
  };
  if ((range.stages() & kComputeStage) == 0) {
    return Invalid(where(), " for the stages ", absl::Hex(range.stages()),
                   "h, without compute (20h).");
  }
  if (range.offset() % 4 != 0 || range.size() % 4 != 0) {
    return Invalid(where(), ", which must be multiples of 4.");
  }
  if (!CheckedAdd(range.offset(), range.size())) {
    return Invalid(where(), ", past the limit of 32 bits.");
  }
  layout.push_constants_offset = range.offset();
  layout.push_constants_size = range.size();
  return absl::OkStatus();
}

absl::Status Reader::ReadLayouts() {
  const uint32_t count = Size(root_->pipeline_layouts());
  RETURN_IF_ERROR(CheckLimit(count, kMaxEntryPoints, "pipeline layouts"));
  for (uint32_t i = 0; i < count; ++i) {
    const fbs::PipelineLayout& from = *root_->pipeline_layouts()->Get(i);
    PipelineLayout layout;
    if (Size(from.sets()) > 1) {
      return Unimplemented("'s layout ", i, " has ", Size(from.sets()),
                           " descriptor sets; kernels have one.");
    }
    if (Size(from.sets()) == 1) {
      const uint32_t set = from.sets()->Get(0);
      if (set >= Size(root_->set_layouts())) {
        return Invalid("'s layout ", i, " names set layout ", set,
                       "; there are ", Size(root_->set_layouts()), ".");
      }
      RETURN_IF_ERROR(ReadSet(*root_->set_layouts()->Get(set), set, layout));
    }
    RETURN_IF_ERROR(ReadPushConstants(from, i, layout));
    RETURN_IF_ERROR(PushBack(result_.layouts, std::move(layout), "layouts"));
  }
  return absl::OkStatus();
}

// Checks that the root and the constants are within the push constants.
absl::Status Reader::CheckAddresses(const fbs::AddressLayout& from,
                                    const PipelineLayout& layout) {
  if (from.root_length() != kAddressRootSize) {
    return Invalid("'s address root has ", from.root_length(),
                   " bytes instead of ", kAddressRootSize, ".");
  }
  const struct {
    const char* what;
    uint64_t offset;
    uint64_t size;
  } parts[] = {
      {"address root", from.root_offset(), from.root_length()},
      {"constants", from.constants_offset(),
       uint64_t{from.constant_count()} * sizeof(uint32_t)},
  };
  const uint64_t begin = layout.push_constants_offset;
  for (const auto& part : parts) {
    if (part.size == 0) continue;
    if (part.offset % 4 != 0) {
      return Invalid("'s ", part.what, " at byte ", part.offset,
                     " of the push constants: not a multiple of 4.");
    }
    if (part.offset < begin || !RangeFits(part.offset - begin, part.size,
                                          layout.push_constants_size)) {
      return Invalid("'s ", part.what, " (", part.size, " bytes at ",
                     part.offset, ") exceed the push constants (",
                     layout.push_constants_size, " bytes at ", begin, ").");
    }
  }
  if (parts[1].size != 0 && parts[0].offset < parts[1].offset + parts[1].size &&
      parts[1].offset < parts[0].offset + parts[0].size) {
    return Invalid("'s constants at byte ", parts[1].offset,
                   " of the push constants overlap the address root.");
  }
  return absl::OkStatus();
}

absl::Status Reader::ReadAddresses(const fbs::AddressLayout* from,
                                   PipelineDef& pipeline) {
  if (from == nullptr) {
    return Invalid(" passes buffers by address but has no address layout.");
  }
  if (from->version() != kAddressLayoutVersion) {
    return Unimplemented(" passes buffers by address, version ",
                         from->version(), "; ", kAddressLayoutVersion,
                         " is known.");
  }
  if (from->entry_type() != kAddressEntries) {
    return Unimplemented(" has a table of addresses of type ",
                         from->entry_type(), "; ", kAddressEntries,
                         " is known.");
  }
  RETURN_IF_ERROR(CheckAddresses(*from, result_.layouts[pipeline.layout]));
  RETURN_IF_ERROR(CountBindings(from->binding_count()));
  pipeline.constant_count = from->constant_count();
  pipeline.binding_count = from->binding_count();
  pipeline.addresses.root_offset = from->root_offset();
  pipeline.addresses.constants_offset = from->constants_offset();
  pipeline.addresses.bindings.resize(from->binding_count());
  if (Size(from->bindings()) == 0) return absl::OkStatus();
  if (Size(from->bindings()) != from->binding_count()) {
    return Invalid(" has ", from->binding_count(), " bindings, but describes ",
                   Size(from->bindings()), ".");
  }
  for (uint32_t i = 0; i < from->binding_count(); ++i) {
    const fbs::AddressedBinding& binding = *from->bindings()->Get(i);
    const uint32_t alignment = binding.minimum_alignment();
    if (alignment == 0 || (alignment & (alignment - 1)) != 0) {
      return Invalid("'s binding ", i, " has an alignment of ", alignment,
                     " bytes, not a power of two.");
    }
    pipeline.addresses.bindings[i] = {alignment, binding.minimum_length()};
  }
  return absl::OkStatus();
}

// Checks that the layout has all the resources that the shader declares.
absl::Status CheckResources(const SpirvEntryPoint& entry,
                            const PipelineLayout& layout) {
  const uint64_t pushed =
      uint64_t{layout.push_constants_offset} + layout.push_constants_size;
  if (entry.push_constants > pushed) {
    return Invalid("'s entry point uses ", entry.push_constants,
                   " bytes of push constants; its layout has ", pushed, ".");
  }
  HashSet<uint32_t> bound;
  for (const DescriptorBinding& binding : layout.bindings) {
    bound.insert(binding.binding);
  }
  for (const SpirvResource& resource : entry.resources) {
    if (resource.set != 0 || !bound.contains(resource.binding)) {
      return Invalid("'s entry point uses binding ", resource.binding,
                     " of set ", resource.set,
                     ", which its layout does not have.");
    }
  }
  return absl::OkStatus();
}

void ReadSource(const fbs::Pipeline& from, PipelineDef& pipeline) {
  if (from.source() == nullptr) return;
  const fbs::SourceLocation* location = from.source()->location();
  if (location == nullptr || Size(location->file()) > kMaxNameSize) return;
  pipeline.source_file = std::string(View(location->file()));
  pipeline.source_line = location->line();
}

absl::StatusOr<PipelineDef> Reader::ReadPipeline(const fbs::Pipeline& from) {
  PipelineDef pipeline;
  pipeline.name = std::string(View(from.entry_point()));
  pipeline.shader_module = from.shader_module();
  pipeline.layout = from.layout();
  pipeline.subgroup_size = from.subgroup_size();
  if (pipeline.name.empty()) return Invalid(" does not name the entry point.");
  if (pipeline.shader_module >= result_.shader_modules.size()) {
    return Invalid(" names shader module ", pipeline.shader_module,
                   "; there are ", result_.shader_modules.size(), ".");
  }
  if (pipeline.layout >= result_.layouts.size()) {
    return Invalid(" names layout ", pipeline.layout, "; there are ",
                   result_.layouts.size(), ".");
  }
  const SpirvEntryPoint* entry = FindEntryPoint(
      result_.shader_modules[pipeline.shader_module].spirv, pipeline.name);
  if (entry == nullptr) {
    return Invalid("'s shader module ", pipeline.shader_module,
                   " has no entry point '", PlainName(pipeline.name), "'.");
  }
  const uint32_t size = pipeline.subgroup_size;
  if ((size & (size - 1)) != 0) {
    return Invalid(" requires subgroups of ", size, ", not a power of two.");
  }
  std::copy_n(entry->workgroup_size, 3, pipeline.workgroup_size);
  const PipelineLayout& layout = result_.layouts[pipeline.layout];
  RETURN_IF_ERROR(CheckResources(*entry, layout));
  ReadSource(from, pipeline);
  if (from.dispatch_abi() == 1) {
    pipeline.abi = DispatchAbi::kBufferAddresses;
    if (layout.has_set && !layout.bindings.empty()) {
      return Invalid(" passes buffers both by address and by descriptor.");
    }
    RETURN_IF_ERROR(ReadAddresses(from.addresses(), pipeline));
    return pipeline;
  }
  if (from.dispatch_abi() != 0) {
    return Unimplemented(" has dispatch ABI ", from.dispatch_abi(),
                         "; 0 and 1 are known.");
  }
  if (layout.push_constants_offset != 0 && layout.push_constants_size != 0) {
    return Unimplemented(" has constants at byte ",
                         layout.push_constants_offset,
                         " of the push constants; expected byte 0.");
  }
  pipeline.constant_count = layout.push_constants_size / sizeof(uint32_t);
  pipeline.binding_count = static_cast<uint32_t>(layout.bindings.size());
  return pipeline;
}

absl::Status Reader::ReadPipelines(size_t flatbuffer_size) {
  const uint32_t count = Size(root_->pipelines());
  RETURN_IF_ERROR(CheckLimit(count, kMaxEntryPoints, "exports"));
  uint64_t letters = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const fbs::Pipeline& from = *root_->pipelines()->Get(i);
    // Each export copies its name, so many exports must not share a long one.
    letters += Size(from.entry_point());
    RETURN_IF_ERROR(
        CheckLimit(letters, flatbuffer_size, "letters in names of exports"));
    absl::StatusOr<PipelineDef> pipeline = ReadPipeline(from);
    if (!pipeline.ok()) {
      return Annotate(pipeline.status(), absl::StrCat("(export ", i, ")"));
    }
    RETURN_IF_ERROR(
        PushBack(result_.pipelines, *std::move(pipeline), "pipelines"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ExecutableDef> ReadExecutable(
    Bytes data, std::span<const Ref<hal::PipelineLayout>> layouts) {
  if (IsOlderExecutable(data)) {
    ASSIGN_OR_RETURN(const std::vector<uint8_t> upgraded,
                     UpgradeExecutable(data, layouts));
    return Reader().Read(upgraded);
  }
  return Reader().Read(data);
}

}  // namespace eyrie::hal::vulkan
