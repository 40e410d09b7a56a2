// Derives the facts that a pipeline needs from a shader's instructions.
//
// Source: SPIR-V specification, "Entry Point and Execution Model", "Version
// 1.4"; Vulkan specification, "Standalone SPIR-V Validation".
#include "hal/vulkan/spirv.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/checked_math.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "hal/vulkan/spirv_scan.h"
#include "spirv/unified1/spirv.hpp11"

namespace eyrie::hal::vulkan {
namespace {

constexpr uint32_t kVersion14 = 0x00010400;
constexpr absl::string_view kExtAddresses = "SPV_EXT_physical_storage_buffer";
constexpr absl::string_view kKhrAddresses = "SPV_KHR_physical_storage_buffer";
static_assert(kExtAddresses.size() == kKhrAddresses.size());

template <typename Map>
const typename Map::mapped_type* Find(const Map& map, uint32_t id) {
  auto it = map.find(id);
  return it == map.end() ? nullptr : &it->second;
}

bool IsClass(uint32_t value, spv::StorageClass wanted) {
  return value == static_cast<uint32_t>(wanted);
}

bool HasCapability(const SpirvFacts& facts, spv::Capability capability) {
  return std::count(facts.capabilities.begin(), facts.capabilities.end(),
                    static_cast<uint32_t>(capability)) != 0;
}

absl::Status CheckModel(const SpirvFacts& facts) {
  if (!facts.model) {
    return absl::InvalidArgumentError("The shader has no memory model.");
  }
  const auto addressing = static_cast<spv::AddressingModel>(facts.model->first);
  if (addressing != spv::AddressingModel::Logical &&
      addressing != spv::AddressingModel::PhysicalStorageBuffer64) {
    return absl::UnimplementedError(
        absl::StrCat("The shader's addressing model is ", facts.model->first,
                     "; Vulkan has 0 and 5348."));
  }
  const auto memory = static_cast<spv::MemoryModel>(facts.model->second);
  if (memory != spv::MemoryModel::GLSL450 &&
      memory != spv::MemoryModel::Vulkan) {
    return absl::UnimplementedError(
        absl::StrCat("The shader's memory model is ", facts.model->second,
                     "; Vulkan has 1 and 3."));
  }
  return absl::OkStatus();
}

// Reports whether the code needs version 1.4 while the header has less.
absl::StatusOr<bool> NeedsVersion14(const SpirvFacts& facts) {
  if (facts.version >= kVersion14) return false;
  bool needed = facts.has_wrap_decoration &&
                !facts.HasExtension("SPV_KHR_no_integer_wrap_decoration");
  for (const SpirvFacts::EntryPoint& entry : facts.entry_points) {
    for (const uint32_t id : entry.interface) {
      const SpirvFacts::Variable* variable = Find(facts.variables, id);
      if (variable == nullptr) {
        return absl::InvalidArgumentError(absl::StrCat(
            "The shader's entry point '", PlainName(entry.name),
            "' has the interface id ", id, ", which is not a variable."));
      }
      needed |= !IsClass(variable->storage_class, spv::StorageClass::Input) &&
                !IsClass(variable->storage_class, spv::StorageClass::Output);
    }
  }
  return needed;
}

// Reads a function's workgroup size from constants or literals.
absl::Status ReadWorkgroupSize(const SpirvFacts& facts,
                               const SpirvFacts::EntryPoint& from,
                               SpirvEntryPoint& entry) {
  const SpirvFacts::LocalSize* mode = Find(facts.local_sizes, from.function);
  const std::span<const uint32_t>* composite =
      facts.workgroup_size ? Find(facts.composites, *facts.workgroup_size)
                           : nullptr;
  const bool decorated = composite != nullptr && composite->size() == 3;
  if (mode == nullptr && !decorated) {
    return absl::InvalidArgumentError(absl::StrCat("The shader's entry point '",
                                                   PlainName(from.name),
                                                   "' has no workgroup size."));
  }
  for (size_t i = 0; i < 3; ++i) {
    uint64_t value = 0;
    if (decorated || mode->by_id) {
      const uint32_t id = decorated ? (*composite)[i] : mode->values[i];
      const uint64_t* constant = Find(facts.constants, id);
      if (constant == nullptr) {
        return absl::InvalidArgumentError(absl::StrCat(
            "The shader's entry point '", PlainName(from.name),
            "' has a workgroup size of id ", id, ", which is not a constant."));
      }
      value = *constant;
    } else {
      value = mode->values[i];
    }
    if (value == 0 || value > std::numeric_limits<uint32_t>::max()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "The shader's entry point '", PlainName(from.name), "' has ", value,
          " invocations in dimension ", i, " of a workgroup."));
    }
    entry.workgroup_size[i] = static_cast<uint32_t>(value);
  }
  return absl::OkStatus();
}

// Returns the fewest bytes that a variable can take.
uint64_t BytesOf(const SpirvFacts& facts, const SpirvFacts::Variable& from) {
  const uint32_t* pointee = Find(facts.pointees, from.type);
  const uint64_t* size =
      pointee == nullptr ? nullptr : Find(facts.type_sizes, *pointee);
  return size == nullptr ? 0 : *size;
}

// Adds the needs of a variable to an entry point.
void AddVariable(const SpirvFacts& facts, uint32_t id, bool overlap,
                 SpirvEntryPoint& entry) {
  const SpirvFacts::Variable* variable = Find(facts.variables, id);
  if (variable == nullptr) return;
  const uint64_t bytes = BytesOf(facts, *variable);
  if (IsClass(variable->storage_class, spv::StorageClass::Workgroup)) {
    // Blocks with an explicit layout start at the same address.
    entry.shared_memory =
        overlap ? std::max(entry.shared_memory, bytes)
                : CheckedAdd(entry.shared_memory, bytes)
                      .value_or(std::numeric_limits<uint64_t>::max());
  } else if (IsClass(variable->storage_class,
                     spv::StorageClass::PushConstant)) {
    entry.push_constants = std::max(entry.push_constants, bytes);
  }
  const SpirvFacts::Decorations* place = Find(facts.decorations, id);
  if (place != nullptr && place->set && place->binding) {
    entry.resources.push_back({*place->set, *place->binding});
  }
}

absl::StatusOr<SpirvEntryPoint> ReadEntryPoint(
    const SpirvFacts& facts, const SpirvFacts::EntryPoint& from,
    uint32_t version, bool overlap) {
  SpirvEntryPoint entry;
  entry.name = from.name;
  RETURN_IF_ERROR(ReadWorkgroupSize(facts, from, entry));
  if (version >= kVersion14) {
    for (const uint32_t id : from.interface) {
      AddVariable(facts, id, overlap, entry);
    }
  } else if (facts.entry_points.size() == 1) {
    for (const auto& [id, variable] : facts.variables) {
      AddVariable(facts, id, overlap, entry);
    }
  }
  auto& resources = entry.resources;
  std::sort(resources.begin(), resources.end());
  resources.erase(std::unique(resources.begin(), resources.end()),
                  resources.end());
  return entry;
}

bool UsesSubgroups(const SpirvFacts& facts) {
  return std::any_of(
      facts.capabilities.begin(), facts.capabilities.end(),
      [](uint32_t capability) {
        return capability >=
                   static_cast<uint32_t>(spv::Capability::GroupNonUniform) &&
               capability <=
                   static_cast<uint32_t>(spv::Capability::GroupNonUniformQuad);
      });
}

absl::Status ReadEntryPoints(const SpirvFacts& facts, SpirvModule& module) {
  const bool overlap =
      HasCapability(facts, spv::Capability::WorkgroupMemoryExplicitLayoutKHR);
  for (const SpirvFacts::EntryPoint& from : facts.entry_points) {
    ASSIGN_OR_RETURN(SpirvEntryPoint entry,
                     ReadEntryPoint(facts, from, module.version, overlap));
    module.entry_points.push_back(std::move(entry));
    const SpirvFacts::LocalSize* size = Find(facts.local_sizes, from.function);
    module.has_local_size_id |= size != nullptr && size->by_id;
  }
  std::sort(module.entry_points.begin(), module.entry_points.end(),
            [](const SpirvEntryPoint& a, const SpirvEntryPoint& b) {
              return a.name < b.name;
            });
  auto twice = std::adjacent_find(
      module.entry_points.begin(), module.entry_points.end(),
      [](const SpirvEntryPoint& a, const SpirvEntryPoint& b) {
        return a.name == b.name;
      });
  if (twice != module.entry_points.end()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "The shader has two entry points '", PlainName(twice->name), "'."));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<SpirvModule> ReadSpirv(std::vector<uint32_t>& words) {
  ASSIGN_OR_RETURN(const SpirvFacts facts, ScanSpirv(words));
  RETURN_IF_ERROR(CheckModel(facts));
  ASSIGN_OR_RETURN(const bool needs_version_14, NeedsVersion14(facts));
  SpirvModule module;
  module.version = needs_version_14 ? kVersion14 : facts.version;
  module.capabilities = facts.capabilities;
  module.spec_ids = facts.spec_ids;
  module.float_controls = facts.float_controls;
  module.uses_subgroups = UsesSubgroups(facts);
  RETURN_IF_ERROR(ReadEntryPoints(facts, module));
  words[1] = module.version;
  for (const SpirvFacts::Extension& extension : facts.extensions) {
    module.extensions.push_back(extension.name);
    if (extension.name != kExtAddresses) continue;
    module.extensions.back() = std::string(kKhrAddresses);
    std::memcpy(&words[extension.word + 1], kKhrAddresses.data(),
                kKhrAddresses.size());
  }
  return module;
}

const SpirvEntryPoint* FindEntryPoint(const SpirvModule& module,
                                      absl::string_view name) {
  auto it = std::lower_bound(
      module.entry_points.begin(), module.entry_points.end(), name,
      [](const SpirvEntryPoint& entry, absl::string_view key) {
        return entry.name < key;
      });
  const bool found = it != module.entry_points.end() && it->name == name;
  return found ? &*it : nullptr;
}

std::string SpirvVersionName(uint32_t version) {
  return absl::StrCat(version >> 16, ".", version >> 8 & 0xFF);
}

}  // namespace eyrie::hal::vulkan
