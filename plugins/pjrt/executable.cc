// Implements programs.
#include "plugins/pjrt/executable.h"

#include <algorithm>
#include <cstring>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "plugins/pjrt/error.h"
#include "plugins/pjrt/memory_layout.h"

namespace eyrie::pjrt {
namespace {

// Returns the name of the function that is the program: "main", or the only
// one.
absl::StatusOr<std::string> FunctionOf(const eyrie_module_t* module) {
  const size_t count = eyrie_module_function_count(module);
  std::string name;
  for (size_t i = 0; i < count; ++i) {
    name = eyrie_module_function(module, i)->name;
    if (name == "main") return name;
  }
  if (count == 1) return name;
  return absl::InvalidArgumentError(
      absl::StrCat("The program's file has ", count,
                   " functions, and none is named \"main\"."));
}

// Returns an error unless the value is the array that a result must be: the
// host reads as many bytes of it as its shape has.
absl::Status CheckResult(const Interface& interface, size_t index,
                         const eyrie_value_t* value) {
  const Shape& shape = interface.results[index];
  eyrie_array_t array = {};
  array.struct_size = sizeof(array);
  if (value != nullptr && eyrie_value_kind(value) == EYRIE_KIND_ARRAY) {
    RETURN_IF_ERROR(Taken(eyrie_value_get_array(value, &array)));
    if (array.size == ByteSize(shape) &&
        std::equal(shape.dims.begin(), shape.dims.end(), array.shape,
                   array.shape + array.rank)) [[likely]] {
      return absl::OkStatus();
    }
  }
  return absl::InvalidArgumentError(
      absl::StrCat("Result ", index, " of ", PlainText(interface.name, 256),
                   " is not the array of ", ToText(shape),
                   " that the program's note describes."));
}

void DropImage(void* image) { delete static_cast<ImagePtr*>(image); }

}  // namespace

Executable::Executable(ImagePtr image, Interface interface)
    : image_(std::move(image)), interface_(std::move(interface)) {
  for (const Shape& shape : interface_.arguments) {
    argument_layouts_.push_back(LayoutOfRank(shape.dims.size()));
  }
  for (const Shape& shape : interface_.results) {
    result_layouts_.push_back(LayoutOfRank(shape.dims.size()));
    types_.push_back(shape.type);
    dims_.insert(dims_.end(), shape.dims.begin(), shape.dims.end());
    ranks_.push_back(shape.dims.size());
  }
  const size_t most =
      std::max(interface_.arguments.size(), interface_.results.size());
  kinds_.assign(most, kMemoryKind);
  kind_sizes_.assign(most, std::strlen(kMemoryKind));
}

absl::StatusOr<std::unique_ptr<LoadedProgram>> LoadedProgram::Load(
    Client& client, ImagePtr image, Device& device) {
  std::unique_ptr<LoadedProgram> loaded(new LoadedProgram(client, device));
  eyrie_module_t* module = nullptr;
  RETURN_IF_ERROR(Taken(eyrie_module_load_memory(
      image->file.data(), image->file.size(), EYRIE_MEMORY_LEND_CONST,
      DropImage, new ImagePtr(image), &module)));
  loaded->module_.reset(module);
  ASSIGN_OR_RETURN(loaded->function_, FunctionOf(module));
  if (image->interface) {
    ASSIGN_OR_RETURN(loaded->library_, LibraryOf(image->interface->imports));
  }
  ASSIGN_OR_RETURN(Lane lane, loaded->NewLane());
  Interface interface;
  if (image->interface) {
    interface = *image->interface;
  } else {
    ASSIGN_OR_RETURN(interface,
                     InterfaceOf(*eyrie_function_signature(lane.function),
                                 absl::StrCat(eyrie_module_name(module), ".",
                                              loaded->function_)));
  }
  loaded->executable_ =
      std::make_unique<Executable>(std::move(image), std::move(interface));
  loaded->lanes_.push_back(std::move(lane));
  return loaded;
}

absl::StatusOr<LoadedProgram::Lane> LoadedProgram::NewLane() const {
  eyrie_module_t* const modules[] = {module_.get()};
  eyrie_device_t* const devices[] = {device_.handle()};
  eyrie_context_options_t options = {};
  options.struct_size = sizeof(options);
  options.timeout_ns = client_->settings().timeout_ms * 1'000'000;
  eyrie_native_library_t* const libraries[] = {library_.get()};
  options.native_libraries = libraries;
  options.native_library_count = library_ != nullptr ? 1 : 0;
  eyrie_context_t* context = nullptr;
  RETURN_IF_ERROR(
      Taken(eyrie_context_create(modules, 1, devices, 1, &options, &context)));
  Lane lane;
  lane.context.reset(context);
  RETURN_IF_ERROR(Taken(
      eyrie_context_find_function(context, function_.c_str(), &lane.function)));
  return lane;
}

absl::StatusOr<LoadedProgram::Lane> LoadedProgram::TakeLane() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (module_ == nullptr) {
    return absl::FailedPreconditionError("The executable has been deleted.");
  }
  if (lanes_.empty()) return NewLane();
  Lane lane = std::move(lanes_.back());
  lanes_.pop_back();
  return lane;
}

void LoadedProgram::GiveLane(Lane lane) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (module_ != nullptr) lanes_.push_back(std::move(lane));
}

void LoadedProgram::Delete() {
  std::vector<Lane> lanes;
  const std::lock_guard<std::mutex> lock(mutex_);
  module_.reset();
  lanes.swap(lanes_);
}

bool LoadedProgram::is_deleted() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return module_ == nullptr;
}

absl::Status LoadedProgram::Run(std::span<const Argument> arguments,
                                std::span<ValueHandle> results) {
  const bool may_write = executable_->interface().may_write;
  absl::InlinedVector<ValueHandle, 16> owned;
  absl::InlinedVector<eyrie_value_t*, 16> values;
  for (const Argument& argument : arguments) {
    const bool gives = argument.is_given && argument.content.use_count() == 1;
    ASSIGN_OR_RETURN(ValueHandle value,
                     may_write && gives ? argument.content->Give()
                                        : argument.content->Share(may_write));
    values.push_back(value.get());
    owned.push_back(std::move(value));
  }
  absl::InlinedVector<eyrie_value_t*, 16> returned(results.size(), nullptr);
  eyrie_call_args_t args = {};
  args.struct_size = sizeof(args);
  args.values = values.data();
  args.value_count = values.size();
  ASSIGN_OR_RETURN(Lane lane, TakeLane());
  // A context that has failed is not used again.
  RETURN_IF_ERROR(Taken(eyrie_function_call(lane.function, &args, nullptr,
                                            returned.data(), returned.size())));
  GiveLane(std::move(lane));
  for (size_t i = 0; i < results.size(); ++i) results[i].reset(returned[i]);
  for (size_t i = 0; i < results.size(); ++i) {
    RETURN_IF_ERROR(CheckResult(executable_->interface(), i, results[i].get()));
  }
  return absl::OkStatus();
}

}  // namespace eyrie::pjrt
