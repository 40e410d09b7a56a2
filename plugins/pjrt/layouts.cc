// Implements the extension for layouts.
#include "plugins/pjrt/layouts.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "plugins/pjrt/buffer.h"
#include "plugins/pjrt/entry.h"
#include "plugins/pjrt/executable.h"
#include "plugins/pjrt/memory_layout.h"

namespace eyrie::pjrt {

#define FIELD(type, name) type name;
#define NOTHING(type, name)
#define CHECKED(type, name)                                              \
  if (args.name == nullptr) {                                            \
    return absl::InvalidArgumentError(                                   \
        absl::StrCat(LeastSize<Args>::kName, ": `" #name "` is null.")); \
  }
#define CHECK_HANDLES(name, fields)                           \
  inline absl::Status CheckHandles(const name##_Args& args) { \
    using Args [[maybe_unused]] = name##_Args;                \
    fields return absl::OkStatus();                           \
  }
#define DECLARE(name, fields) absl::Status name(name##_Args& args);
LAYOUT_FUNCTIONS(CHECK_HANDLES, CHECKED, NOTHING, NOTHING)
LAYOUT_FUNCTIONS(DECLARE, FIELD, FIELD, FIELD)

namespace {

absl::StatusOr<MemoryLayout*> LayoutOf(int type, const int64_t* dims,
                                       size_t count) {
  ASSIGN_OR_RETURN(const Shape shape, ShapeOf(type, dims, count));
  return LayoutOfRank(shape.dims.size());
}

}  // namespace

absl::Status Layouts_MemoryLayout_Destroy(Layouts_MemoryLayout_Destroy_Args&) {
  return absl::OkStatus();  // layouts are shared
}

absl::Status Layouts_MemoryLayout_Serialize(
    Layouts_MemoryLayout_Serialize_Args& args) {
  args.serialized_bytes = args.layout->bytes().data();
  args.serialized_bytes_size = args.layout->bytes().size();
  args.serialized_layout = nullptr;
  args.serialized_layout_deleter = [](SerializedLayout*) {};
  return absl::OkStatus();
}

absl::Status Layouts_Client_GetDefaultLayout(
    Layouts_Client_GetDefaultLayout_Args& args) {
  ASSIGN_OR_RETURN(args.layout, LayoutOf(args.type, args.dims, args.num_dims));
  return absl::OkStatus();
}

absl::Status Layouts_Buffer_MemoryLayout(
    Layouts_Buffer_MemoryLayout_Args& args) {
  args.layout = LayoutOfRank(args.buffer->shape().dims.size());
  return absl::OkStatus();
}

absl::Status Layouts_Topology_GetDefaultLayout(
    Layouts_Topology_GetDefaultLayout_Args& args) {
  ASSIGN_OR_RETURN(args.layout, LayoutOf(args.type, args.dims, args.num_dims));
  return absl::OkStatus();
}

absl::Status Layouts_Executable_GetOutputLayouts(
    Layouts_Executable_GetOutputLayouts_Args& args) {
  args.num_outputs = args.executable->interface().results.size();
  args.layouts = args.executable->result_layouts();
  return absl::OkStatus();
}

absl::Status Layouts_Executable_GetParameterLayouts(
    Layouts_Executable_GetParameterLayouts_Args& args) {
  args.num_parameters = args.executable->interface().arguments.size();
  args.layouts = args.executable->argument_layouts();
  return absl::OkStatus();
}

const Extension* LayoutsExtension(const Extension* next) {
#define ENTRY(name, fields) &Entry<name##_Args, &name>,
  static const LayoutsTable extension = {
      {sizeof(LayoutsTable), ExtensionType::kLayouts, next},
      LAYOUT_FUNCTIONS(ENTRY, FIELD, FIELD, FIELD)};
  return &extension.base;
}

}  // namespace eyrie::pjrt
