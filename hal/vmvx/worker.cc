// Lends a dispatch's memory to a program, and takes it back: buffers that the
// program keeps are empty afterwards.
#include "hal/vmvx/worker.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/allocate.h"
#include "base/status_macros.h"
#include "vm/isa/value.h"

namespace eyrie::hal::vmvx {
namespace {

constexpr char kSetConstantsConvention[] = "0r_v";

// The size of a context without globals. Most of it is the first pages of its
// stack.
constexpr uint64_t kContextBytes = 16 << 10;

std::span<uint8_t> BytesOf(std::span<const uint32_t> words) {
  // The const_cast is safe, because callers lend the bytes read-only.
  auto* data = reinterpret_cast<const uint8_t*>(words.data());
  return {const_cast<uint8_t*>(data), words.size_bytes()};
}

}  // namespace

absl::StatusOr<std::unique_ptr<Worker>> Worker::Create(
    const WorkerParams& params) {
  std::unique_ptr<Worker> worker(new Worker());
  const uint64_t bytes =
      kContextBytes + params.kernels.size() * sizeof(vm::Function) +
      params.binding_capacity * (sizeof(vm::Buffer) + sizeof(Ref<vm::Buffer>));
  ASSIGN_OR_RETURN(
      worker->charge_,
      MemoryCharge::Take(params.memory, bytes, "a context of an executable"));
  vm::ContextOptions options;
  options.work = params.work;
  options.memory = params.memory;
  options.jit = params.jit;
  ASSIGN_OR_RETURN(worker->context_,
                   vm::Context::Create({params.vmvx, params.program}, options));
  RETURN_IF_ERROR(worker->SetConstants(params.constants));
  const std::vector<vm::Function> exports =
      worker->context_->ExportsOf(*params.program);
  if (exports.size() != params.program->def().exports.size()) {
    return absl::ResourceExhaustedError(
        "There is no memory for the executable's functions.");
  }
  RETURN_IF_ERROR(Reserve(worker->entries_, params.kernels.size(),
                          "an executable's functions"));
  for (const uint32_t kernel : params.kernels) {
    worker->entries_.push_back(exports[kernel]);
  }
  const vm::ElementType of_buffers = {vm::ElementType::Kind::kRef,
                                      &vm::Buffer::kType};
  ASSIGN_OR_RETURN(
      worker->list_,
      vm::List::Create(of_buffers, params.binding_capacity, params.memory));
  for (uint32_t i = 0; i < params.binding_capacity; ++i) {
    worker->bindings_.push_back(vm::Buffer::Window());
  }
  return worker;
}

absl::Status Worker::SetConstants(std::span<const uint32_t> constants) {
  absl::StatusOr<vm::Function> set = context_->Lookup(kSetConstantsExport);
  if (!set.ok() || constants.empty()) {
    if (set.ok() == !constants.empty()) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat(
        "The executable takes ", set.ok() ? "" : "no ",
        "specialization constants; ", constants.size(), " are given."));
  }
  if (set->signature().ToString() != kSetConstantsConvention) {
    return absl::InvalidArgumentError(
        absl::StrCat("The executable's ", kSetConstantsExport,
                     " has the convention ", set->signature().ToString(), "; ",
                     kSetConstantsConvention, " is required."));
  }
  constants_->Lend(BytesOf(constants), /*is_mutable=*/false);
  vm::Slot argument;
  argument.ref = constants_.get();
  absl::Status status = context_->Invoke(*set, {&argument, 1}, {});
  TakeBack();
  return status;
}

absl::Status Worker::Lend(const cpu::DispatchState& state,
                          std::span<uint8_t> local_memory, uint64_t read_only) {
  local_memory_->Lend(local_memory, /*is_mutable=*/true);
  constants_->Lend(BytesOf({state.constants, state.constant_count}),
                   /*is_mutable=*/false);
  // A program may have changed the list, so set all of it again.
  RETURN_IF_ERROR(list_->Resize(state.binding_count));
  for (size_t i = 0; i < state.binding_count; ++i) {
    bindings_[i]->Lend({static_cast<uint8_t*>(state.binding_pointers[i]),
                        state.binding_lengths[i]},
                       (read_only >> i & 1) == 0);
    RETURN_IF_ERROR(list_->SetRef(i, bindings_[i]));
  }
  return absl::OkStatus();
}

void Worker::TakeBack() {
  local_memory_->Lend({}, false);
  constants_->Lend({}, false);
  for (const Ref<vm::Buffer>& binding : bindings_) binding->Lend({}, false);
}

absl::Status Worker::Run(uint32_t ordinal, const cpu::DispatchState& state,
                         cpu::WorkgroupRange range,
                         std::span<uint8_t> local_memory, uint64_t read_only,
                         WorkBudget* work) {
  absl::Status status = Lend(state, local_memory, read_only);
  context_->TakeFuelFrom(work);
  vm::HostCall call(*context_);
  if (status.ok()) status = call.status();
  vm::Slot slots[12];
  slots[0].ref = local_memory_.get();
  slots[1].ref = constants_.get();
  slots[2].ref = list_.get();
  slots[6].i32 = static_cast<int32_t>(state.workgroup_size_x);
  slots[7].i32 = static_cast<int32_t>(state.workgroup_size_y);
  slots[8].i32 = state.workgroup_size_z;
  slots[9].i32 = static_cast<int32_t>(state.workgroup_count_x);
  slots[10].i32 = static_cast<int32_t>(state.workgroup_count_y);
  slots[11].i32 = state.workgroup_count_z;
  const uint64_t per_z =
      uint64_t{state.workgroup_count_x} * state.workgroup_count_y;
  for (uint64_t i = range.begin; status.ok() && i < range.end; ++i) {
    slots[3].i32 = static_cast<int32_t>(i % state.workgroup_count_x);
    slots[4].i32 = static_cast<int32_t>(i % per_z / state.workgroup_count_x);
    slots[5].i32 = static_cast<int32_t>(i / per_z);
    status = context_->Invoke(entries_[ordinal], slots, {});
  }
  status = call.End(std::move(status));
  TakeBack();
  return status;
}

}  // namespace eyrie::hal::vmvx
