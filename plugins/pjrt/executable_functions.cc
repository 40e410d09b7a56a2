// The functions of programs.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "plugins/pjrt/compile_options.h"
#include "plugins/pjrt/executable.h"
#include "plugins/pjrt/functions.h"
#include "plugins/pjrt/given.h"

namespace eyrie::pjrt {

// Bytes that the caller frees. They are those of an image, which it keeps.
struct SerializedExecutable {
  ImagePtr image;
};
struct SerializedCompileOptions {
  ImagePtr image;
};
struct DeviceAssignmentSerialized {
  std::string bytes;
};

namespace {

absl::StatusOr<LoadedExecutable*> Load(Client& client, ImagePtr image) {
  ASSIGN_OR_RETURN(const CompileOptions options,
                   ReadCompileOptions(image->compile_options));
  ASSIGN_OR_RETURN(Device * device,
                   client.FindDevice(options.device.value_or(0)));
  ASSIGN_OR_RETURN(std::unique_ptr<LoadedProgram> loaded,
                   LoadedProgram::Load(client, std::move(image), *device));
  return new LoadedExecutable(std::move(loaded));
}

absl::StatusOr<ImagePtr> Compiled(const TopologyDescription& topology,
                                  const Program* program, const char* options,
                                  size_t options_size) {
  if (program == nullptr || program->struct_size < sizeof(Program)) {
    return absl::InvalidArgumentError(
        absl::StrCat("The program is null, or its struct_size is less than ",
                     sizeof(Program), "."));
  }
  ASSIGN_OR_RETURN(const absl::string_view text,
                   TextIn(options, options_size, "compile_options"));
  return topology.compiler().Compile(*program, std::string(text));
}

}  // namespace

absl::Status Client_Compile(Client_Compile_Args& args) {
  ASSIGN_OR_RETURN(ImagePtr image,
                   Compiled(args.client->topology(), args.program,
                            args.compile_options, args.compile_options_size));
  ASSIGN_OR_RETURN(args.executable, Load(*args.client, std::move(image)));
  return absl::OkStatus();
}

absl::Status Compile(Compile_Args& args) {
  ASSIGN_OR_RETURN(ImagePtr image,
                   Compiled(*args.topology, args.program, args.compile_options,
                            args.compile_options_size));
  Interface interface = *image->interface;
  args.executable = new Executable(std::move(image), std::move(interface));
  return absl::OkStatus();
}

absl::Status Client_Load(Client_Load_Args& args) {
  if (args.executable == nullptr) {
    return absl::InvalidArgumentError("The executable is null.");
  }
  auto image = std::make_shared<ProgramImage>(args.executable->image());
  ASSIGN_OR_RETURN(const absl::string_view options,
                   TextIn(args.compile_options, args.compile_options_size,
                          "compile_options"));
  if (!options.empty()) image->compile_options = std::string(options);
  ASSIGN_OR_RETURN(args.loaded_executable,
                   Load(*args.client, std::move(image)));
  return absl::OkStatus();
}

absl::Status Executable_DeserializeAndLoad(
    Executable_DeserializeAndLoad_Args& args) {
  ASSIGN_OR_RETURN(
      const absl::string_view bytes,
      TextIn(args.serialized_executable, args.serialized_executable_size,
             "serialized_executable"));
  ASSIGN_OR_RETURN(const absl::string_view options,
                   TextIn(args.overridden_serialized_compile_options,
                          args.overridden_serialized_compile_options_size,
                          "overridden_serialized_compile_options"));
  ASSIGN_OR_RETURN(ImagePtr image,
                   ImageOf(std::string(bytes), std::string(options)));
  ASSIGN_OR_RETURN(args.loaded_executable,
                   Load(*args.client, std::move(image)));
  return absl::OkStatus();
}

absl::Status Executable_Destroy(Executable_Destroy_Args& args) {
  delete args.executable;
  return absl::OkStatus();
}

absl::Status Executable_Name(Executable_Name_Args& args) {
  SetText(args.executable->interface().name, args.executable_name,
          args.executable_name_size);
  return absl::OkStatus();
}

absl::Status Executable_NumReplicas(Executable_NumReplicas_Args& args) {
  args.num_replicas = 1;
  return absl::OkStatus();
}

absl::Status Executable_NumPartitions(Executable_NumPartitions_Args& args) {
  args.num_partitions = 1;
  return absl::OkStatus();
}

absl::Status Executable_NumOutputs(Executable_NumOutputs_Args& args) {
  args.num_outputs = args.executable->interface().results.size();
  return absl::OkStatus();
}

absl::Status Executable_SizeOfGeneratedCodeInBytes(
    Executable_SizeOfGeneratedCodeInBytes_Args& args) {
  args.size_in_bytes =
      static_cast<int64_t>(args.executable->image().file.size());
  return absl::OkStatus();
}

// Clients of Go need this to succeed. The compiler does not say how much memory
// a program needs while it runs, so that counts as 0, as docs/jax.md says.
absl::Status Executable_GetCompiledMemoryStats(
    Executable_GetCompiledMemoryStats_Args& args) {
  const Interface& interface = args.executable->interface();
  const auto sum = [](const std::vector<Shape>& shapes) {
    int64_t bytes = 0;
    for (const Shape& shape : shapes) {
      bytes += static_cast<int64_t>(ByteSize(shape));
    }
    return bytes;
  };
  args.generated_code_size_in_bytes =
      static_cast<int64_t>(args.executable->image().file.size());
  args.argument_size_in_bytes = sum(interface.arguments);
  args.output_size_in_bytes = sum(interface.results);
  args.alias_size_in_bytes = args.temp_size_in_bytes = 0;
  args.host_generated_code_size_in_bytes = 0;
  args.host_argument_size_in_bytes = args.host_output_size_in_bytes = 0;
  args.host_alias_size_in_bytes = args.host_temp_size_in_bytes = 0;
  return absl::OkStatus();
}

absl::Status Executable_OutputMemoryKinds(
    Executable_OutputMemoryKinds_Args& args) {
  args.num_outputs = args.executable->interface().results.size();
  args.memory_kinds = args.executable->kinds();
  args.memory_kind_sizes = args.executable->kind_sizes();
  return absl::OkStatus();
}

absl::Status Executable_ParameterMemoryKinds(
    Executable_ParameterMemoryKinds_Args& args) {
  args.num_parameters = args.executable->interface().arguments.size();
  args.memory_kinds = args.executable->kinds();
  args.memory_kind_sizes = args.executable->kind_sizes();
  return absl::OkStatus();
}

absl::Status Executable_OutputElementTypes(
    Executable_OutputElementTypes_Args& args) {
  const std::vector<Buffer_Type>& types = args.executable->result_types();
  args.output_types = const_cast<Buffer_Type*>(types.data());
  args.num_output_types = types.size();
  return absl::OkStatus();
}

absl::Status Executable_OutputDimensions(
    Executable_OutputDimensions_Args& args) {
  args.num_outputs = args.executable->interface().results.size();
  args.dims = args.executable->dims().data();
  args.dim_sizes = args.executable->ranks().data();
  return absl::OkStatus();
}

absl::Status Executable_Fingerprint(Executable_Fingerprint_Args& args) {
  SetText(args.executable->image().fingerprint, args.executable_fingerprint,
          args.executable_fingerprint_size);
  return absl::OkStatus();
}

absl::Status Executable_Serialize(Executable_Serialize_Args& args) {
  auto* const serialized =
      new SerializedExecutable{args.executable->image_pointer()};
  args.serialized_bytes = serialized->image->file.data();
  args.serialized_bytes_size = serialized->image->file.size();
  args.serialized_executable = serialized;
  args.serialized_executable_deleter = Delete<SerializedExecutable>;
  return absl::OkStatus();
}

absl::Status Executable_GetCompileOptions(
    Executable_GetCompileOptions_Args& args) {
  auto* const serialized =
      new SerializedCompileOptions{args.executable->image_pointer()};
  SetText(serialized->image->compile_options, args.serialized_bytes,
          args.serialized_bytes_size);
  args.serialized_compile_options = serialized;
  args.serialized_compile_options_deleter = Delete<SerializedCompileOptions>;
  return absl::OkStatus();
}

absl::Status LoadedExecutable_Destroy(LoadedExecutable_Destroy_Args& args) {
  delete args.executable;
  return absl::OkStatus();
}

absl::Status LoadedExecutable_GetExecutable(
    LoadedExecutable_GetExecutable_Args& args) {
  const Executable& executable = args.loaded_executable->program().executable();
  args.executable =
      new Executable(executable.image_pointer(), executable.interface());
  return absl::OkStatus();
}

absl::Status LoadedExecutable_AddressableDevices(
    LoadedExecutable_AddressableDevices_Args& args) {
  args.addressable_devices = args.executable->program().devices();
  args.num_addressable_devices = 1;
  return absl::OkStatus();
}

absl::Status LoadedExecutable_AddressableDeviceLogicalIds(
    LoadedExecutable_AddressableDeviceLogicalIds_Args& args) {
  static LogicalDeviceIds first = {0, 0};
  args.addressable_device_logical_ids = &first;
  args.num_addressable_device_logical_ids = 1;
  return absl::OkStatus();
}

absl::Status LoadedExecutable_GetDeviceAssignment(
    LoadedExecutable_GetDeviceAssignment_Args& args) {
  auto* const serialized = new DeviceAssignmentSerialized{DeviceAssignmentOf(
      args.executable->program().device().description().id())};
  SetText(serialized->bytes, args.serialized_bytes, args.serialized_bytes_size);
  args.serialized_device_assignment = serialized;
  args.serialized_device_assignment_deleter =
      Delete<DeviceAssignmentSerialized>;
  return absl::OkStatus();
}

absl::Status LoadedExecutable_Delete(LoadedExecutable_Delete_Args& args) {
  args.executable->program().Delete();
  return absl::OkStatus();
}

absl::Status LoadedExecutable_IsDeleted(LoadedExecutable_IsDeleted_Args& args) {
  args.is_deleted = args.executable->program().is_deleted();
  return absl::OkStatus();
}

absl::Status LoadedExecutable_Fingerprint(
    LoadedExecutable_Fingerprint_Args& args) {
  SetText(args.executable->program().executable().image().fingerprint,
          args.executable_fingerprint, args.executable_fingerprint_size);
  return absl::OkStatus();
}

}  // namespace eyrie::pjrt
