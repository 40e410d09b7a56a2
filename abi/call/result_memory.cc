#include "abi/call/result_memory.h"

#include <cstring>

#include "abi/tensor/tensor.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace eyrie::abi {

// Memory of the host for one array.
struct ResultMemory::Block {
  Block(std::shared_ptr<hal::HostMemory> from, uint64_t bytes)
      : memory(std::move(from)),
        size(bytes),
        // The host allocates at least 1 byte.
        data(static_cast<uint8_t*>(
            memory->Allocate(bytes == 0 ? 1 : bytes, kAlignment))) {}
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  ~Block() {
    if (data != nullptr) memory->Free(data, size == 0 ? 1 : size);
  }

  const std::shared_ptr<hal::HostMemory> memory;
  const uint64_t size;
  uint8_t* const data;
  MemoryCharge charge;
};

absl::StatusOr<std::shared_ptr<ResultMemory::Block>> ResultMemory::NewBlock(
    uint64_t size) const {
  ASSIGN_OR_RETURN(MemoryCharge charge,
                   MemoryCharge::Take(meter_, size, "a result"));
  auto block = std::make_shared<Block>(memory_, size);
  if (block->data == nullptr) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "The allocator for results has no memory for ", size, " bytes."));
  }
  if (reinterpret_cast<uintptr_t>(block->data) % kAlignment != 0) {
    return absl::FailedPreconditionError(
        absl::StrCat("The allocator for results returned memory that is not "
                     "aligned to ",
                     kAlignment, " bytes."));
  }
  block->charge = std::move(charge);
  return block;
}

absl::StatusOr<HostValue> ResultMemory::NewArray(
    hal::ElementType type, std::span<const int64_t> shape) const {
  hal::TensorType spec;
  spec.element = type;
  spec.shape.assign(shape.begin(), shape.end());
  ASSIGN_OR_RETURN(const uint64_t size, spec.ByteLength());
  ASSIGN_OR_RETURN(const std::shared_ptr<Block> block, NewBlock(size));
  std::memset(block->data, 0, size);
  ASSIGN_OR_RETURN(
      std::shared_ptr<const HostArray> array,
      HostArray::Borrow(type, shape, {}, {block->data, block->size}, 0, block));
  return HostValue(std::move(array));
}

absl::Status ResultMemory::MoveValue(HostValue& value) const {
  // The values are the caller's own, so their items may be changed.
  if (const HostValue::Items* items = value.items()) {
    for (const HostValue& item : *items) {
      RETURN_IF_ERROR(MoveValue(const_cast<HostValue&>(item)));
    }
  }
  if (const HostValue::Entries* entries = value.entries()) {
    for (const HostValue::Entry& entry : *entries) {
      RETURN_IF_ERROR(MoveValue(const_cast<HostValue&>(entry.second)));
    }
  }
  const HostArray* const from = value.array();
  if (from == nullptr) return absl::OkStatus();
  ASSIGN_OR_RETURN(const std::shared_ptr<Block> block,
                   NewBlock(from->byte_length()));
  from->Pack(block->data);
  ASSIGN_OR_RETURN(std::shared_ptr<const HostArray> array,
                   HostArray::Borrow(from->type(), from->shape(), {},
                                     {block->data, block->size}, 0, block));
  value = HostValue(std::move(array));
  return absl::OkStatus();
}

absl::Status ResultMemory::Move(std::vector<HostValue>& results,
                                std::span<const HostValue* const> outs) const {
  for (size_t i = 0; i < results.size(); ++i) {
    if (i < outs.size() && outs[i] != nullptr) continue;
    const absl::Status status = MoveValue(results[i]);
    if (status.ok()) continue;
    results.clear();
    return Annotate(status, absl::StrCat("(result ", i, ")"));
  }
  return absl::OkStatus();
}

}  // namespace eyrie::abi
