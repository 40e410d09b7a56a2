// Modules, devices and inputs from flags.
#include "tools/load_flags.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <initializer_list>
#include <memory>
#include <utility>

#include "abi/call/invoker.h"
#include "abi/call/value_reader.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "base/deadline.h"
#include "base/memory_meter.h"
#include "base/status_macros.h"
#include "base/system_error.h"
#include "hal/drivers/drivers.h"
#include "hal/thread_query.h"
#include "tools/command.h"
#include "tools/jit_flags.h"
#include "tools/json_flags.h"
#include "tools/limit_flags.h"
#include "tools/load_progress.h"
#include "tools/native_flags.h"
#include "tools/other_files.h"
#include "tools/parameter_flags.h"
#include "tools/trace_flags.h"
#include "tools/usage_error.h"
#include "tools/vulkan_flags.h"
#include "vm/limits/limits.h"

namespace eyrie::tools {
namespace {

constexpr Flag kCommandFlags[] = {
    kHelpFlag,
    {"flagfile", FlagKind::kString, "",
     "Reads flags from a file, one per line; later flags override it. This "
     "text\n"
     "is a valid flag file."},
};
constexpr Flag kModuleFlags[] = {
    Heading("Modules and functions"),
    {"module", FlagKind::kList, "",
     "A compiled module (.vmfb), or '-' for standard input. Modules can also "
     "be\n"
     "given without --module=. Repeat it for several, dependencies first."},
};
constexpr Flag kCallFlags[] = {
    {"function", FlagKind::kString, "",
     "The function of the last module to call, or module.function for a\n"
     "function of another. Optional if there is only one."},
    {"input", FlagKind::kList, "",
     "An argument of the function, in order:\n"
     "  3.14             a scalar\n"
     "  2x2xi32=1 2 3 4  a tensor; brackets and commas are optional; one "
     "number\n"
     "                   fills the tensor; no numbers mean zeros\n"
     "  2x2xi32=@a.bin   a tensor from the start of a binary file; with '+' "
     "for\n"
     "                   '@', from the end of the last read of that file\n"
     "  @a.npy           a NumPy array; '+' reads the next, '*' all that "
     "follow\n"
     "  @a.npz           all arrays of a .npz file; @a.npz:name reads one\n"
     "  &2x2xi32         storage for a result\n"
     "  (null)           a null reference, or zero\n"
     "A single auto, random or zeros makes all arguments from the signature."},
};
constexpr Flag kOpenFlags[] = {
    Heading("Devices and threads"),
    {"device", FlagKind::kList, "",
     "A device to run on, as listed by --list_devices; the default is\n"
     "local-sync. Repeat it for several."},
    {"allow_system_executables", FlagKind::kBool, "false",
     "Allows executables in the system's own format. They are loaded like any\n"
     "shared library: use it only for modules you trust."},
    {"no_native_code", FlagKind::kBool, "false",
     "Rejects executables of native code, and native libraries: use it for\n"
     "modules you do not trust. Vulkan shaders cannot access memory outside\n"
     "their buffers."},
    {"isolate", FlagKind::kBool, "false",
     "Runs native code of modules in a process of its own, which can do "
     "nothing\n"
     "but compute: use it for modules you do not trust. Native libraries "
     "still\n"
     "run in this process."},
    {"executable_plugin", FlagKind::kList, "",
     "A library that provides functions which kernels import, for CPU "
     "devices:\n"
     "a plug-in of the public runtime. 'embedded:FILE' or a name that ends in\n"
     ".sos: one without system libraries. May be repeated. It is native code\n"
     "with all rights of this process."},
    {"max_idle_memory", FlagKind::kString, "",
     "Limit of the memory that each device keeps for later buffers, such as\n"
     "64M; 0 keeps nothing. The default is a quarter of the memory that "
     "this\n"
     "process, or the GPU, has. Memory that is not used for 10 s is freed."},
    {"task_topology_group_count", FlagKind::kInt, "0",
     "Number of threads of local-task, including the caller's; 0 uses the\n"
     "processors available to this process."},
    {"task_topology_max_group_count", FlagKind::kInt, "64",
     "Maximum number of threads if --task_topology_group_count is 0."},
    {"task_topology_mode", FlagKind::kString, "physical_cores",
     "What --task_topology_group_count=0 counts: physical_cores or\n"
     "logical_cores."},
    {"task_topology_cpu_ids", FlagKind::kList, "",
     "Processors (0-3,8) to bind threads to, one thread each. Repeated lists "
     "are\n"
     "joined."},
    {"task_worker_spin_us", FlagKind::kString, "50",
     "Maximum time that an idle thread looks for work before it sleeps: a\n"
     "number of microseconds, or a duration such as 1ms."},
    {"task_worker_stack_size", FlagKind::kString, "0",
     "Minimum stack size of each thread, such as 131072 or 1M; 0 uses the\n"
     "system's default."},
};
constexpr Flag kEndFlags[] = {
    Heading("Statistics"),
    {"print_statistics", FlagKind::kBool, "false",
     "Prints each device's memory statistics to stderr at the end."},
    {"module_mode", FlagKind::kIgnored, "", ""},  // modules are mapped always
};

constexpr size_t kUsualFlags = 160;  // of a command, roughly

absl::StatusOr<hal::cpu::TaskOptions> TaskOptionsOf(
    const Arguments& arguments) {
  hal::cpu::TaskOptions options;
  options.mode = arguments.GetString("task_topology_mode");
  options.group_count = arguments.GetInt("task_topology_group_count");
  options.max_group_count = arguments.GetInt("task_topology_max_group_count");
  options.cpu_ids = arguments.GetList("task_topology_cpu_ids");
  absl::Duration spin;
  RETURN_IF_ERROR(ReadDuration(arguments, "task_worker_spin_us",
                               absl::Microseconds(1), spin));
  options.spin_us = absl::ToInt64Microseconds(spin);
  uint64_t stack = 0;
  RETURN_IF_ERROR(ReadSize(arguments, "task_worker_stack_size", stack));
  options.stack_bytes = static_cast<int64_t>(stack);
  return options;
}

// Returns " #2" for the second device of the same name, or "" if the name is
// unique.
std::string NumberOf(std::span<const Ref<hal::Device>> devices, size_t index) {
  int number = 1;
  int of = 0;
  for (size_t i = 0; i < devices.size(); ++i) {
    if (devices[i]->id() != devices[index]->id()) continue;
    ++of;
    if (i < index) ++number;
  }
  return of > 1 ? absl::StrCat(" #", number) : "";
}

// Called before parameters are read, which may take long.
absl::Status CheckModulePaths(const Arguments& arguments) {
  for (const std::string& path : ModulePaths(arguments)) {
    if (path != "-" && access(path.c_str(), R_OK) != 0) {
      return SystemError("open", path, errno);
    }
  }
  return absl::OkStatus();
}

std::vector<Flag> Joined(std::initializer_list<std::span<const Flag>> tables) {
  std::vector<Flag> flags;
  flags.reserve(kUsualFlags);
  for (const std::span<const Flag> table : tables) {
    flags.insert(flags.end(), table.begin(), table.end());
  }
  return flags;
}

}  // namespace

std::vector<Flag> KernelFlags() {
  return Joined({kCommandFlags, kOpenFlags, VulkanFlags(), JitFlags()});
}

std::vector<Flag> WithSessionFlags(std::span<const Flag> own) {
  return Joined({kCommandFlags, kModuleFlags, own, ParameterFlags(),
                 LimitFlags(), kOpenFlags, VulkanFlags(), NativeFlags(),
                 JitFlags(), TraceFlags(), kEndFlags, PublicToolFlags()});
}

std::vector<Flag> WithCallFlags(std::span<const Flag> own) {
  return Joined({kCommandFlags, kModuleFlags, kCallFlags, JsonFlags(), own,
                 ParameterFlags(), LimitFlags(), kOpenFlags, VulkanFlags(),
                 NativeFlags(), JitFlags()});
}

std::vector<Flag> WithLoadFlags(std::span<const Flag> own) {
  return Joined(
      {WithCallFlags(own), TraceFlags(), kEndFlags, PublicToolFlags()});
}

std::vector<std::string> ModulePaths(const Arguments& arguments) {
  std::vector<std::string> paths = arguments.GetList("module");
  paths.insert(paths.end(), arguments.positional().begin(),
               arguments.positional().end());
  return paths;
}

absl::Status CheckStandardInput(const Arguments& arguments,
                                std::span<const char* const> flags) {
  std::vector<std::string> readers;
  for (const std::string& path : ModulePaths(arguments)) {
    if (path == "-") readers.push_back("a module");
  }
  for (const char* flag : flags) {
    if (!arguments.IsSet(flag) || arguments.GetString(flag) != "-") continue;
    readers.push_back(absl::StrCat("--", flag));
  }
  if (readers.size() < 2) return absl::OkStatus();
  return UsageError(absl::StrCat("Standard input can be read once, not for ",
                                 absl::StrJoin(readers, " and "), "."));
}

absl::StatusOr<std::vector<abi::Program>> LoadPrograms(
    const Arguments& arguments, const NativeLibraries& natives, bool pauses) {
  const std::vector<std::string> paths = ModulePaths(arguments);
  if (paths.empty() && !natives.empty()) {
    ASSIGN_OR_RETURN(abi::Program program, CallingProgram(arguments, natives));
    return std::vector<abi::Program>{std::move(program)};
  }
  if (paths.empty()) {
    return UsageError(
        "No module is given; expected the path of a .vmfb file, or '-' for "
        "standard input.");
  }
  std::vector<abi::Program> programs;
  LoadProgress progress;
  for (const std::string& path : paths) {
    progress.BeginFile(absl::StrCat("loading ", path), path);
    ASSIGN_OR_RETURN(abi::Program program,
                     WithCommands(abi::LoadProgram(path, pauses), path));
    programs.push_back(std::move(program));
  }
  RETURN_IF_ERROR(CheckCalled(arguments, natives, programs));
  return programs;
}

absl::StatusOr<hal::DriverOptions> DriverOptionsOf(const Arguments& arguments) {
  hal::DriverOptions options;
  options.allow_system_executables =
      arguments.GetBool("allow_system_executables");
  options.allow_native_code = !arguments.GetBool("no_native_code");
  options.isolate = arguments.GetBool("isolate");
  if (arguments.IsSet("max_idle_memory")) {
    RETURN_IF_ERROR(ReadSize(arguments, "max_idle_memory",
                             options.max_idle_memory.emplace()));
  }
  options.Of<hal::cpu::KernelPlugins>().paths =
      arguments.GetList("executable_plugin");
  ASSIGN_OR_RETURN(options.Of<hal::cpu::TaskOptions>(),
                   TaskOptionsOf(arguments));
  ASSIGN_OR_RETURN(options.Of<hal::vulkan::VulkanOptions>(),
                   VulkanOptionsOf(arguments));
  options.notice = PrintNote;
  ASSIGN_OR_RETURN(options.perf_map, PerfMapOf(arguments));
  return options;
}

absl::StatusOr<std::vector<Ref<hal::Device>>> OpenDevices(
    const Arguments& arguments) {
  return OpenDevices(arguments, arguments.GetList("device"));
}

absl::StatusOr<std::vector<Ref<hal::Device>>> OpenDevices(
    const Arguments& arguments, std::span<const std::string> uris) {
  ASSIGN_OR_RETURN(const hal::DriverOptions options,
                   DriverOptionsOf(arguments));
  ASSIGN_OR_RETURN(const auto jit, JitOf(arguments));
  auto devices = abi::OpenDevices(uris, options, jit);
  // A plug-in's file is read, so its errors are not those of a wrong value.
  if (devices.ok() || arguments.IsSet("executable_plugin")) return devices;
  return AsValueError(devices.status());
}

absl::Status ReadSessionOptions(const Arguments& arguments,
                                abi::SessionOptions& options) {
  options.notice = PrintNote;
  ASSIGN_OR_RETURN(options.limits, LimitsOf(arguments));
  ASSIGN_OR_RETURN(options.jit, JitOf(arguments));
  RETURN_IF_ERROR(CheckModulePaths(arguments));
  hal::PreloadLimits preload;
  if (options.limits.max_memory < vm::Limits::kUnlimited) {
    options.memory = std::make_shared<MemoryMeter>(options.limits.max_memory);
    preload.memory = options.memory;
  }
  if (options.limits.timeout < absl::InfiniteDuration()) {
    preload.deadline = Deadline::After(options.limits.timeout);
  }
  ASSIGN_OR_RETURN(options.parameters, LoadParameters(arguments, preload));
  return absl::OkStatus();
}

absl::StatusOr<std::vector<vm::Value>> ReadInputs(
    const Arguments& arguments, const abi::Callable& function,
    const Ref<hal::Device>& device, abi::NarrowFloats floats) {
  if (HasJsonInputs(arguments)) {
    return ReadJsonInputs(arguments, function, device);
  }
  const std::vector<abi::ValueSlot> slots = abi::ArgumentSlots(function);
  const std::vector<std::string>& texts = arguments.GetList("input");
  if (texts.size() > slots.size()) {  // too many even if each gives one value
    return abi::Invoker::EncodeRegisters(function, device,
                                         std::vector<vm::Value>(texts.size()));
  }
  // Without a limit, any size is allocated, except kMaxInflated for .npz files.
  abi::ValueReader reader(device, "--input", floats, function.memory());
  auto parsed = reader.Read(texts, slots);
  if (!parsed.ok()) {
    return HintAtSamples(arguments,
                         HintAtMaxMemory(arguments, parsed.status()));
  }
  return abi::Invoker::EncodeRegisters(function, device,
                                       abi::ValuesOf(*std::move(parsed)));
}

namespace {

// Returns a line on the device's threads, or "".
std::string ThreadsText(const hal::Device& device) {
  const auto threads = device.Query(hal::kThreadsQuery, "");
  if (!threads) return "";
  const int64_t sharers =
      device.Query(hal::kThreadsQuery, hal::kSharersKey).value_or(1);
  const std::string shared =
      sharers > 1 ? absl::StrCat(", shared by ", sharers, " devices") : "";
  return absl::StrCat("Threads: ", *threads, shared, "\n");
}

}  // namespace

absl::StatusOr<std::vector<abi::ParsedValue>> ReadExpected(
    const Arguments& arguments, const abi::Callable& function,
    const Ref<hal::Device>& device, std::span<const vm::Value> results,
    abi::NarrowFloats floats) {
  std::vector<abi::ValueSlot> slots;
  for (size_t i = 0; i < results.size(); ++i) {
    slots.push_back({results[i].type(), function.declared_result(i),
                     absl::StrCat("result ", i), &results[i]});
  }
  abi::ValueReader reader(device, "--expected_output", floats,
                          function.memory());
  return reader.Read(arguments.GetList("expected_output"), slots);
}

void PrintStatistics(std::span<const Ref<hal::Device>> devices) {
  for (size_t i = 0; i < devices.size(); ++i) {
    const Ref<hal::Device>& device = devices[i];
    const std::string text = absl::StrCat(
        "Device: ", device->id(), NumberOf(devices, i), "\n",
        ThreadsText(*device), "[[ iree_hal_allocator_t memory statistics ]]\n",
        device->allocator().statistics().ToString(), "\n");
    std::fwrite(text.data(), 1, text.size(), stderr);
  }
}

}  // namespace eyrie::tools
