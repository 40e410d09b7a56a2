// Tests element types, buffers, views and files.
#include "hal/buffer.h"

#include <array>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/ref.h"
#include "base/sanitized.h"
#include "gtest/gtest.h"
#include "hal/buffer_view.h"
#include "hal/element_type.h"
#include "hal/file.h"
#include "hal/types.h"
#include "tests/support/status_text.h"

namespace eyrie::hal {
namespace {

// A buffer over an array. Without host data, the host cannot see its memory.
class TestBuffer final : public Buffer {
 public:
  TestBuffer(const BufferParams& params, uint64_t length, bool visible = true)
      : TestBuffer(params, length, std::make_unique<uint8_t[]>(length + 1),
                   visible) {}
  std::string calls;  // of Flush and Invalidate

 private:
  TestBuffer(const BufferParams& params, uint64_t length,
             std::unique_ptr<uint8_t[]> bytes, bool visible)
      : Buffer(params, length, visible ? bytes.get() : nullptr),
        bytes_(std::move(bytes)) {}
  absl::Status Invalidate(uint64_t offset, uint64_t length) override {
    absl::StrAppend(&calls, "invalidate ", offset, "+", length, ";");
    return absl::OkStatus();
  }
  absl::Status Flush(uint64_t offset, uint64_t length) override {
    absl::StrAppend(&calls, "flush ", offset, "+", length, ";");
    return absl::OkStatus();
  }
  std::unique_ptr<uint8_t[]> bytes_;
};

BufferParams Params(MemoryType type, MemoryAccess access, BufferUsage usage) {
  BufferParams params;
  params.type = type;
  params.access = access;
  params.usage = usage;
  return params;
}

TEST(Types, Text) {
  EXPECT_EQ(MemoryTypeText(0), "NONE");
  EXPECT_EQ(
      MemoryTypeText(memory_type::kDeviceLocal | memory_type::kHostVisible),
      "DEVICE_LOCAL|HOST_VISIBLE");
  EXPECT_EQ(MemoryTypeText(memory_type::kHostLocal | 0x4000),
            "HOST_LOCAL|0x4000");
  EXPECT_EQ(BufferUsageText(buffer_usage::kDefault),
            "TRANSFER|DISPATCH_STORAGE");
  EXPECT_EQ(BufferUsageText(buffer_usage::kTransferSource |
                            buffer_usage::kMappingScoped),
            "TRANSFER_SOURCE|MAPPING_SCOPED");
  EXPECT_EQ(MemoryAccessText(memory_access::kAll), "READ|WRITE|DISCARD");
}

TEST(ElementType, Rows) {
  struct Case {
    uint32_t code;
    const char* name;
    uint32_t bits;
    uint64_t bytes_of_5;
  };
  const Case kCases[] = {
      {0x00000008, "*8", 8, 5},         {0x00000040, "*64", 64, 40},
      {0x10000001, "i1", 1, 1},         {0x10000002, "i2", 2, 2},
      {0x10000004, "i4", 4, 3},         {0x10000008, "i8", 8, 5},
      {0x10000010, "i16", 16, 10},      {0x10000020, "i32", 32, 20},
      {0x10000040, "i64", 64, 40},      {0x11000004, "si4", 4, 3},
      {0x11000008, "si8", 8, 5},        {0x11000010, "si16", 16, 10},
      {0x11000020, "si32", 32, 20},     {0x11000040, "si64", 64, 40},
      {0x12000004, "ui4", 4, 3},        {0x12000008, "ui8", 8, 5},
      {0x12000010, "ui16", 16, 10},     {0x12000020, "ui32", 32, 20},
      {0x12000040, "ui64", 64, 40},     {0x13000008, "i1", 8, 5},
      {0x21000010, "f16", 16, 10},      {0x21000020, "f32", 32, 20},
      {0x21000040, "f64", 64, 40},      {0x22000010, "bf16", 16, 10},
      {0x23000040, "cf64", 64, 40},     {0x23000080, "cf128", 128, 80},
      {0x24000008, "f8E5M2", 8, 5},     {0x25000008, "f8E4M3FN", 8, 5},
      {0x26000008, "f8E5M2FNUZ", 8, 5}, {0x27000008, "f8E4M3FNUZ", 8, 5},
      {0x29000006, "f6E3M2FN", 6, 5},   {0x2A000006, "f6E2M3FN", 6, 5},
      {0x2B000004, "f4E2M1FN", 4, 3},   {0x28000008, "f8E8M0FNU", 8, 5},
      {0x10000018, "i24", 24, 15},      {0x10000007, "i7", 7, 5},
      {0x10000003, "i3", 3, 5},         {0x10000009, "i9", 9, 10},
      {0x10000080, "i128", 128, 80},    {0x1100000C, "si12", 12, 10},
      {0x12000001, "ui1", 1, 1},        {0x21000050, "f80", 80, 50},
      {0x22000008, "bf8", 8, 5},        {0x23000020, "cf32", 32, 20},
      {0x13000010, "*16", 16, 10},      {0x99000007, "*7", 7, 5},
      {0x00000000, "*0", 0, 0},
  };
  for (const Case& c : kCases) {
    SCOPED_TRACE(absl::StrCat(absl::Hex(c.code)));
    const ElementType type = static_cast<ElementType>(c.code);
    EXPECT_EQ(ElementTypeName(type), c.name);
    EXPECT_EQ(BitCount(type), c.bits);
    EXPECT_EQ(NumericalKind(type), c.code >> 24);
    EXPECT_EQ(DenseByteLength(type, 5), c.bytes_of_5);
  }
}

TEST(ElementType, Parse) {
  struct Case {
    const char* name;
    std::string want;  // the code, or the error
  };
  const Case kCases[] = {
      {"i1", "13000008"},
      {"bool", "13000008"},
      {"bool8", "13000008"},
      {"f32", "21000020"},
      {"bf16", "22000010"},
      {"cf64", "23000040"},
      {"complex<f32>", "23000040"},
      {"complex<f64>", "23000080"},
      {"x32", "20"},
      {"*32", "20"},
      {"f8E4M3FN", "25000008"},
      {"f4E2M1FN", "2b000004"},
      {"f99",
       "NOT_FOUND: Unknown element type 'f99'; did you mean f16, f32 or "
       "f64?"},
      {"F32", "NOT_FOUND: Unknown element type 'F32'; did you mean f32?"},
      {"Float32",
       "NOT_FOUND: Unknown element type 'Float32'; did you mean "
       "f32?"},
      {"uint8", "NOT_FOUND: Unknown element type 'uint8'; did you mean ui8?"},
      {"tf32",
       "NOT_FOUND: Unknown element type 'tf32'; did you mean f32, "
       "i32 or si32?"},
      {"f8E4M3",
       "NOT_FOUND: Unknown element type 'f8E4M3'; did you mean "
       "f8E4M3FN or f8E5M2?"},
      {"tensor", "NOT_FOUND: Unknown element type 'tensor'."},
      {"", "NOT_FOUND: Unknown element type ''."},
  };
  for (const Case& c : kCases) {
    const absl::StatusOr<ElementType> type = ParseElementType(c.name);
    EXPECT_EQ(type.ok() ? absl::StrCat(absl::Hex(static_cast<uint32_t>(*type)))
                        : StatusText(type),
              c.want)
        << c.name;
  }
  for (const ElementTypeInfo& row : ElementTypes()) {
    EXPECT_EQ(ElementTypeName(*ParseElementType(row.name)), row.name);
  }
}

TEST(ElementType, ByteLengthOverflows) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(DenseByteLength(ElementType::kInt8, kMax), uint64_t{kMax});
  EXPECT_EQ(DenseByteLength(ElementType::kInt1, kMax), uint64_t{1} << 60);
  EXPECT_EQ(DenseByteLength(ElementType::kInt16, kMax), uint64_t{2} * kMax);
  EXPECT_EQ(DenseByteLength(ElementType::kInt32, kMax), std::nullopt);
  EXPECT_EQ(DenseByteLength(ElementType::kInt32, -1), std::nullopt);
}

TEST(Buffer, Subspan) {
  struct Case {
    uint64_t offset, length;
    std::string want;  // offset+length in the allocation, or the error
  };
  const Case kCases[] = {
      {0, 100, "0+100"},
      {0, kWholeBuffer, "0+100"},
      {40, kWholeBuffer, "40+60"},
      {40, 60, "40+60"},
      {40, 0, "40+0"},
      {100, 0, "100+0"},
      {100, kWholeBuffer, "100+0"},
      {40, 61,
       "OUT_OF_RANGE: The range of 61 bytes at offset 40 passes the "
       "end of the buffer (100 bytes)."},
      {101, 0,
       "OUT_OF_RANGE: Offset 101 is past the end of the buffer (100 "
       "bytes)."},
      {101, kWholeBuffer,
       "OUT_OF_RANGE: Offset 101 is past the end of the "
       "buffer (100 bytes)."},
      {~uint64_t{0}, 2,
       "OUT_OF_RANGE: Offset 18446744073709551615 is past the "
       "end of the buffer (100 bytes)."},
      {2, ~uint64_t{0} - 1,
       "OUT_OF_RANGE: The range of 18446744073709551614 "
       "bytes at offset 2 passes the end of the buffer "
       "(100 bytes)."},
  };
  const Ref<Buffer> buffer = MakeRef<TestBuffer>(BufferParams(), 100);
  for (const Case& c : kCases) {
    const absl::StatusOr<Ref<Buffer>> span =
        Buffer::Subspan(buffer, c.offset, c.length);
    EXPECT_EQ(span.ok() ? absl::StrCat((*span)->byte_offset(), "+",
                                       (*span)->byte_length())
                        : StatusText(span),
              c.want);
  }
  EXPECT_EQ(*Buffer::Subspan(buffer, 0, 100), buffer);
}

TEST(Buffer, SubspanOfSubspanSharesTheAllocation) {
  Ref<Buffer> buffer = MakeRef<TestBuffer>(BufferParams(), 100);
  Ref<Buffer> outer = *Buffer::Subspan(buffer, 10, 50);
  Ref<Buffer> inner = *Buffer::Subspan(outer, 5, 20);
  EXPECT_EQ(&inner->allocation(), buffer.get());
  EXPECT_EQ(inner->byte_offset(), 15u);
  EXPECT_EQ(inner->host_data(), buffer->host_data() + 15);
  outer.reset();
  const uint8_t* data = buffer->host_data();
  buffer.reset();
  EXPECT_EQ(StatusText(inner->Write(0, std::array<uint8_t, 2>{7, 8})), "OK");
  EXPECT_EQ(data[15], 7);
}

TEST(Buffer, Checks) {
  const Ref<Buffer> buffer = MakeRef<TestBuffer>(
      Params(memory_type::kDeviceLocal, memory_access::kRead,
             buffer_usage::kTransferSource),
      4);
  EXPECT_EQ(StatusText(buffer->CheckAccess(memory_access::kRead)), "OK");
  EXPECT_EQ(StatusText(buffer->CheckAccess(memory_access::kAny)), "OK");
  EXPECT_EQ(StatusText(buffer->CheckAccess(memory_access::kDiscardWrite)),
            "PERMISSION_DENIED: The buffer's access (READ) lacks WRITE.");
  EXPECT_EQ(StatusText(buffer->CheckUsage(buffer_usage::kTransferSource)),
            "OK");
  EXPECT_EQ(StatusText(buffer->CheckUsage(buffer_usage::kDefault)),
            "PERMISSION_DENIED: The buffer's usage (TRANSFER_SOURCE) lacks "
            "TRANSFER_TARGET|DISPATCH_STORAGE.");
  EXPECT_EQ(StatusText(buffer->CheckMemoryType(memory_type::kDeviceVisible)),
            "OK");
  EXPECT_EQ(StatusText(buffer->CheckMemoryType(memory_type::kHostVisible)),
            "PERMISSION_DENIED: The buffer's memory type (DEVICE_LOCAL) lacks "
            "HOST_VISIBLE.");
}

TEST(Buffer, MapReadWrite) {
  Ref<TestBuffer> buffer =
      MakeRef<TestBuffer>(Params(memory_type::kHostVisible, memory_access::kAll,
                                 buffer_usage::kDefault),
                          8);
  Ref<Buffer> span = *Buffer::Subspan(buffer, 2, 4);
  EXPECT_EQ(StatusText(span->Write(1, std::array<uint8_t, 2>{1, 2})), "OK");
  std::array<uint8_t, 4> out;
  EXPECT_EQ(StatusText(span->Read(0, out)), "OK");
  EXPECT_EQ(out, (std::array<uint8_t, 4>{0, 1, 2, 0}));
  EXPECT_EQ(buffer->calls, "flush 3+2;invalidate 2+4;");
  EXPECT_EQ(StatusText(span->Write(3, std::array<uint8_t, 2>{1, 2})),
            "OUT_OF_RANGE: The range of 2 bytes at offset 3 passes the end of "
            "the buffer (4 bytes).");
  EXPECT_EQ(StatusText(span->Read(4, {})), "OK");
  const Ref<Buffer> hidden = MakeRef<TestBuffer>(BufferParams(), 8, false);
  EXPECT_EQ(StatusText(hidden->Map(memory_access::kRead, 0, 8)),
            "FAILED_PRECONDITION: The buffer's memory (DEVICE_LOCAL) is not "
            "visible to the host.");
  const Ref<Buffer> constant = MakeRef<TestBuffer>(
      Params(memory_type::kHostLocal, memory_access::kRead, 0), 8);
  EXPECT_EQ(StatusText(constant->Write(0, std::array<uint8_t, 1>{1})),
            "PERMISSION_DENIED: The buffer's access (READ) lacks WRITE.");
}

// A thread uses the memory of views again, and frees it when it ends. With
// sanitizers, which then report uses of deleted views, it does not.
TEST(BufferView, MemoryIsUsedAgain) {
  const auto buffer = MakeRef<TestBuffer>(BufferParams(), 24);
  const auto create = [&buffer](int64_t dimension) {
    const int64_t shape[] = {dimension};
    return *BufferView::Create(buffer, shape, ElementType::kFloat32);
  };
  const auto churn = [&create](std::vector<Ref<BufferView>> views) {
    std::set<const BufferView*> old;
    for (const Ref<BufferView>& view : views) old.insert(view.get());
    views.clear();
    int reused = 0;
    for (int64_t i = 0; i < 20; ++i) {
      views.push_back(create(i % 6));
      EXPECT_EQ(views.back()->shape()[0], i % 6);
      EXPECT_EQ(views.back()->byte_length(), uint64_t(i % 6) * 4);
      reused += old.count(views.back().get()) != 0 ? 1 : 0;
    }
    EXPECT_GE(reused, kIsSanitized ? 0 : 8);
  };
  std::vector<Ref<BufferView>> views;
  for (int64_t i = 0; i < 20; ++i) views.push_back(create(1));
  churn(std::move(views));
  // Views of another thread.
  for (int64_t i = 0; i < 20; ++i) views.push_back(create(2));
  std::thread(churn, std::move(views)).join();
  EXPECT_TRUE(buffer->IsUnique());
}

TEST(BufferView, Create) {
  struct Case {
    std::vector<int64_t> shape;
    ElementType type;
    std::string want;  // text, elements, bytes, or the error; of 24 bytes
  };
  constexpr int64_t kHuge = int64_t{1} << 40;
  const Case kCases[] = {
      {{2, 3}, ElementType::kFloat32, "2x3xf32 6 24"},
      {{}, ElementType::kFloat64, "f64 1 8"},
      {{5}, ElementType::kBool8, "5xi1 5 5"},
      {{3}, ElementType::kInt4, "3xi4 3 2"},
      {{0, 4}, ElementType::kFloat32, "0x4xf32 0 0"},
      {{kHuge, kHuge, 0},
       ElementType::kFloat32,
       "1099511627776x1099511627776x0xf32 0 0"},
      {{7},
       ElementType::kFloat32,
       "INVALID_ARGUMENT: A 7xf32 buffer view takes 28 bytes; the buffer has "
       "24."},
      {{4, -1},
       ElementType::kInt8,
       "INVALID_ARGUMENT: Dimension 1 of a buffer view is negative (-1)."},
      {{kHuge, kHuge},
       ElementType::kInt8,
       "INVALID_ARGUMENT: The size of a 1099511627776x1099511627776xi8 buffer "
       "view overflows."},
      {{kHuge, 1 << 22},
       ElementType::kInt32,
       "INVALID_ARGUMENT: The size of a 1099511627776x4194304xi32 buffer view "
       "overflows."},
  };
  const Ref<Buffer> buffer = MakeRef<TestBuffer>(BufferParams(), 24);
  for (const Case& c : kCases) {
    const absl::StatusOr<Ref<BufferView>> view =
        BufferView::Create(buffer, c.shape, c.type);
    EXPECT_EQ(view.ok() ? absl::StrCat((*view)->ShapeAndType(), " ",
                                       (*view)->element_count(), " ",
                                       (*view)->byte_length())
                        : StatusText(view),
              c.want);
  }
  EXPECT_EQ(StatusText(BufferView::Create(nullptr, {}, ElementType::kInt8)),
            "INVALID_ARGUMENT: A buffer view has no buffer.");
  EXPECT_EQ((*BufferView::Create(buffer, std::array<int64_t, 1>{3},
                                 ElementType::kFloat64, EncodingType::kOpaque))
                ->byte_length(),
            24u);
}

TEST(File, ReadWrite) {
  std::array<uint8_t, 4> bytes = {1, 2, 3, 4};
  File file(bytes, memory_access::kRead, nullptr);
  std::array<uint8_t, 2> out = {};
  EXPECT_EQ(StatusText(file.Read(2, out)), "OK");
  EXPECT_EQ(out, (std::array<uint8_t, 2>{3, 4}));
  EXPECT_EQ(StatusText(file.Read(3, out)),
            "OUT_OF_RANGE: The range of 2 bytes at offset 3 passes the end of "
            "the file (4 bytes).");
  EXPECT_EQ(StatusText(file.Write(0, out)),
            "PERMISSION_DENIED: The file is not writable.");
  File writable(bytes, memory_access::kWrite, nullptr);
  EXPECT_EQ(StatusText(writable.Write(0, out)), "OK");
  EXPECT_EQ(bytes[0], 3);
  EXPECT_EQ(StatusText(writable.Read(0, out)),
            "PERMISSION_DENIED: The file is not readable.");
}

}  // namespace
}  // namespace eyrie::hal
