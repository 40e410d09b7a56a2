// Dispatches an executable's export many times, in batches.
#include "tools/executable_bench.h"

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "abi/call/value_reader.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/deadline.h"
#include "base/mapped_file.h"
#include "base/ref.h"
#include "base/status_macros.h"
#include "hal/buffer_view.h"
#include "hal/command_buffer.h"
#include "hal/device.h"
#include "hal/executable.h"
#include "hal/fence.h"
#include "tools/load_flags.h"
#include "tools/usage_error.h"

namespace eyrie::tools {

const char kExecutableUsage[] =
    "# Usage: eyrie bench executable [flags]\n"
    "# Measures how long dispatches of one kernel take, without a module.\n"
    "#   unzip model.vmfb\n"
    "#   eyrie bench executable --executable_file=x.so "
    "--executable_format=embedded-elf-x86_64 --binding=4xf32=1 "
    "--binding=4xf32 --workgroup_count=1,1,1\n"
    "# All --benchmark_... flags of Google Benchmark are accepted.\n\n";

namespace {

constexpr uint32_t kAllStages = ~0u;
constexpr int64_t kMaxBatch = 1'000'000;

constexpr Flag kExecutableBenchFlags[] = {
    Heading("The kernel"),
    {"executable_file", FlagKind::kString, "",
     "The executable file; 'unzip' extracts it from a module."},
    {"executable_format", FlagKind::kString, "",
     "Its format: embedded-elf-x86_64, vmvx-bytecode-fb, vulkan-spirv-fb ..."},
    {"entry_point", FlagKind::kInt, "0",
     "The number of the kernel in the executable."},
    {"workgroup_count", FlagKind::kList, "",
     "Workgroups of a dispatch: x,y,z. Repeat it to measure several."},
    {"executable_constant", FlagKind::kList, "",
     "A 32-bit constant of the executable, in order."},
    {"constant", FlagKind::kList, "",
     "A 32-bit constant of the dispatch, in order."},
    {"binding", FlagKind::kList, "",
     "A buffer of the dispatch, in order, written as a module's --input."},
    {"batch_size", FlagKind::kInt, "64",
     "Dispatches per submission; the time printed is that of one dispatch."},
};

using Grid = std::array<uint32_t, 3>;

// The kernel that all rows dispatch.
struct Kernel {
  Ref<hal::Device> device;
  Ref<hal::Executable> executable;
  uint32_t ordinal = 0;
  std::vector<uint32_t> constants;
  std::vector<hal::BufferRef> bindings;
  uint32_t batch_size = 1;
};

absl::StatusOr<std::vector<uint32_t>> ReadConstants(const Arguments& arguments,
                                                    const char* name) {
  std::vector<uint32_t> constants;
  for (const std::string& text : arguments.GetList(name)) {
    if (!absl::SimpleAtoi(text, &constants.emplace_back())) {
      return UsageError(absl::StrCat("--", name, "='", text,
                                     "' is no whole number of 32 bits."));
    }
  }
  return constants;
}

absl::StatusOr<Grid> ReadGrid(const std::string& text) {
  const std::vector<absl::string_view> parts = absl::StrSplit(text, ',');
  Grid grid;
  bool good = parts.size() == grid.size();
  for (size_t i = 0; good && i < grid.size(); ++i) {
    good = absl::SimpleAtoi(parts[i], &grid[i]);
  }
  if (good) return grid;
  return UsageError(
      absl::StrCat("--workgroup_count='", text,
                   "' is not valid; expected three numbers, such as 4,1,1."));
}

absl::StatusOr<Ref<hal::Executable>> Load(const Arguments& arguments,
                                          hal::Device& device) {
  const std::string& path = arguments.GetString("executable_file");
  if (path.empty()) {
    return UsageError("--executable_file must name the executable to measure.");
  }
  ASSIGN_OR_RETURN(const auto file, MappedFile::Open(path));
  ASSIGN_OR_RETURN(const std::vector<uint32_t> constants,
                   ReadConstants(arguments, "executable_constant"));
  return device.CreateExecutable({
      .format = arguments.GetString("executable_format"),
      .data = file->bytes(),
      .constants = constants,
  });
}

absl::Status ReadBindings(const Arguments& arguments, Kernel& kernel) {
  const hal::ExportInfo& info = kernel.executable->exports()[kernel.ordinal];
  std::vector<abi::ValueSlot> slots;
  const uint32_t limit = hal::ExportInfo::MaxOf(info.binding_count);
  for (uint32_t i = 0; i < limit; ++i) {
    slots.push_back(
        {vm::ValueType::kRef, nullptr, absl::StrCat("binding ", i)});
  }
  abi::ValueReader reader(kernel.device, "--binding");
  ASSIGN_OR_RETURN(const std::vector<abi::ParsedValue> values,
                   reader.Read(arguments.GetList("binding"), slots));
  for (const abi::ParsedValue& parsed : values) {
    RefObject* const object = parsed.value.ref();
    Ref<hal::Buffer> buffer;
    if (const auto* view = RefCast<hal::BufferView>(object)) {
      buffer = view->buffer();
    } else if (auto* storage = RefCast<hal::Buffer>(object)) {
      buffer = Ref<hal::Buffer>::Share(storage);
    } else {
      return absl::InvalidArgumentError(absl::StrCat(
          "Binding ", kernel.bindings.size(), " is not a tensor."));
    }
    kernel.bindings.push_back({std::move(buffer), 0, 0, hal::kWholeBuffer});
  }
  return absl::OkStatus();
}

absl::StatusOr<Kernel> Prepare(const Arguments& arguments) {
  Kernel kernel;
  if (arguments.IsSet("module") || !arguments.positional().empty()) {
    return UsageError("'eyrie bench executable' takes no module.");
  }
  const int64_t batch = arguments.GetInt("batch_size");
  if (batch < 1 || batch > kMaxBatch) {
    return UsageError(
        absl::StrCat("--batch_size=", batch, " is not 1 to ", kMaxBatch, "."));
  }
  kernel.batch_size = static_cast<uint32_t>(batch);
  ASSIGN_OR_RETURN(const auto devices, OpenDevices(arguments));
  kernel.device = devices[0];
  ASSIGN_OR_RETURN(kernel.executable, Load(arguments, *kernel.device));
  const int64_t ordinal = arguments.GetInt("entry_point");
  const auto count = static_cast<int64_t>(kernel.executable->exports().size());
  if (ordinal < 0 || ordinal >= count) {
    return absl::OutOfRangeError(
        absl::StrCat("--entry_point=", ordinal, ": the executable has ", count,
                     count == 1 ? " kernel, 0." : " kernels, from 0 on."));
  }
  kernel.ordinal = static_cast<uint32_t>(ordinal);
  ASSIGN_OR_RETURN(kernel.constants, ReadConstants(arguments, "constant"));
  RETURN_IF_ERROR(ReadBindings(arguments, kernel));
  return kernel;
}

absl::StatusOr<Ref<hal::CommandBuffer>> Record(const Kernel& kernel,
                                               const Grid& grid) {
  ASSIGN_OR_RETURN(Ref<hal::CommandBuffer> commands,
                   kernel.device->CreateCommandBuffer(0, hal::kAnyQueue, 0));
  for (uint32_t i = 0; i < kernel.batch_size; ++i) {
    RETURN_IF_ERROR(commands->Dispatch(kernel.executable, kernel.ordinal,
                                       {grid[0], grid[1], grid[2]},
                                       kernel.constants, kernel.bindings));
    RETURN_IF_ERROR(commands->ExecutionBarrier(kAllStages, kAllStages));
  }
  RETURN_IF_ERROR(commands->Finalize());
  return commands;
}

absl::Status Submit(const Kernel& kernel,
                    const Ref<hal::CommandBuffer>& commands) {
  ASSIGN_OR_RETURN(const Ref<hal::Fence> fence, kernel.device->CreateFence());
  RETURN_IF_ERROR(
      kernel.device->QueueExecute({.signal = fence.get()}, commands, {}));
  return fence->Wait(Deadline::Never());
}

MeasuredRow RowOf(const Kernel& kernel, const Grid& grid) {
  MeasuredRow row;
  row.name = absl::StrCat("BM_dispatch_", absl::StrJoin(grid, "x"));
  row.unit = BenchmarkUnit::kNanosecond;
  row.batch = kernel.batch_size;
  // The items of one dispatch are its workgroups.
  row.items = double{1} * grid[0] * grid[1] * grid[2];
  auto commands = std::make_shared<Ref<hal::CommandBuffer>>();
  row.prepare = [&kernel, grid, commands](int) {
    ASSIGN_OR_RETURN(*commands, Record(kernel, grid));
    return absl::OkStatus();
  };
  row.call = [&kernel, commands](int) { return Submit(kernel, *commands); };
  return row;
}

}  // namespace

std::span<const Flag> ExecutableFlags() { return kExecutableBenchFlags; }

absl::Status BenchExecutable(const Arguments& arguments,
                             BenchmarkFlags& flags) {
  ASSIGN_OR_RETURN(const Kernel kernel, Prepare(arguments));
  const std::vector<std::string>& counts = arguments.GetList("workgroup_count");
  if (counts.empty()) {
    return UsageError("--workgroup_count is missing; expected x,y,z.");
  }
  std::vector<MeasuredRow> rows;
  for (const std::string& text : counts) {
    ASSIGN_OR_RETURN(const Grid grid, ReadGrid(text));
    rows.push_back(RowOf(kernel, grid));
  }
  return flags.MeasureRows(rows);
}

}  // namespace eyrie::tools
