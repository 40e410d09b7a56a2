// The oracle's buffers, accessed one byte at a time.
// Tested by random_programs_test.cc, fixtures_test.cc.
#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "base/status_macros.h"
#include "tests/oracle/op_table.h"
#include "tests/oracle/oracle.h"
#include "vm/object/buffer.h"

namespace eyrie::tests {
namespace {

using vm::Buffer;
using vm::Op;

// Checks a range. Offset and count are in elements of `width` bytes.
absl::StatusOr<uint64_t> BytesAt(const Buffer& buffer, uint64_t offset,
                                 uint64_t count, uint64_t width) {
  const uint64_t limit = buffer.size() / width;
  if (offset > limit || count > limit - offset) return PastEnd();
  return offset * width;
}

absl::StatusOr<std::span<uint8_t>> Writable(Buffer& buffer) {
  if (!buffer.is_mutable()) return absl::PermissionDeniedError("read-only");
  return buffer.MutableBytes();
}

absl::Status CheckNew(uint64_t size, uint64_t alignment) {
  if ((alignment & (alignment - 1)) != 0 || alignment > Buffer::kMaxAlignment) {
    return absl::InvalidArgumentError("alignment");
  }
  if (size > Buffer::kMaxSize) return absl::ResourceExhaustedError("size");
  return absl::OkStatus();
}

absl::Status BufferAlloc(Activation& a, const Instruction& in) {
  const uint64_t size = a.Number(in.operands[0]);
  RETURN_IF_ERROR(CheckNew(size, a.Number(in.operands[1])));
  ASSIGN_OR_RETURN(Ref<Buffer> buffer, Buffer::Allocate(size));
  a.RefAt(in.result()) = std::move(buffer);
  return absl::OkStatus();
}

absl::Status BufferClone(Activation& a, const Instruction& in) {
  ASSIGN_OR_RETURN(Buffer * source, As<Buffer>(a, in.operands[0]));
  const uint64_t size = a.Number(in.operands[2]);
  ASSIGN_OR_RETURN(const uint64_t from,
                   BytesAt(*source, a.Number(in.operands[1]), size, 1));
  RETURN_IF_ERROR(CheckNew(size, a.Number(in.operands[3])));
  ASSIGN_OR_RETURN(Ref<Buffer> buffer, Buffer::Allocate(size));
  const std::span<uint8_t> bytes = *buffer->MutableBytes();
  for (uint64_t i = 0; i < size; ++i) bytes[i] = source->bytes()[from + i];
  a.RefAt(in.result()) = std::move(buffer);
  return absl::OkStatus();
}

absl::Status BufferLength(Activation& a, const Instruction& in) {
  ASSIGN_OR_RETURN(Buffer * buffer, As<Buffer>(a, in.operands[0]));
  a.SetNumber(in.result(), buffer->size());
  return absl::OkStatus();
}

absl::Status BufferCopy(Activation& a, const Instruction& in) {
  ASSIGN_OR_RETURN(Buffer * source, As<Buffer>(a, in.operands[0]));
  ASSIGN_OR_RETURN(Buffer * target, As<Buffer>(a, in.operands[2]));
  const uint64_t length = a.Number(in.operands[4]);
  ASSIGN_OR_RETURN(const uint64_t from,
                   BytesAt(*source, a.Number(in.operands[1]), length, 1));
  ASSIGN_OR_RETURN(const std::span<uint8_t> bytes, Writable(*target));
  ASSIGN_OR_RETURN(const uint64_t to,
                   BytesAt(*target, a.Number(in.operands[3]), length, 1));
  const std::vector<uint8_t> copy(source->data() + from,
                                  source->data() + from + length);
  for (uint64_t i = 0; i < length; ++i) bytes[to + i] = copy[i];
  return absl::OkStatus();
}

absl::Status BufferCompare(Activation& a, const Instruction& in) {
  ASSIGN_OR_RETURN(Buffer * left, As<Buffer>(a, in.operands[0]));
  ASSIGN_OR_RETURN(Buffer * right, As<Buffer>(a, in.operands[2]));
  const uint64_t length = a.Number(in.operands[4]);
  ASSIGN_OR_RETURN(const uint64_t l,
                   BytesAt(*left, a.Number(in.operands[1]), length, 1));
  ASSIGN_OR_RETURN(const uint64_t r,
                   BytesAt(*right, a.Number(in.operands[3]), length, 1));
  bool equal = true;
  for (uint64_t i = 0; i < length; ++i) {
    equal = equal && left->bytes()[l + i] == right->bytes()[r + i];
  }
  a.SetNumber(in.result(), equal);
  return absl::OkStatus();
}

// The hash function itself is tested with its authors' vectors.
absl::Status BufferHash(Activation& a, const Instruction& in) {
  ASSIGN_OR_RETURN(Buffer * buffer, As<Buffer>(a, in.operands[0]));
  const uint64_t length = a.Number(in.operands[2]);
  ASSIGN_OR_RETURN(const uint64_t from,
                   BytesAt(*buffer, a.Number(in.operands[1]), length, 1));
  a.SetNumber(in.result(),
              vm::SipHash24(buffer->bytes().subspan(from, length)));
  return absl::OkStatus();
}

template <int kWidth, bool kSigned = false>
absl::Status BufferLoad(Activation& a, const Instruction& in) {
  ASSIGN_OR_RETURN(Buffer * buffer, As<Buffer>(a, in.operands[0]));
  ASSIGN_OR_RETURN(const uint64_t from,
                   BytesAt(*buffer, a.Number(in.operands[1]), 1, kWidth));
  uint64_t bits = 0;
  for (int i = kWidth; i-- > 0;) bits = bits << 8 | buffer->bytes()[from + i];
  if (kSigned && (bits >> (8 * kWidth - 1)) == 1) {
    bits |= ~uint64_t{0} << (8 * kWidth % 64);
  }
  a.SetNumber(in.result(), bits);
  return absl::OkStatus();
}

absl::Status Put(Activation& a, const Instruction& in, uint64_t count,
                 uint64_t width, const Operand& value) {
  ASSIGN_OR_RETURN(Buffer * buffer, As<Buffer>(a, in.operands[0]));
  ASSIGN_OR_RETURN(const std::span<uint8_t> bytes, Writable(*buffer));
  ASSIGN_OR_RETURN(uint64_t at,
                   BytesAt(*buffer, a.Number(in.operands[1]), count, width));
  const uint64_t bits = a.Number(value);
  for (uint64_t i = 0; i < count; ++i) {
    for (uint64_t b = 0; b < width; ++b) {
      bytes[at++] = static_cast<uint8_t>(bits >> (8 * b));
    }
  }
  return absl::OkStatus();
}

template <int kWidth>
absl::Status BufferStore(Activation& a, const Instruction& in) {
  return Put(a, in, 1, kWidth, in.operands[2]);
}
template <int kWidth>
absl::Status BufferFill(Activation& a, const Instruction& in) {
  return Put(a, in, a.Number(in.operands[2]), kWidth, in.operands[3]);
}

constexpr OpTable<Effect>::Row kBufferRows[] = {
    {Op::kBufferAlloc, BufferAlloc},
    {Op::kBufferClone, BufferClone},
    {Op::kBufferLength, BufferLength},
    {Op::kBufferCopy, BufferCopy},
    {Op::kBufferCompare, BufferCompare},
    {Op::kBufferHash, BufferHash},
    {Op::kBufferLoadI8U, BufferLoad<1>},
    {Op::kBufferLoadI8S, BufferLoad<1, true>},
    {Op::kBufferLoadI16U, BufferLoad<2>},
    {Op::kBufferLoadI16S, BufferLoad<2, true>},
    {Op::kBufferLoadI32, BufferLoad<4>},
    {Op::kBufferLoadI64, BufferLoad<8>},
    {Op::kBufferLoadF32, BufferLoad<4>},
    {Op::kBufferLoadF64, BufferLoad<8>},
    {Op::kBufferStoreI8, BufferStore<1>},
    {Op::kBufferStoreI16, BufferStore<2>},
    {Op::kBufferStoreI32, BufferStore<4>},
    {Op::kBufferStoreI64, BufferStore<8>},
    {Op::kBufferStoreF32, BufferStore<4>},
    {Op::kBufferStoreF64, BufferStore<8>},
    {Op::kBufferFillI8, BufferFill<1>},
    {Op::kBufferFillI16, BufferFill<2>},
    {Op::kBufferFillI32, BufferFill<4>},
    {Op::kBufferFillI64, BufferFill<8>},
    {Op::kBufferFillF32, BufferFill<4>},
    {Op::kBufferFillF64, BufferFill<8>},
};

}  // namespace

Effect FindBufferEffect(Op op) {
  static const OpTable<Effect> kTable(kBufferRows);
  return kTable[op];
}

}  // namespace eyrie::tests
