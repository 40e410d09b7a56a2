// Tests the oracle's decisions on buffers, and the conversions that follow.
#include "abi/v0/call/buffer_description.h"

#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "abi/call/session.h"
#include "abi/tensor/tensor.h"
#include "abi/tensor/tensor_text.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "tests/support/status_text.h"

namespace eyrie::abi::v0 {
namespace {

using hal::ElementType;
using Dims = std::vector<int64_t>;
using Memory = BufferDescription::Memory;

constexpr auto kF16 = ElementType::kFloat16;
constexpr auto kF32 = ElementType::kFloat32;
constexpr auto kI16 = ElementType::kInt16;
constexpr auto kColumns = Layout::kColumnMajor;
constexpr int64_t kUnknown = BufferDescription::kUnknown;
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

Ref<hal::Device> Device() {
  return (*OpenDevices({}, hal::DriverOptions()))[0];
}

RawType BufferType(ElementType element, Dims dims,
                   Layout layout = Layout::kUnspecified) {
  RawType type;
  type.kind = RawType::Kind::kBuffer;
  type.element = element;
  type.shape.assign(dims.begin(), dims.end());
  type.layout = layout;
  return type;
}

const char* Name(BufferUse use) {
  constexpr const char* kNames[] = {"as is", "copy", "pack", "convert", "make"};
  return kNames[static_cast<int>(use)];
}

// Returns a text such as "copy 2x3xf32 of 24 bytes at 12 4".
std::string Text(const absl::StatusOr<BufferPlan>& plan) {
  if (!plan.ok()) return StatusText(plan);
  const BufferDescription& d = plan->description;
  return absl::StrCat(Name(plan->use), " ", d.ToString(), " of ",
                      *d.byte_length, " bytes at ",
                      absl::StrJoin(d.strides->begin(), d.strides->end(), " "));
}

TEST(BufferDescriptionOracle, CompletesAndRefuses) {
  const RawType f32_2x3 = BufferType(kF32, {2, 3});
  const RawType f32_2xn = BufferType(kF32, {2, -1});
  const RawType f32_nxm = BufferType(kF32, {-1, -1});
  const RawType scalar = BufferType(ElementType::kSint32, {});
  const RawType columns = BufferType(kF32, {2, -1}, kColumns);
  const RawType rows = BufferType(kF32, {2, -1}, Layout::kRowMajor);
  RawType no_buffer;
  no_buffer.kind = RawType::Kind::kRefObject;
  const struct {
    const RawType& type;
    ElementType element;
    std::optional<uint64_t> length;
    std::optional<Dims> shape;
    std::optional<Dims> strides;
    const char* want;
  } kRows[] = {
      // Only the type is known.
      {f32_2x3, {}, {}, {}, {}, "make 2x3xf32 of 24 bytes at 12 4"},
      {scalar, {}, {}, {}, {}, "make si32 of 4 bytes at "},
      {columns, {}, 24, {}, {}, "make 2x3xf32 of 24 bytes at 4 8"},
      {rows, {}, 24, {}, {}, "make 2x3xf32 of 24 bytes at 12 4"},
      {f32_2xn,
       {},
       {},
       {},
       {},
       "INVALID_ARGUMENT: A buffer *x? is given; Buffer<float32[2x?]> is "
       "expected, and dimension 1 is not known."},
      // Dimensions.
      {f32_2xn, {}, {}, Dims{2, 5}, {}, "make 2x5xf32 of 40 bytes at 20 4"},
      {f32_2xn,
       {},
       {},
       Dims{kUnknown, 5},
       {},
       "make 2x5xf32 of 40 bytes at 20 4"},
      {f32_nxm,
       {},
       40,
       Dims{kUnknown, 5},
       {},
       "make 2x5xf32 of 40 bytes at 20 4"},
      {f32_nxm, {}, {}, Dims{0, 5}, {}, "make 0x5xf32 of 0 bytes at 20 4"},
      {f32_nxm,
       {},
       40,
       {},
       {},
       "INVALID_ARGUMENT: A buffer *x? is given; Buffer<float32[?x?]> is "
       "expected, and dimension 0 is not known, nor is 1."},
      {f32_nxm,
       {},
       {},
       Dims{3, kUnknown},
       {},
       "INVALID_ARGUMENT: A buffer 3x?x? is given; Buffer<float32[?x?]> is "
       "expected, and dimension 1 is not known."},
      {f32_nxm,
       {},
       0,
       Dims{0, kUnknown},
       {},
       "INVALID_ARGUMENT: A buffer 0x?x? is given; Buffer<float32[?x?]> is "
       "expected, and dimension 1 times 0 bytes is not 0."},
      {f32_2xn,
       {},
       20,
       {},
       {},
       "INVALID_ARGUMENT: A buffer *x? is given; Buffer<float32[2x?]> is "
       "expected, and dimension 1 times 8 bytes is not 20."},
      {f32_2x3,
       {},
       {},
       Dims{2, 4},
       {},
       "INVALID_ARGUMENT: A buffer 2x4x? is given; Buffer<float32[2x3]> is "
       "expected, and dimension 1 is 4, not 3."},
      {f32_2x3,
       {},
       {},
       Dims{6},
       {},
       "INVALID_ARGUMENT: A buffer 6x? is given; Buffer<float32[2x3]> is "
       "expected, and the rank is 1, not 2."},
      {f32_2xn,
       {},
       {},
       Dims{2, -7},
       {},
       "INVALID_ARGUMENT: A buffer 2x-7x? is given; Buffer<float32[2x?]> is "
       "expected, and dimension 1 is below 0 (-7)."},
      {f32_nxm,
       {},
       {},
       Dims{kMax, kMax},
       {},
       "RESOURCE_EXHAUSTED: The number of elements of "
       "9223372036854775807x9223372036854775807xf32 exceeds 64 bits."},
      {f32_nxm,
       {},
       24,
       Dims{kMax, kUnknown},
       {},
       "RESOURCE_EXHAUSTED: The size of 9223372036854775807x1xf32 exceeds 64 "
       "bits."},
      // Lengths and strides.
      {f32_2x3,
       {},
       20,
       {},
       {},
       "INVALID_ARGUMENT: A buffer *x? is given; Buffer<float32[2x3]> is "
       "expected, and its 20 bytes are not 24."},
      {f32_2x3,
       {},
       {},
       {},
       Dims{4},
       "INVALID_ARGUMENT: A buffer *x? is given; Buffer<float32[2x3]> is "
       "expected, and 1 stride is given for a rank of 2."},
      // Element types.
      {scalar, ElementType::kInt32, 4, {}, {}, "make si32 of 4 bytes at "},
      {scalar, ElementType::kInt16, 2, {}, {}, "make si32 of 4 bytes at "},
      {f32_2xn,
       ElementType::kFloat16,
       12,
       {},
       {},
       "make 2x3xf32 of 24 bytes at 12 4"},
      {f32_2x3,
       ElementType::kFloat64,
       {},
       {},
       {},
       "INVALID_ARGUMENT: A buffer *xf64 is given; Buffer<float32[2x3]> is "
       "expected, and f64 cannot be converted to f32 without loss."},
      {scalar,
       ElementType::kInt4,
       {},
       {},
       {},
       "UNIMPLEMENTED: Elements of i4 are not whole bytes, as those of "
       "Buffer<sint32[]> are."},
      {f32_2x3,
       ElementType::kComplex128,
       {},
       {},
       {},
       "UNIMPLEMENTED: Elements of cf128 are not converted to f32."},
      {no_buffer,
       {},
       {},
       {},
       {},
       "INVALID_ARGUMENT: A buffer is given; RefObject<?> is expected."},
  };
  const auto device = Device();
  for (const auto& row : kRows) {
    BufferDescription given;
    given.element = row.element;
    given.byte_length = row.length;
    if (row.shape) given.shape.emplace(row.shape->begin(), row.shape->end());
    if (row.strides) {
      given.strides.emplace(row.strides->begin(), row.strides->end());
    }
    EXPECT_EQ(Text(BufferDescriptionOracle(*device, row.type, given)), row.want)
        << "row " << &row - kRows;
  }
}

TEST(BufferDescriptionOracle, DecidesByMemory) {
  const auto device = Device();
  const auto other = Device();
  enum Place { kHost, kThisDevice, kOtherDevice };
  const struct {
    Place place;
    bool lends;
    uint64_t alignment;
    Layout layout;
    ElementType element;
    Dims strides;  // of 2x3
    const char* want;
  } kRows[] = {
      {kHost, true, 64, {}, kF32, {12, 4}, "as is"},
      {kHost, true, 4096, {}, kF32, {12, 4}, "as is"},
      {kHost, true, 32, {}, kF32, {12, 4}, "copy"},
      {kHost, false, 64, {}, kF32, {12, 4}, "copy"},
      {kHost, true, 64, {}, kF32, {4, 8}, "pack"},
      {kHost, true, 64, {}, kF32, {-12, 4}, "pack"},
      {kHost, true, 64, {}, kF32, {0, 4}, "pack"},
      {kHost, true, 64, {}, kF16, {6, 2}, "convert"},
      {kThisDevice, true, 1, {}, kF32, {12, 4}, "as is"},
      {kThisDevice, false, 1, {}, kF32, {12, 4}, "copy"},
      {kOtherDevice, true, 64, {}, kF32, {12, 4}, "copy"},
      {kThisDevice, true, 1, {}, kF16, {6, 2}, "convert"},
      // Column-major types.
      {kHost, true, 64, kColumns, kF32, {4, 8}, "as is"},
      {kThisDevice, true, 64, kColumns, kF32, {12, 4}, "pack"},
      {kHost, true, 64, Layout::kRowMajor, kF32, {4, 8}, "pack"},
  };
  for (const auto& row : kRows) {
    BufferDescription given;
    given.element = row.element;
    given.shape = BufferDescription::Dimensions{2, 3};
    given.strides.emplace(row.strides.begin(), row.strides.end());
    given.memory = row.place == kHost ? Memory::kHost : Memory::kDevice;
    given.device = row.place == kHost         ? nullptr
                   : row.place == kThisDevice ? device.get()
                                              : other.get();
    given.alignment = row.alignment;
    given.lends = row.lends;
    const auto plan = BufferDescriptionOracle(
        *device, BufferType(kF32, {2, -1}, row.layout), given);
    ASSERT_EQ(StatusText(plan), "OK");
    EXPECT_STREQ(Name(plan->use), row.want) << "row " << &row - kRows;
    EXPECT_EQ(plan->description.ToString(), "2x3xf32");
    EXPECT_EQ(plan->description.device, device.get());
  }
}

alignas(64) constexpr float kElements[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};

std::span<const uint8_t> Bytes(size_t count) {
  return {reinterpret_cast<const uint8_t*>(kElements), count * sizeof(float)};
}

// Returns the elements in memory order.
std::string Elements(const hal::BufferView& view) {
  std::string text;
  AppendElements(*BytesOf(view), SpecOf(view), 64, FloatCase::kLower, text);
  return text;
}

TEST(Buffers, AreMadeOfArraysAndRead) {
  const struct {
    Layout layout;
    ElementType element;
    Dims shape;
    Dims strides;
    bool lends;
    const char* want;  // in memory
    bool same_order;   // reading back gives the same memory order
  } kRows[] = {
      {{}, kF32, {2, 3}, {12, 4}, false, "[1 2 3][4 5 6]", true},
      {{}, kF32, {2, 3}, {12, 4}, true, "[1 2 3][4 5 6]", true},
      {{}, kF32, {2, 3}, {4, 8}, true, "[1 3 5][2 4 6]", true},
      {kColumns, kF32, {2, 3}, {12, 4}, true, "[1 4 2][5 3 6]", false},
      {kColumns, kF32, {2, 3}, {4, 8}, true, "[1 2 3][4 5 6]", false},
      {kColumns, kF32, {2, 1}, {4, 8}, true, "[1][2]", true},
      // The bits of small integers, as floats: 1.0f is 0x3f800000.
      {{}, kI16, {1, 2}, {4, 2}, true, "[0 16256]", true},
      {kColumns, kI16, {2, 2}, {4, 2}, true, "[0 0][16256 16384]", false},
  };
  const auto device = Device();
  for (const auto& row : kRows) {
    SCOPED_TRACE(absl::StrCat("row ", &row - kRows));
    auto array = *HostArray::Borrow(
        row.element, row.shape, row.strides, Bytes(10), 0, nullptr,
        row.lends ? HostArray::Use::kLend : HostArray::Use::kCopy);
    const RawType type = BufferType(kF32, {-1, -1}, row.layout);
    const auto view = ToBuffer(*device, type, array);
    ASSERT_EQ(StatusText(view), "OK");
    EXPECT_EQ(Elements(**view), row.want);
    const auto read = FromBuffer(type, *view);
    ASSERT_EQ(StatusText(read), "OK");
    EXPECT_EQ((*read)->is_dense(), row.same_order);
    // Read in row-major order, it has the original elements.
    const auto again = ToBuffer(*device, BufferType(kF32, {-1, -1}), *read);
    const auto packed = ToBuffer(*device, BufferType(kF32, {-1, -1}), array);
    ASSERT_EQ(StatusText(again), "OK");
    EXPECT_EQ(Elements(**again), Elements(**packed));
    const bool in_place = (*BytesOf(**view)).data() ==
                          reinterpret_cast<const uint8_t*>(kElements);
    const BufferPlan plan = *BufferDescriptionOracle(
        *device, type, BufferDescription::Of(*array, device.get()));
    EXPECT_EQ(in_place, plan.use == BufferUse::kAsIs);
  }
}

TEST(Buffers, OfADeviceArePassedOn) {
  const auto device = Device();
  hal::TensorType spec;
  spec.element = ElementType::kInt32;
  spec.shape = {3};
  const auto view = *NewTensor(*device, spec);
  const auto array = *HostArray::OfTensor(view, HostArray::Use::kLend);
  const auto same =
      ToBuffer(*device, BufferType(ElementType::kUint32, {3}), array);
  ASSERT_EQ(StatusText(same), "OK");
  EXPECT_EQ((*same)->buffer(), view->buffer());
  EXPECT_EQ((*same)->ShapeAndType(), "3xui32");
  const auto kept = *HostArray::OfTensor(view);
  const auto copied =
      ToBuffer(*device, BufferType(ElementType::kSint32, {-1}), kept);
  ASSERT_EQ(StatusText(copied), "OK");
  EXPECT_NE((*copied)->buffer(), view->buffer());
}

TEST(Buffers, ElementsThatDoNotFit) {
  const auto device = Device();
  const RawType type = BufferType(ElementType::kSint8, {-1});
  const int64_t shape[] = {10};
  const auto floats =
      *HostArray::Borrow(ElementType::kFloat32, shape, {}, Bytes(10));
  EXPECT_EQ(StatusText(ToBuffer(*device, type, floats)),
            "INVALID_ARGUMENT: A buffer 10xf32 is given; Buffer<sint8[?]> is "
            "expected, and f32 cannot be converted to si8 without loss.");
  EXPECT_EQ(StatusText(ToBuffer(*device, type, floats->Casting())), "OK");
  const auto integers =
      *HostArray::Borrow(ElementType::kInt32, shape, {}, Bytes(10));
  EXPECT_EQ(StatusText(ToBuffer(*device, type, integers->Casting())),
            "INVALID_ARGUMENT: 1065353216 is out of range for si8 (-128 to "
            "127). (element 0)");
  // Elements of the same width are not converted, but are still checked.
  const std::vector<uint8_t> bytes = {1, 127, 200};
  const int64_t three[] = {3};
  const auto naturals =
      *HostArray::Borrow(ElementType::kUint8, three, {}, bytes);
  EXPECT_EQ(StatusText(ToBuffer(*device, type, naturals)),
            "INVALID_ARGUMENT: 200 is out of range for si8 (-128 to 127). "
            "(element 2)");
  const int64_t two[] = {2};
  EXPECT_EQ(StatusText(ToBuffer(*device, type,
                                *HostArray::Borrow(ElementType::kUint8, two, {},
                                                   std::span(bytes).first(2)))),
            "OK");
}

TEST(Buffers, AreCountedByTheirOwner) {
  const auto device = Device();
  const BufferPlan plan = *BufferDescriptionOracle(
      *device, BufferType(ElementType::kFloat32, {2, 3}), {});
  BufferOwner owner;
  const uint64_t bytes = device->allocator().Footprint(24);
  owner.meter = std::make_shared<MemoryMeter>(bytes + 16);
  {
    const auto view = CreateBuffer(*device, plan.description, owner);
    ASSERT_EQ(StatusText(view), "OK");
    EXPECT_EQ((*view)->ShapeAndType(), "2x3xf32");
    EXPECT_EQ(Elements(**view), "[0 0 0][0 0 0]");
    EXPECT_EQ(owner.meter->in_use(), bytes);
    EXPECT_EQ(CreateBuffer(*device, plan.description, owner).status().code(),
              absl::StatusCode::kResourceExhausted);
  }
  EXPECT_EQ(owner.meter->in_use(), 0u);
  EXPECT_EQ(StatusText(CreateBuffer(*device, BufferDescription())),
            "INVALID_ARGUMENT: A buffer cannot be made of *x?.");
}

}  // namespace
}  // namespace eyrie::abi::v0
