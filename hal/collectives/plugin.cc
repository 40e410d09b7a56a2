#include "hal/collectives/plugin.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstring>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/folders.h"
#include "base/status_macros.h"
#include "eyrie/collectives_plugin.h"
#include "hal/collectives/messenger_provider.h"
#include "hal/collectives/transport.h"

namespace eyrie::hal {
namespace {

using Plugin = eyrie_collectives_plugin_t;

class PluginTransport final : public Transport {
 public:
  static absl::StatusOr<std::unique_ptr<Transport>> Open(const Plugin& plugin);

  int rank() const override { return rank_; }
  int count() const override { return count_; }
  absl::StatusOr<Request> Send(int peer, uint32_t tag,
                               std::span<const uint8_t> bytes) override {
    Request request = 0;
    RETURN_IF_ERROR(Call("send", plugin_.send, transport_, int32_t{peer}, tag,
                         bytes.data(), bytes.size(), &request));
    return request;
  }
  absl::StatusOr<Request> Receive(int peer, uint32_t tag,
                                  std::span<uint8_t> bytes) override {
    Request request = 0;
    RETURN_IF_ERROR(Call("receive", plugin_.receive, transport_, int32_t{peer},
                         tag, bytes.data(), bytes.size(), &request));
    return request;
  }
  absl::StatusOr<bool> Test(Request request) override {
    int32_t over = 0;
    RETURN_IF_ERROR(
        Call("test", plugin_.test, transport_, uint64_t{request}, &over));
    return over != 0;
  }
  absl::Status Close() override {
    return Call("close", plugin_.close, transport_);
  }

 private:
  explicit PluginTransport(const Plugin& plugin) : plugin_(plugin) {}

  // Calls a function of the plug-in; its last parameter receives the error.
  template <typename Function, typename... Args>
  absl::Status Call(absl::string_view name, Function function, Args... args) {
    eyrie_transport_error_t error = {};
    if (function(args..., &error) == 0) [[likely]]
      return absl::OkStatus();
    const size_t length = strnlen(error.text, sizeof(error.text));
    return absl::UnavailableError(
        absl::StrCat("The collectives plug-in '", plugin_.name, "' fails to ",
                     name, ": ", absl::string_view(error.text, length)));
  }

  const Plugin& plugin_;
  eyrie_transport_t* transport_ = nullptr;
  int32_t rank_ = 0;
  int32_t count_ = 0;
};

absl::StatusOr<std::unique_ptr<Transport>> PluginTransport::Open(
    const Plugin& plugin) {
  std::unique_ptr<PluginTransport> opened(new PluginTransport(plugin));
  RETURN_IF_ERROR(opened->Call("open", plugin.open, &opened->transport_,
                               &opened->rank_, &opened->count_));
  constexpr int32_t kMaxRanks = 0xFFFF;  // send-receive has 16 bits per peer
  if (opened->count_ < 1 || opened->count_ > kMaxRanks || opened->rank_ < 0 ||
      opened->rank_ >= opened->count_) {
    return absl::InvalidArgumentError(
        absl::StrCat("The collectives plug-in '", plugin.name,
                     "' reports rank ", opened->rank_, " of ", opened->count_,
                     "; expected 1 to ", kMaxRanks, " ranks."));
  }
  return std::unique_ptr<Transport>(std::move(opened));
}

absl::StatusOr<std::string> PathOf(absl::string_view name_or_path) {
  if (name_or_path.find('/') == name_or_path.npos) {
    return FindPlugin(name_or_path);
  }
  std::string path(name_or_path);
  if (access(path.c_str(), F_OK) == 0) return path;
  return absl::NotFoundError(
      absl::StrCat("There is no collectives plug-in '", path, "'."));
}

absl::StatusOr<const Plugin*> Load(const std::string& path) {
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat(
        "The collectives plug-in cannot be loaded: ", dlerror(), "."));
  }
  const auto function = reinterpret_cast<eyrie_collectives_plugin_function>(
      dlsym(library, EYRIE_COLLECTIVES_PLUGIN_SYMBOL));
  if (function == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("The library '", path,
                     "' is not a collectives plug-in: it does not "
                     "export " EYRIE_COLLECTIVES_PLUGIN_SYMBOL "."));
  }
  const Plugin* const plugin = function();
  if (plugin == nullptr ||
      plugin->version != EYRIE_COLLECTIVES_PLUGIN_VERSION) {
    return absl::InvalidArgumentError(absl::StrCat(
        "The collectives plug-in '", path, "' has version ",
        plugin == nullptr ? 0 : plugin->version, "; this program needs ",
        EYRIE_COLLECTIVES_PLUGIN_VERSION, "."));
  }
  return plugin;
}

}  // namespace

absl::StatusOr<std::shared_ptr<ChannelProvider>> OpenCollectivesPlugin(
    absl::string_view name_or_path) {
  ASSIGN_OR_RETURN(const std::string path, PathOf(name_or_path));
  ASSIGN_OR_RETURN(const Plugin* const plugin, Load(path));
  return CreateMessengerProvider(
      [plugin] { return PluginTransport::Open(*plugin); });
}

}  // namespace eyrie::hal
