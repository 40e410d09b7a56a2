// Implements clients, devices, memories and topologies.
#include "plugins/pjrt/client.h"

#include <cstring>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/fnv1a.h"
#include "base/status_macros.h"
#include "plugins/pjrt/error.h"
#include "plugins/pjrt/functions.h"
#include "plugins/pjrt/given.h"

namespace eyrie::pjrt {

DeviceDescription::DeviceDescription(int id, const std::string& device)
    : id_(id),
      kind_(device.substr(0, device.find(':'))),
      text_(absl::StrCat(kPlatformName, ":", id, " (", kind_, ")")) {}

const MemoryFunctions Memory::kFunctions = {
    sizeof(MemoryFunctions), nullptr, sizeof(void*), GetUserData, SetUserData};

Memory::Memory(Device& device, int id)
    : device_(device),
      devices_{&device},
      id_(id),
      text_(absl::StrCat(kPlatformName, ":", id, " ", kMemoryKind, " memory")) {
}

Memory::~Memory() {
  for (const auto& [key, entry] : user_data_) {
    if (entry.destroy != nullptr) entry.destroy(entry.data);
  }
}

void* Memory::GetUserData(Memory* memory, const void* key) {
  const std::lock_guard<std::mutex> lock(memory->mutex_);
  const auto found = memory->user_data_.find(key);
  return found == memory->user_data_.end() ? nullptr : found->second.data;
}

void Memory::SetUserData(Memory* memory, const void* key, void* data,
                         void (*destroy)(void* data)) {
  UserData entry = {data, destroy};
  {
    const std::lock_guard<std::mutex> lock(memory->mutex_);
    std::swap(entry, memory->user_data_[key]);
  }
  // Not under the lock: the client may use the memory.
  if (entry.destroy != nullptr) entry.destroy(entry.data);
}

bool Device::is_cpu() const {
  return absl::StartsWith(description_.kind(), "local-");
}

TopologyDescription::TopologyDescription(Settings settings)
    : settings_(std::move(settings)),
      compiler_(ProgramCompiler::Create(settings_)) {
  for (int id = 0; id < settings_.device_count; ++id) {
    descriptions_.push_back(
        std::make_unique<DeviceDescription>(id, settings_.device));
    pointers_.push_back(descriptions_.back().get());
  }
}

absl::StatusOr<Client*> Client::Create(Settings settings) {
  const std::shared_ptr<Client> client(new Client(std::move(settings)));
  eyrie_device_options_t options = {};
  options.struct_size = sizeof(options);
  options.isolate = client->settings().isolate ? 1 : 0;
  for (DeviceDescription* description : client->topology_.descriptions()) {
    eyrie_device_t* device = nullptr;
    RETURN_IF_ERROR(Taken(eyrie_device_open(client->settings().device.c_str(),
                                            &options, &device)));
    client->devices_.push_back(
        std::make_unique<Device>(*client, *description, DeviceHandle(device)));
    client->pointers_.push_back(client->devices_.back().get());
    client->memories_.push_back(&client->devices_.back()->memory());
  }
  client->self_ = client;
  return client.get();
}

void Client::Release() {
  const std::shared_ptr<Client> self = std::move(self_);
}

absl::StatusOr<Device*> Client::FindDevice(int64_t id) const {
  if (id >= 0 && static_cast<size_t>(id) < pointers_.size()) {
    return pointers_[static_cast<size_t>(id)];
  }
  return absl::NotFoundError(absl::StrCat("There is no device ", id,
                                          "; the client has ", pointers_.size(),
                                          ", numbered from 0."));
}

const std::string& PlatformVersion() {
  static const auto* const version =
      new std::string(absl::StrCat("eyrie ", eyrie_version()));
  return *version;
}

// Clients.

absl::Status Client_Create(Client_Create_Args& args) {
  ASSIGN_OR_RETURN(Settings settings,
                   ReadSettings(args.create_options, args.num_options));
  ASSIGN_OR_RETURN(args.client, Client::Create(std::move(settings)));
  return absl::OkStatus();
}

absl::Status Client_Destroy(Client_Destroy_Args& args) {
  if (args.client != nullptr) args.client->Release();
  return absl::OkStatus();
}

absl::Status Client_PlatformName(Client_PlatformName_Args& args) {
  args.platform_name = kPlatformName;
  args.platform_name_size = std::strlen(kPlatformName);
  return absl::OkStatus();
}

absl::Status Client_ProcessIndex(Client_ProcessIndex_Args& args) {
  args.process_index = 0;
  return absl::OkStatus();
}

absl::Status Client_PlatformVersion(Client_PlatformVersion_Args& args) {
  SetText(PlatformVersion(), args.platform_version, args.platform_version_size);
  return absl::OkStatus();
}

absl::Status Client_Devices(Client_Devices_Args& args) {
  args.devices = args.client->devices().data();
  args.num_devices = args.client->devices().size();
  return absl::OkStatus();
}

absl::Status Client_AddressableDevices(Client_AddressableDevices_Args& args) {
  args.addressable_devices = args.client->devices().data();
  args.num_addressable_devices = args.client->devices().size();
  return absl::OkStatus();
}

absl::Status Client_LookupDevice(Client_LookupDevice_Args& args) {
  ASSIGN_OR_RETURN(args.device, args.client->FindDevice(args.id));
  return absl::OkStatus();
}

absl::Status Client_LookupAddressableDevice(
    Client_LookupAddressableDevice_Args& args) {
  ASSIGN_OR_RETURN(args.addressable_device,
                   args.client->FindDevice(args.local_hardware_id));
  return absl::OkStatus();
}

absl::Status Client_AddressableMemories(Client_AddressableMemories_Args& args) {
  args.addressable_memories = args.client->memories().data();
  args.num_addressable_memories = args.client->memories().size();
  return absl::OkStatus();
}

absl::Status Client_DefaultDeviceAssignment(
    Client_DefaultDeviceAssignment_Args& args) {
  const size_t devices = args.client->devices().size();
  const int64_t wanted = int64_t{args.num_replicas} * args.num_partitions;
  if (args.num_replicas < 1 || args.num_partitions < 1 ||
      static_cast<size_t>(wanted) > devices ||
      args.default_assignment_size < static_cast<size_t>(wanted)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "An assignment of ", args.num_replicas, " replicas and ",
        args.num_partitions, " partitions to ", devices, " devices, in ",
        args.default_assignment_size, " places, is not possible."));
  }
  RETURN_IF_ERROR(CheckList(args.default_assignment, args.num_replicas,
                            "default_assignment"));
  for (int i = 0; i < wanted; ++i) args.default_assignment[i] = i;
  return absl::OkStatus();
}

absl::Status Client_TopologyDescription(Client_TopologyDescription_Args& args) {
  args.topology = &args.client->topology();
  return absl::OkStatus();
}

absl::Status Client_UpdateGlobalProcessInfo(
    Client_UpdateGlobalProcessInfo_Args&) {
  return absl::OkStatus();  // there is one process
}

// A CPU device reads the host's memory as it is, and no other device takes
// memory of the host.
absl::Status Client_DmaMap(Client_DmaMap_Args&) { return absl::OkStatus(); }

absl::Status Client_DmaUnmap(Client_DmaUnmap_Args&) { return absl::OkStatus(); }

// Descriptions of devices.

absl::Status DeviceDescription_Id(DeviceDescription_Id_Args& args) {
  args.id = args.device_description->id();
  return absl::OkStatus();
}

absl::Status DeviceDescription_ProcessIndex(
    DeviceDescription_ProcessIndex_Args& args) {
  args.process_index = 0;
  return absl::OkStatus();
}

absl::Status DeviceDescription_Attributes(
    DeviceDescription_Attributes_Args& args) {
  args.num_attributes = 0;
  args.attributes = nullptr;
  return absl::OkStatus();
}

absl::Status DeviceDescription_Kind(DeviceDescription_Kind_Args& args) {
  SetText(args.device_description->kind(), args.device_kind,
          args.device_kind_size);
  return absl::OkStatus();
}

absl::Status DeviceDescription_DebugString(
    DeviceDescription_DebugString_Args& args) {
  SetText(args.device_description->text(), args.debug_string,
          args.debug_string_size);
  return absl::OkStatus();
}

absl::Status DeviceDescription_ToString(DeviceDescription_ToString_Args& args) {
  SetText(args.device_description->text(), args.to_string, args.to_string_size);
  return absl::OkStatus();
}

// Devices.

absl::Status Device_GetDescription(Device_GetDescription_Args& args) {
  args.device_description = &args.device->description();
  return absl::OkStatus();
}

absl::Status Device_IsAddressable(Device_IsAddressable_Args& args) {
  args.is_addressable = true;
  return absl::OkStatus();
}

absl::Status Device_LocalHardwareId(Device_LocalHardwareId_Args& args) {
  args.local_hardware_id = args.device->description().id();
  return absl::OkStatus();
}

absl::Status Device_AddressableMemories(Device_AddressableMemories_Args& args) {
  args.memories = args.device->memories();
  args.num_memories = 1;
  return absl::OkStatus();
}

absl::Status Device_DefaultMemory(Device_DefaultMemory_Args& args) {
  args.memory = &args.device->memory();
  return absl::OkStatus();
}

absl::Status Device_GetAttributes(Device_GetAttributes_Args& args) {
  args.attributes = nullptr;
  args.num_attributes = 0;
  args.device_attributes = nullptr;
  args.attributes_deleter = [](DeviceAttributes*) {};
  return absl::OkStatus();
}

// Memories.

absl::Status Memory_Id(Memory_Id_Args& args) {
  args.id = args.memory->id();
  return absl::OkStatus();
}

absl::Status Memory_Kind(Memory_Kind_Args& args) {
  args.kind = kMemoryKind;
  args.kind_size = std::strlen(kMemoryKind);
  return absl::OkStatus();
}

absl::Status Memory_Kind_Id(Memory_Kind_Id_Args& args) {
  args.kind_id = 0;
  return absl::OkStatus();
}

absl::Status Memory_DebugString(Memory_DebugString_Args& args) {
  SetText(args.memory->text(), args.debug_string, args.debug_string_size);
  return absl::OkStatus();
}

absl::Status Memory_ToString(Memory_ToString_Args& args) {
  SetText(args.memory->text(), args.to_string, args.to_string_size);
  return absl::OkStatus();
}

absl::Status Memory_AddressableByDevices(
    Memory_AddressableByDevices_Args& args) {
  args.devices = args.memory->devices();
  args.num_devices = 1;
  return absl::OkStatus();
}

// Topologies.

absl::Status TopologyDescription_Create(TopologyDescription_Create_Args& args) {
  ASSIGN_OR_RETURN(Settings settings,
                   ReadSettings(args.create_options, args.num_options));
  args.topology = new TopologyDescription(std::move(settings));
  return absl::OkStatus();
}

absl::Status TopologyDescription_Destroy(
    TopologyDescription_Destroy_Args& args) {
  delete args.topology;
  return absl::OkStatus();
}

absl::Status TopologyDescription_PlatformName(
    TopologyDescription_PlatformName_Args& args) {
  args.platform_name = kPlatformName;
  args.platform_name_size = std::strlen(kPlatformName);
  return absl::OkStatus();
}

absl::Status TopologyDescription_PlatformVersion(
    TopologyDescription_PlatformVersion_Args& args) {
  SetText(PlatformVersion(), args.platform_version, args.platform_version_size);
  return absl::OkStatus();
}

absl::Status TopologyDescription_GetDeviceDescriptions(
    TopologyDescription_GetDeviceDescriptions_Args& args) {
  args.descriptions = args.topology->descriptions().data();
  args.num_descriptions = args.topology->descriptions().size();
  return absl::OkStatus();
}

struct SerializedTopology {
  std::string text;
};

absl::Status TopologyDescription_Serialize(
    TopologyDescription_Serialize_Args& args) {
  auto* const serialized =
      new SerializedTopology{TopologyText(args.topology->settings())};
  SetText(serialized->text, args.serialized_bytes, args.serialized_bytes_size);
  args.serialized_topology = serialized;
  args.serialized_topology_deleter = Delete<SerializedTopology>;
  return absl::OkStatus();
}

absl::Status TopologyDescription_Deserialize(
    TopologyDescription_Deserialize_Args& args) {
  ASSIGN_OR_RETURN(
      const absl::string_view text,
      TextIn(args.serialized_topology, args.serialized_topology_size,
             "serialized_topology"));
  ASSIGN_OR_RETURN(Settings settings, ReadTopologyText(text));
  args.topology = new TopologyDescription(std::move(settings));
  return absl::OkStatus();
}

absl::Status TopologyDescription_Attributes(
    TopologyDescription_Attributes_Args& args) {
  args.attributes = nullptr;
  args.num_attributes = 0;
  return absl::OkStatus();
}

absl::Status TopologyDescription_Fingerprint(
    TopologyDescription_Fingerprint_Args& args) {
  args.fingerprint = Fnv1a(TopologyText(args.topology->settings()));
  return absl::OkStatus();
}

absl::Status TopologyDescription_GetMemorySpaceKindIds(
    TopologyDescription_GetMemorySpaceKindIds_Args& args) {
  static constexpr int kKinds[] = {0};
  args.memory_space_kind_ids = kKinds;
  args.num_memory_space_kind_ids = 1;
  return absl::OkStatus();
}

}  // namespace eyrie::pjrt
