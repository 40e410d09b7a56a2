#include "hal/cpu/isolate/executable.h"

#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/deadline.h"
#include "base/status_macros.h"
#include "hal/cpu/elf_layout.h"
#include "hal/cpu/elf_loader.h"
#include "hal/cpu/isolate/binding_copies.h"
#include "hal/cpu/isolate/worker_system.h"
#include "hal/cpu/kernel_executable.h"
#include "hal/cpu/library_executable.h"
#include "hal/cpu/library_facts.h"
#include "hal/cpu/machine/cpu_features.h"
#include "hal/cpu/machine/instruction_set.h"
#include "hal/cpu/native_executable.h"
#include "hal/paid_transfer.h"

namespace eyrie::hal::cpu::isolate {
namespace {

// The code area, for the loader.
class CodeMemory final : public ImageMemory {
 public:
  explicit CodeMemory(std::shared_ptr<Worker> worker)
      : worker_(std::move(worker)) {}
  absl::StatusOr<uint8_t*> Allocate(size_t size, size_t alignment,
                                    WorkBudget* work) override {
    ASSIGN_OR_RETURN(void* const block,
                     worker_->code()->AllocatePaid(size, alignment, work));
    auto* const data = static_cast<uint8_t*>(block);
    if (data == nullptr) return data;
    worker_->data()->CountCommitted(size);
    const absl::Status cleared =
        ClearPaid(work, "clearing of an executable's memory", data, size);
    if (cleared.ok()) return data;
    Free(data, size);
    return cleared;
  }
  void Free(uint8_t* data, size_t size) override {
    worker_->data()->CountReturned(size);
    worker_->code()->Free(data, size);
  }

 private:
  const std::shared_ptr<Worker> worker_;
};

// Values in the code area, which the worker cannot write.
class CodeBlock {
 public:
  CodeBlock() = default;
  ~CodeBlock() {
    if (data_ != nullptr) memory_->Free(data_, size_);
  }
  CodeBlock(CodeBlock&& other) noexcept { *this = std::move(other); }
  CodeBlock& operator=(CodeBlock&& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(charge_, other.charge_);
    return *this;
  }

  // Returns zeros, for which the context of `params` pays.
  static absl::StatusOr<CodeBlock> Create(
      const std::shared_ptr<CodeMemory>& memory, size_t size,
      const ExecutableParams& params) {
    CodeBlock block;
    ASSIGN_OR_RETURN(
        block.charge_,
        MemoryCharge::Take(params.memory, size, "an executable's environment"));
    ASSIGN_OR_RETURN(block.data_,
                     memory->Allocate(size, kBufferAlignment, params.caller));
    if (block.data_ == nullptr) {
      return absl::ResourceExhaustedError(absl::StrCat(
          "The isolated worker's code area has no ", size, " bytes left."));
    }
    block.memory_ = memory;
    block.size_ = size;
    return block;
  }
  uint8_t* data() const { return data_; }

 private:
  std::shared_ptr<CodeMemory> memory_;
  uint8_t* data_ = nullptr;
  size_t size_ = 0;
  MemoryCharge charge_;
};

// A copy of an environment for the worker, without imports.
class RemoteEnvironment {
 public:
  static absl::StatusOr<RemoteEnvironment> Create(
      const std::shared_ptr<CodeMemory>& memory, const ProcessorData& processor,
      const ExecutableParams& params, size_t import_count) {
    const std::span<const uint32_t> constants = params.constants;
    const size_t imports_at =
        sizeof(Environment) + (constants.size_bytes() + 7) / 8 * 8;
    const size_t contexts_at = imports_at + import_count * sizeof(void*);
    RemoteEnvironment made;
    ASSIGN_OR_RETURN(
        made.block_,
        CodeBlock::Create(memory, contexts_at + import_count * sizeof(void*),
                          params));
    uint8_t* const data = made.block_.data();
    Environment environment = {};
    environment.constants =
        reinterpret_cast<const uint32_t*>(data + sizeof(Environment));
    environment.import_functions =
        reinterpret_cast<const ImportFunction*>(data + imports_at);
    environment.import_contexts =
        reinterpret_cast<void* const*>(data + contexts_at);
    environment.processor = processor;
    std::memcpy(data, &environment, sizeof(environment));
    if (!constants.empty()) {
      std::memcpy(data + sizeof(Environment), constants.data(),
                  constants.size_bytes());
    }
    return made;
  }
  const Environment* get() const {
    return reinterpret_cast<const Environment*>(block_.data());
  }

 private:
  CodeBlock block_;
};

absl::Status StatusOf(const Lane::Outcome& outcome, const Lane& lane,
                      Worker& worker, const WorkBudget* work) {
  switch (outcome.end) {
    case Lane::End::kDone:
      return absl::OkStatus();
    case Lane::End::kFailed:
      return KernelFailed({.name = outcome.label.name}, outcome.code);
    case Lane::End::kStopped:
      return work->StopReason();
    case Lane::End::kLost:
      break;
  }
  absl::Status loss = worker.LossOf(lane, outcome.label);
  if (work == nullptr || !work->stopped()) return loss;
  return Annotate(
      work->StopReason(),
      absl::StrCat("(", outcome.label.ToString(),
                   " did not stop, so its isolated worker was ended)"));
}

// For a library's query function and initializers, which take microseconds, in
// calls without a shorter limit of time.
constexpr absl::Duration kLoadTime = absl::Seconds(2);

CodeRange RangeOf(const Image& image) {
  const auto ranges = image.ranges();
  if (ranges.empty()) return {};
  const auto first = reinterpret_cast<uintptr_t>(ranges.front().bytes.data());
  const auto last = reinterpret_cast<uintptr_t>(ranges.back().bytes.data());
  return {first, last + ranges.back().bytes.size(), image.bias()};
}

// A function of a library, which takes microseconds.
struct LibraryCall {
  CommandKind kind;
  uint64_t function;
  uint32_t version = 0;  // of a kQuery
  const Environment* environment = nullptr;
};

// A lane as a stream of dispatches, and for single calls.
class LaneStream final : public DispatchStream {
 public:
  static absl::StatusOr<std::unique_ptr<LaneStream>> Take(
      const std::shared_ptr<Worker>& worker, const WorkBudget* work,
      Deadline deadline = Deadline::Never()) {
    std::unique_ptr<LaneStream> stream(new LaneStream(worker));
    ASSIGN_OR_RETURN(stream->lease_, worker->TakeLane(work, deadline));
    stream->lane().Begin();
    return stream;
  }

  absl::Status Post(const KernelExecutable& executable, uint32_t ordinal,
                    const DispatchState& state, uint64_t read_only,
                    WorkBudget* work) override;
  absl::Status Finish(WorkBudget* work) override {
    const std::unique_ptr<LaneStream> last(this);
    return lease_.is_held() ? Wait(work) : absl::OkStatus();
  }

  // Posts workgroups.
  absl::Status PostRange(const KernelExecutable& executable, uint32_t ordinal,
                         const DispatchState& state,
                         std::span<void* const> pointers, WorkgroupRange range,
                         std::span<uint8_t> local_memory, WorkBudget* work);
  // Calls a function and waits for it until the deadline. `work` may be null.
  absl::StatusOr<uint64_t> Call(const LibraryCall& call, const CodeRange& code,
                                WorkBudget* work, Deadline deadline);
  absl::Status Wait(WorkBudget* work) {
    return StatusOf(lane().Finish(work), lane(), *worker_, work);
  }

 private:
  explicit LaneStream(std::shared_ptr<Worker> worker)
      : worker_(std::move(worker)) {}
  Lane& lane() const { return lease_.lane(); }

  const std::shared_ptr<Worker> worker_;
  Worker::Lease lease_;
};

// Calls the functions of a library in the worker.
class RemoteCaller final : public LibraryCaller {
 public:
  RemoteCaller(const std::shared_ptr<Worker>& worker,
               const std::shared_ptr<CodeMemory>& memory, const Image& image,
               const ExecutableParams& params)
      : worker_(worker),
        memory_(memory),
        code_(RangeOf(image)),
        params_(params),
        work_(params.caller) {}

  absl::Status Initialize(uint64_t address) override {
    return Call({CommandKind::kInitialize, address}).status();
  }
  absl::StatusOr<const LibraryHeader* const*> Query(
      uint64_t address, uint32_t version,
      const Environment& environment) override {
    if (!environment_) {
      ASSIGN_OR_RETURN(environment_,
                       RemoteEnvironment::Create(memory_, environment.processor,
                                                 params_, 0));
    }
    ASSIGN_OR_RETURN(
        const uint64_t answer,
        Call({CommandKind::kQuery, address, version, environment_->get()}));
    return reinterpret_cast<const LibraryHeader* const*>(answer);
  }

 private:
  absl::StatusOr<uint64_t> Call(const LibraryCall& call) {
    ASSIGN_OR_RETURN(const auto stream,
                     LaneStream::Take(worker_, work_, deadline_));
    return stream->Call(call, code_, work_, deadline_);
  }

  const std::shared_ptr<Worker>& worker_;
  const std::shared_ptr<CodeMemory>& memory_;
  const CodeRange code_;
  const ExecutableParams& params_;
  WorkBudget* const work_;                                // may be null
  const Deadline deadline_ = Deadline::After(kLoadTime);  // of all calls
  std::optional<RemoteEnvironment> environment_;
};

class IsolatedExecutable final : public KernelExecutable {
 public:
  IsolatedExecutable(std::shared_ptr<Worker> worker,
                     Ref<LibraryExecutable> library,
                     RemoteEnvironment environment)
      : worker_(std::move(worker)),
        library_(std::move(library)),
        environment_(std::move(environment)),
        code_(RangeOf(library_->image())) {
    remote_ = worker_.get();
  }

  std::span<const ExportInfo> exports() const override {
    return library_->exports();
  }
  uint32_t local_memory_size(uint32_t ordinal) const override {
    return kernel(ordinal).local_memory_size;
  }
  absl::Status RunWorkgroups(uint32_t ordinal, const DispatchState& state,
                             WorkgroupRange range,
                             std::span<uint8_t> local_memory,
                             WorkBudget* work) const override {
    return RunGuarded(ordinal, state, range, local_memory, 0, work);
  }
  absl::Status RunGuarded(uint32_t ordinal, const DispatchState& state,
                          WorkgroupRange range, std::span<uint8_t> local_memory,
                          uint64_t read_only, WorkBudget* work) const override;
  absl::StatusOr<DispatchStream*> TakeStream(
      const WorkBudget* work) const override {
    ASSIGN_OR_RETURN(auto stream, LaneStream::Take(worker_, work));
    return stream.release();
  }

  const Kernel& kernel(uint32_t ordinal) const {
    return library_->kernels()[ordinal];
  }
  const Environment* environment() const { return environment_.get(); }
  const CodeRange& code() const { return code_; }

 private:
  const std::shared_ptr<Worker> worker_;
  const Ref<LibraryExecutable> library_;
  const RemoteEnvironment environment_;
  const CodeRange code_;
};

void FillCommand(Command& command, const IsolatedExecutable& executable,
                 uint32_t ordinal, const DispatchState& state,
                 std::span<void* const> pointers, WorkgroupRange range,
                 std::span<uint8_t> local_memory) {
  command.kind = CommandKind::kDispatch;
  command.float_state = FloatStateNow();
  command.processor = CurrentProcessor();
  command.function =
      reinterpret_cast<uintptr_t>(executable.kernel(ordinal).function);
  command.environment = executable.environment();
  command.begin = range.begin;
  command.end = range.end;
  command.local_memory = local_memory.data();
  command.local_memory_size = static_cast<uint32_t>(local_memory.size());
  command.state = state;
  command.state.constants = command.constants;
  command.state.binding_pointers = command.pointers;
  command.state.binding_lengths = command.lengths;
  if (state.constant_count != 0) {
    std::memcpy(command.constants, state.constants,
                state.constant_count * sizeof(uint32_t));
  }
  if (pointers.empty()) return;
  std::memcpy(command.pointers, pointers.data(), pointers.size_bytes());
  std::memcpy(command.lengths, state.binding_lengths,
              pointers.size() * sizeof(size_t));
}

absl::Status LaneStream::PostRange(const KernelExecutable& executable,
                                   uint32_t ordinal, const DispatchState& state,
                                   std::span<void* const> pointers,
                                   WorkgroupRange range,
                                   std::span<uint8_t> local_memory,
                                   WorkBudget* work) {
  Command* const command = lane().Next(work);
  if (command == nullptr) {
    RETURN_IF_ERROR(Wait(work));
    return work->StopReason();  // the grace had begun
  }
  const auto& isolated = static_cast<const IsolatedExecutable&>(executable);
  FillCommand(*command, isolated, ordinal, state, pointers, range,
              local_memory);
  lane().Post({executable.exports()[ordinal].name, ordinal,
               CommandKind::kDispatch, isolated.code()});
  return absl::OkStatus();
}

absl::Status LaneStream::Post(const KernelExecutable& executable,
                              uint32_t ordinal, const DispatchState& state,
                              uint64_t read_only, WorkBudget* work) {
  const std::span<void* const> pointers(state.binding_pointers,
                                        state.binding_count);
  for (size_t i = 0; i < pointers.size(); ++i) {
    if (worker_->data()->CanUse(pointers[i], state.binding_lengths[i])) {
      continue;
    }
    // Memory of another device, which is rare: copy it.
    RETURN_IF_ERROR(Wait(work));
    lane().Begin();
    lease_ = {};
    absl::Status status = executable.RunGuarded(
        ordinal, state, AllWorkgroups(state), {}, read_only, work);
    auto lease = worker_->TakeLane(work, Deadline::Never());
    if (!lease.ok()) return status.ok() ? lease.status() : status;
    lease_ = *std::move(lease);
    lane().Begin();
    return status;
  }
  return PostRange(executable, ordinal, state, pointers, AllWorkgroups(state),
                   {}, work);
}

absl::StatusOr<uint64_t> LaneStream::Call(const LibraryCall& call,
                                          const CodeRange& code,
                                          WorkBudget* work, Deadline deadline) {
  lane().Begin(deadline);
  if (Command* const command = lane().Next(work)) {
    command->kind = call.kind;
    command->float_state = FloatStateNow();
    command->function = call.function;
    command->environment = call.environment;
    command->begin = call.version;
    lane().Post({"", 0, call.kind, code});
  }
  RETURN_IF_ERROR(Wait(work));
  return lane().answer();
}

absl::Status IsolatedExecutable::RunGuarded(uint32_t ordinal,
                                            const DispatchState& state,
                                            WorkgroupRange range,
                                            std::span<uint8_t> local_memory,
                                            uint64_t read_only,
                                            WorkBudget* work) const {
  void* pointers[kMaxDispatchBindings];
  const std::span<void*> used(pointers, state.binding_count);
  SharedHeap& heap = *worker_->data();
  BindingCopies copies(heap, work);
  RETURN_IF_ERROR(copies.Add(state, read_only, memory(), used));
  const bool is_whole = range.end - range.begin == AllWorkgroups(state).end;
  if (!copies.empty() && !is_whole) {
    return absl::FailedPreconditionError(
        "The dispatch of an isolated kernel is shared by several threads, so "
        "its buffers must be allocated by its own device; a buffer of another "
        "device would have to be copied for each thread.");
  }
  std::span<uint8_t> local = local_memory;
  void* scratch = nullptr;
  MemoryCharge charge;
  const size_t size = local_memory_size(ordinal);
  const bool has_local =
      local.size() >= size && heap.CanUse(local.data(), size);
  if (size != 0 && !has_local) {
    ASSIGN_OR_RETURN(
        charge, MemoryCharge::Take(memory(), size, "a kernel's local memory"));
    ASSIGN_OR_RETURN(scratch, heap.AllocatePaid(size, kBufferAlignment, work));
    if (scratch == nullptr) {
      return absl::ResourceExhaustedError(absl::StrCat(
          size,
          " bytes of local memory cannot be allocated for the isolated "
          "worker."));
    }
    local = {static_cast<uint8_t*>(scratch), size};
  }
  const auto run = [&]() -> absl::Status {
    ASSIGN_OR_RETURN(const auto stream, LaneStream::Take(worker_, work));
    RETURN_IF_ERROR(
        stream->PostRange(*this, ordinal, state, used, range, local, work));
    return stream->Wait(work);
  };
  absl::Status status = run();
  if (scratch != nullptr) heap.Free(scratch, local.size());
  return status.ok() ? copies.WriteBack() : status;
}

class IsolatedLoader final : public ExecutableLoader {
 public:
  explicit IsolatedLoader(std::shared_ptr<Worker> worker)
      : worker_(std::move(worker)) {}

  absl::string_view format() const override {
    return ThisInstructionSet().embedded_format;
  }
  absl::StatusOr<Ref<Executable>> Load(
      const ExecutableParams& params) const override;
  absl::StatusOr<ExecutableFacts> Describe(
      std::span<const uint8_t> data) const override {
    return ReadLibraryFacts(data, MachineFeatures());
  }

 private:
  const std::shared_ptr<Worker> worker_;
};

absl::StatusOr<Ref<Executable>> IsolatedLoader::Load(
    const ExecutableParams& params) const {
  const auto memory = std::make_shared<CodeMemory>(worker_);
  ASSIGN_OR_RETURN(std::unique_ptr<ElfImage> image,
                   ElfImage::Load(params.data, ElfUse::kRun, memory,
                                  {params.memory, params.caller}));
  RemoteCaller caller(worker_, memory, *image, params);
  ASSIGN_OR_RETURN(Ref<LibraryExecutable> library,
                   CreateLibraryExecutable(std::move(image), params.constants,
                                           MachineFeatures(), {}, &caller));
  ASSIGN_OR_RETURN(
      RemoteEnvironment environment,
      RemoteEnvironment::Create(memory, library->environment().processor,
                                params, library->import_count()));
  return Ref<Executable>(MakeRef<IsolatedExecutable>(
      worker_, std::move(library), std::move(environment)));
}

}  // namespace

std::shared_ptr<const ExecutableLoader> CreateIsolatedLoader(
    std::shared_ptr<Worker> worker) {
  return std::make_shared<IsolatedLoader>(std::move(worker));
}

}  // namespace eyrie::hal::cpu::isolate
