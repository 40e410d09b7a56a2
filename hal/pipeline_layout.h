// Pipeline layouts: how modules of releases before 20240828 declare the
// constants and bindings of a dispatch.
//
// Such a module creates descriptor set layouts, joins them in a pipeline
// layout, and gives each export of an executable one. It pushes constants and
// descriptor sets while it records; a dispatch takes those that its export's
// layout names, in the order of sets and bindings. Immutable; may be shared by
// threads.
// Tested by hal/module/descriptor_imports_test.cc.
#ifndef EYRIE_HAL_PIPELINE_LAYOUT_H_
#define EYRIE_HAL_PIPELINE_LAYOUT_H_

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/charged_object.h"
#include "base/ref.h"

namespace eyrie::hal {

// A binding of a pipeline layout: which descriptor, and its Vulkan type.
struct DescriptorBinding {
  uint32_t set;
  uint32_t binding;
  uint32_t type;
};

// VkDescriptorType's values.
inline constexpr uint32_t kUniformBuffer = 6;
inline constexpr uint32_t kStorageBuffer = 7;

class DescriptorSetLayout final : public ChargedObject {
 public:
  static constexpr RefType kType{"hal.descriptor_set_layout"};

  // The bindings must ascend; their `set` is ignored.
  explicit DescriptorSetLayout(std::vector<DescriptorBinding> bindings)
      : ChargedObject(kType), bindings_(std::move(bindings)) {}

  std::span<const DescriptorBinding> bindings() const { return bindings_; }

 private:
  const std::vector<DescriptorBinding> bindings_;
};

class PipelineLayout final : public ChargedObject {
 public:
  static constexpr RefType kType{"hal.pipeline_layout"};

  // The bindings must ascend by set and binding.
  PipelineLayout(uint32_t constant_count,
                 std::vector<DescriptorBinding> bindings)
      : ChargedObject(kType),
        constant_count_(constant_count),
        bindings_(std::move(bindings)) {}

  // Returns the number of 32-bit constants that a dispatch takes.
  uint32_t constant_count() const { return constant_count_; }
  // Returns the bindings that a dispatch takes, in the order of its kernel's.
  std::span<const DescriptorBinding> bindings() const { return bindings_; }

 private:
  const uint32_t constant_count_;
  const std::vector<DescriptorBinding> bindings_;
};

// Returns the approximate size in memory of either layout, in bytes.
template <typename Layout>
uint64_t LayoutBytes(const Layout& layout) {
  return sizeof(layout) + layout.bindings().size_bytes();
}

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_PIPELINE_LAYOUT_H_
