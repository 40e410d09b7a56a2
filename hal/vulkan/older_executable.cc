#include "hal/vulkan/older_executable.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/allocate.h"
#include "base/optional_field.h"
#include "base/status_macros.h"
#include "flatbuffers/flatbuffers.h"
#include "hal/vulkan/executable_generated.h"
#include "hal/vulkan/executable_limits.h"
#include "hal/vulkan/older_executable_generated.h"
#include "hal/vulkan/spirv.h"

namespace eyrie::hal::vulkan {
namespace {

constexpr char kOlderMagic[] = "SPVE";
constexpr uint32_t kSpirvMagic = 0x07230203;
constexpr uint32_t kCompute = 0x20;  // VkShaderStageFlagBits

using Words = flatbuffers::Vector<uint32_t>;

// One entry point of either schema, borrowed from the FlatBuffer.
struct Entry {
  const char* name;
  const Words* code;
  uint32_t subgroup_size;
  const older_fbs::SourceLocation* source = nullptr;
};

absl::Status Damaged(absl::string_view how) {
  return absl::InvalidArgumentError(
      absl::StrCat("The Vulkan executable ", how, "."));
}

template <typename T>
const T* Verified(std::span<const uint8_t> bytes) {
  flatbuffers::Verifier::Options limits;
  limits.max_tables = static_cast<uint32_t>(bytes.size() / 4 + 1);
  flatbuffers::Verifier verifier(bytes.data(), bytes.size(), limits);
  return verifier.VerifyBuffer<T>(kOlderMagic)
             ? flatbuffers::GetRoot<T>(bytes.data())
             : nullptr;
}

// Returns the entry points of either schema. In the first, the third field has
// SPIR-V; in the second, indices.
absl::StatusOr<std::vector<Entry>> ReadEntries(std::span<const uint8_t> bytes) {
  const auto* one = Verified<older_fbs::OneShader>(bytes);
  const bool is_one = one != nullptr && Size(one->code()) > 0 &&
                      one->code()->Get(0) == kSpirvMagic;
  const auto* many = is_one ? nullptr : Verified<older_fbs::ManyShaders>(bytes);
  if (!is_one && many == nullptr) {
    return Damaged(
        "is damaged: an offset or a size in it points outside of it");
  }
  const auto* names = is_one ? one->entry_points() : many->entry_points();
  const auto* sizes = is_one ? one->subgroup_sizes() : many->subgroup_sizes();
  std::vector<Entry> entries;
  RETURN_IF_ERROR(CheckLimit(Size(names), kMaxEntryPoints, "entry points"));
  RETURN_IF_ERROR(Reserve(entries, Size(names), "entry points"));
  for (uint32_t i = 0; i < Size(names); ++i) {
    Entry entry = {names->Get(i)->c_str(), is_one ? one->code() : nullptr,
                   i < Size(sizes) ? sizes->Get(i) : 0};
    if (!is_one) {
      const uint32_t index = i < Size(many->shader_module_indices())
                                 ? many->shader_module_indices()->Get(i)
                                 : UINT32_MAX;
      if (index >= Size(many->shader_modules())) {
        return Damaged(
            absl::StrCat("has no shader module for entry point ", i));
      }
      entry.code = many->shader_modules()->Get(index)->code();
      if (i < Size(many->source_locations())) {
        entry.source = many->source_locations()->Get(i);
      }
    }
    if (entry.code == nullptr) {
      return Damaged(absl::StrCat("has no code for entry point ", i));
    }
    entries.push_back(entry);
  }
  return entries;
}

// The descriptors and constants of one entry point.
struct Layout {
  std::vector<hal::DescriptorBinding> bindings;
  uint32_t constant_bytes = 0;
};

absl::StatusOr<Layout> Declared(const hal::PipelineLayout& from) {
  for (const hal::DescriptorBinding& binding : from.bindings()) {
    if (binding.set == 0) continue;
    return absl::UnimplementedError(
        absl::StrCat("The Vulkan executable's layout has descriptor set ",
                     binding.set, "; kernels have one set, 0."));
  }
  return Layout{{from.bindings().begin(), from.bindings().end()},
                from.constant_count() * uint32_t{sizeof(uint32_t)}};
}

// Derives layouts from what shaders are known to use. Reads a shader that
// neighbours share once.
class ShaderReader {
 public:
  absl::StatusOr<Layout> LayoutOf(const Entry& entry) {
    if (entry.code != code_) {
      std::vector<uint32_t> words(entry.code->begin(), entry.code->end());
      ASSIGN_OR_RETURN(spirv_, ReadSpirv(words));
      code_ = entry.code;
    }
    Layout layout;
    const SpirvEntryPoint* const point = FindEntryPoint(spirv_, entry.name);
    if (point == nullptr) return layout;
    for (const SpirvResource& resource : point->resources) {
      layout.bindings.push_back(
          {resource.set, resource.binding, hal::kStorageBuffer});
    }
    layout.constant_bytes = static_cast<uint32_t>(
        std::min<uint64_t>(point->push_constants, UINT16_MAX));
    return layout;
  }

 private:
  const Words* code_ = nullptr;
  SpirvModule spirv_;
};

// Writes executable.fbs, with a layout and a shader for each entry point.
class Writer {
 public:
  void Add(const Entry& entry, const Layout& layout) {
    std::vector<flatbuffers::Offset<fbs::Binding>> set;
    for (const hal::DescriptorBinding& binding : layout.bindings) {
      set.push_back(fbs::CreateBinding(to_, binding.binding, binding.type,
                                       /*count=*/1, kCompute));
    }
    const std::vector<fbs::PushConstantRange> pushed = {
        {kCompute, 0, layout.constant_bytes}};
    const auto index = static_cast<uint32_t>(pipelines_.size());
    sets_.push_back(fbs::CreateSetLayoutDirect(to_, &set));
    const std::vector<uint32_t> of_layout = {index};
    layouts_.push_back(fbs::CreatePipelineLayoutDirect(
        to_, &of_layout, layout.constant_bytes == 0 ? nullptr : &pushed));
    pipelines_.push_back(
        fbs::CreatePipelineDirect(to_, ShaderOf(entry.code), entry.name, index,
                                  entry.subgroup_size, SourceOf(entry.source)));
  }

  std::vector<uint8_t> Finish() {
    fbs::FinishExecutableBuffer(
        to_, fbs::CreateExecutableDirect(to_, &pipelines_, &sets_, &layouts_,
                                         &shaders_));
    return {to_.GetBufferPointer(), to_.GetBufferPointer() + to_.GetSize()};
  }

 private:
  // Returns the index of a shader. Entry points that share one are neighbours.
  uint32_t ShaderOf(const Words* code) {
    if (code != last_) {
      last_ = code;
      shaders_.push_back(fbs::CreateShaderModule(
          to_, to_.CreateVector(code->data(), code->size())));
    }
    return static_cast<uint32_t>(shaders_.size() - 1);
  }

  flatbuffers::Offset<fbs::ExportSource> SourceOf(
      const older_fbs::SourceLocation* from) {
    if (from == nullptr || from->file() == nullptr) return 0;
    return fbs::CreateExportSource(
        to_, 0,
        fbs::CreateSourceLocation(to_, to_.CreateString(from->file()),
                                  from->line()));
  }

  flatbuffers::FlatBufferBuilder to_;
  const Words* last_ = nullptr;
  std::vector<flatbuffers::Offset<fbs::ShaderModule>> shaders_;
  std::vector<flatbuffers::Offset<fbs::SetLayout>> sets_;
  std::vector<flatbuffers::Offset<fbs::PipelineLayout>> layouts_;
  std::vector<flatbuffers::Offset<fbs::Pipeline>> pipelines_;
};

// Refuses files whose parts are shared so often that they would grow.
absl::Status CheckGrowth(const std::vector<Entry>& entries, size_t file_size) {
  uint64_t total = 0;
  const Words* last = nullptr;
  for (const Entry& entry : entries) {
    total += std::strlen(entry.name);
    if (entry.source != nullptr) total += Size(entry.source->file());
    if (entry.code != last) total += uint64_t{entry.code->size()} * 4;
    last = entry.code;
  }
  if (total <= file_size) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrCat("The Vulkan executable's entry points have ", total,
                   " bytes, more than its file (", file_size, ")."));
}

}  // namespace

bool IsOlderExecutable(std::span<const uint8_t> data) {
  return data.size() >= 8 && std::memcmp(data.data() + 4, kOlderMagic, 4) == 0;
}

absl::StatusOr<std::vector<uint8_t>> UpgradeExecutable(
    std::span<const uint8_t> data,
    std::span<const Ref<hal::PipelineLayout>> layouts) {
  if (data.size() >= FLATBUFFERS_MAX_BUFFER_SIZE) {
    return Damaged(absl::StrCat("has ", data.size(), " bytes"));
  }
  std::vector<uint64_t> aligned;
  RETURN_IF_ERROR(
      Resize(aligned, data.size() / sizeof(uint64_t) + 1, "a FlatBuffer"));
  std::memcpy(aligned.data(), data.data(), data.size());
  ASSIGN_OR_RETURN(
      const std::vector<Entry> entries,
      ReadEntries(
          {reinterpret_cast<const uint8_t*>(aligned.data()), data.size()}));
  RETURN_IF_ERROR(CheckGrowth(entries, data.size()));
  if (!layouts.empty() && layouts.size() != entries.size()) {
    return Damaged(absl::StrCat("has ", entries.size(),
                                " entry points; the module gives ",
                                layouts.size(), " layouts"));
  }
  Writer writer;
  ShaderReader shaders;
  uint64_t bindings = 0;
  for (size_t i = 0; i < entries.size(); ++i) {
    ASSIGN_OR_RETURN(const Layout layout, layouts.empty()
                                              ? shaders.LayoutOf(entries[i])
                                              : Declared(*layouts[i]));
    bindings += layout.bindings.size();
    RETURN_IF_ERROR(CheckLimit(bindings, kMaxBindingsInAll, "bindings in all"));
    writer.Add(entries[i], layout);
  }
  return writer.Finish();
}

}  // namespace eyrie::hal::vulkan
