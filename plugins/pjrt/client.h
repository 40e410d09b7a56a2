// Clients, their devices and memories, and topologies.
// Tested by pjrt_test.cc.
#ifndef EYRIE_PLUGINS_PJRT_CLIENT_H_
#define EYRIE_PLUGINS_PJRT_CLIENT_H_

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "eyrie/c.h"
#include "plugins/pjrt/c_types.h"
#include "plugins/pjrt/owned.h"
#include "plugins/pjrt/program_compiler.h"
#include "plugins/pjrt/settings.h"

namespace eyrie::pjrt {

inline constexpr char kPlatformName[] = "eyrie";
inline constexpr char kMemoryKind[] = "device";

using DeviceHandle = Owned<eyrie_device_t, eyrie_device_release>;

// A device that need not be open. Immutable.
class DeviceDescription {
 public:
  DeviceDescription(int id, const std::string& device);

  int id() const { return id_; }
  const std::string& kind() const { return kind_; }
  const std::string& text() const { return text_; }

 private:
  const int id_;
  const std::string kind_;  // "local-task"
  const std::string text_;  // "eyrie:0 (local-task)"
};

// The one memory of a device. Clients read the first word.
class Memory {
 public:
  Memory(Device& device, int id);
  ~Memory();

  Device& device() const { return device_; }
  Device* const* devices() const { return devices_; }
  int id() const { return id_; }
  const std::string& text() const { return text_; }

 private:
  struct UserData {
    void* data;
    void (*destroy)(void* data);
  };

  static void* GetUserData(Memory* memory, const void* key);
  static void SetUserData(Memory* memory, const void* key, void* data,
                          void (*destroy)(void* data));

  static const MemoryFunctions kFunctions;

  // Clients read it. Clang does not know that.
  [[maybe_unused]] const MemoryFunctions* const functions_ = &kFunctions;
  Device& device_;
  Device* devices_[1];
  const int id_;
  const std::string text_;  // "eyrie:0 device memory"
  std::mutex mutex_;
  std::map<const void*, UserData> user_data_;
};

// A device of a client, which owns it. Thread-safe.
class Device {
 public:
  Device(Client& client, DeviceDescription& description, DeviceHandle handle)
      : client_(client),
        description_(description),
        handle_(std::move(handle)),
        memory_(*this, description.id()),
        memories_{&memory_} {}

  Client& client() const { return client_; }
  DeviceDescription& description() const { return description_; }
  eyrie_device_t* handle() const { return handle_.get(); }
  Memory& memory() { return memory_; }
  Memory* const* memories() const { return memories_; }
  // Reports whether the host may read the device's memory.
  bool is_cpu() const;

 private:
  Client& client_;
  DeviceDescription& description_;
  const DeviceHandle handle_;
  Memory memory_;
  Memory* memories_[1];
};

// The devices that a client with these settings has, and their compiler.
// Thread-safe.
class TopologyDescription {
 public:
  explicit TopologyDescription(Settings settings);

  const Settings& settings() const { return settings_; }
  const std::vector<DeviceDescription*>& descriptions() const {
    return pointers_;
  }
  ProgramCompiler& compiler() const { return *compiler_; }

 private:
  const Settings settings_;
  std::vector<std::unique_ptr<DeviceDescription>> descriptions_;
  std::vector<DeviceDescription*> pointers_;
  const std::unique_ptr<ProgramCompiler> compiler_;
};

// Buffers and programs share the client, so they may be used after
// Client_Destroy. Thread-safe.
class Client : public std::enable_shared_from_this<Client> {
 public:
  // Opens the devices. Fails as eyrie_device_open does. The client exists until
  // Release, and as long as it is shared.
  static absl::StatusOr<Client*> Create(Settings settings);
  void Release();

  TopologyDescription& topology() { return topology_; }
  const Settings& settings() const { return topology_.settings(); }
  const std::vector<Device*>& devices() const { return pointers_; }
  const std::vector<Memory*>& memories() const { return memories_; }
  // NOT_FOUND: no device has the id.
  absl::StatusOr<Device*> FindDevice(int64_t id) const;

 private:
  explicit Client(Settings settings) : topology_(std::move(settings)) {}

  TopologyDescription topology_;
  std::vector<std::unique_ptr<Device>> devices_;
  std::vector<Device*> pointers_;
  std::vector<Memory*> memories_;
  std::shared_ptr<Client> self_;  // null after Release
};

// Returns the version of the plug-in: "eyrie 0.1.0".
const std::string& PlatformVersion();

}  // namespace eyrie::pjrt

#endif  // EYRIE_PLUGINS_PJRT_CLIENT_H_
