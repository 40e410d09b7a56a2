// Reads the options of a compilation. The numbers of fields are those of XLA's
// compile_options.proto and xla_data.proto.
#include "plugins/pjrt/compile_options.h"

#include "absl/strings/str_cat.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "plugins/pjrt/wire.h"

namespace eyrie::pjrt {
namespace {

// CompileOptionsProto.
constexpr uint64_t kBuildOptions = 3, kOverrides = 7;
// An entry of its map, and the value's field for strings.
constexpr uint64_t kKey = 1, kValue = 2, kString = 1;
// ExecutableBuildOptionsProto.
constexpr uint64_t kDeviceOrdinal = 1, kReplicas = 4, kPartitions = 5,
                   kDeviceAssignment = 9;
// DeviceAssignmentProto, and its ComputationDevice.
constexpr uint64_t kReplicaCount = 1, kComputationCount = 2,
                   kComputationDevices = 3, kReplicaDeviceIds = 1;

absl::Status CheckOne(uint64_t count, const char* what) {
  if (count <= 1) return absl::OkStatus();
  return absl::UnimplementedError(
      absl::StrCat("The program is for ", static_cast<int64_t>(count), " ",
                   what, "; this plug-in runs programs with one."));
}

absl::Status ReadDevices(absl::string_view bytes, CompileOptions& options) {
  return ForEachField(bytes, [&](const WireField& field) {
    if (field.number != kReplicaDeviceIds) return absl::OkStatus();
    return ForEachNumber(
        field, [&](uint64_t id) { options.device = static_cast<int64_t>(id); });
  });
}

absl::Status ReadAssignment(absl::string_view bytes, CompileOptions& options) {
  return ForEachField(bytes, [&](const WireField& field) {
    switch (field.number) {
      case kReplicaCount:
        return CheckOne(field.value, "replicas");
      case kComputationCount:
        return CheckOne(field.value, "partitions");
      case kComputationDevices:
        return ReadDevices(field.bytes, options);
      default:
        return absl::OkStatus();
    }
  });
}

absl::Status ReadBuildOptions(absl::string_view bytes,
                              CompileOptions& options) {
  return ForEachField(bytes, [&](const WireField& field) {
    switch (field.number) {
      case kDeviceOrdinal: {
        const auto ordinal = static_cast<int64_t>(field.value);
        if (ordinal >= 0 && !options.device) options.device = ordinal;
        return absl::OkStatus();
      }
      case kReplicas:
        return CheckOne(field.value, "replicas");
      case kPartitions:
        return CheckOne(field.value, "partitions");
      case kDeviceAssignment:
        return ReadAssignment(field.bytes, options);
      default:
        return absl::OkStatus();
    }
  });
}

absl::Status ReadOverride(absl::string_view bytes, CompileOptions& options) {
  absl::string_view key, value, text;
  RETURN_IF_ERROR(ForEachField(bytes, [&](const WireField& field) {
    if (field.number == kKey) key = field.bytes;
    if (field.number == kValue) value = field.bytes;
    return absl::OkStatus();
  }));
  RETURN_IF_ERROR(ForEachField(value, [&](const WireField& field) {
    if (field.number == kString) text = field.bytes;
    return absl::OkStatus();
  }));
  if (key != "eyrie_flags") {
    return absl::InvalidArgumentError(
        absl::StrCat("There is no compiler option '", PlainText(key, 256),
                     "'; \"eyrie_flags\" has flags of the compiler."));
  }
  options.flags = std::string(text);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<CompileOptions> ReadCompileOptions(absl::string_view bytes) {
  CompileOptions options;
  const absl::Status status = ForEachField(bytes, [&](const WireField& field) {
    if (field.number == kOverrides) return ReadOverride(field.bytes, options);
    if (field.number != kBuildOptions) return absl::OkStatus();
    return ReadBuildOptions(field.bytes, options);
  });
  RETURN_IF_ERROR(Annotate(status, "(in the options of the compilation)"));
  return options;
}

std::string DeviceAssignmentOf(int64_t device) {
  std::string devices, assignment;
  AppendNumber(kReplicaDeviceIds, static_cast<uint64_t>(device), devices);
  AppendNumber(kReplicaCount, 1, assignment);
  AppendNumber(kComputationCount, 1, assignment);
  AppendBytes(kComputationDevices, devices, assignment);
  return assignment;
}

}  // namespace eyrie::pjrt
