// Memref functions behind imports: C functions that do what MLIR's wrappers do.
//
// Arguments and results are text: "i1" and so on by the letter of the calling
// convention, tensors as "2xf32=1 2".
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "abi/native/memref/import.h"
#include "abi/tensor_text.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"
#include "hal/host_semaphore.h"
#include "tests/support/cpu_device.h"
#include "tests/support/status_text.h"

namespace eyrie::native {
namespace {

template <size_t kRank, typename Index = int64_t>
struct Memref {
  void* allocated;
  void* aligned;
  Index offset;
  Index sizes[kRank == 0 ? 1 : kRank];
  Index strides[kRank == 0 ? 1 : kRank];

  float& at(Index i) const {
    return static_cast<float*>(aligned)[offset + i * strides[0]];
  }
};
struct Memref0 {
  void* allocated;
  void* aligned;
  int64_t offset;
};
struct Unranked {
  int64_t rank;
  void* descriptor;
};

int live = 0;  // allocations of the functions below

void* Allocate(size_t bytes, size_t alignment = 16) {
  ++live;
  return std::aligned_alloc(alignment,
                            (bytes + alignment - 1) / alignment * alignment);
}
void Free(void* at) {
  if (at == nullptr) return;
  --live;
  std::free(at);
}

float constant[3] = {5, 6, 7};

extern "C" {
float SumRows(const Memref<2>* m, int64_t row) {
  float sum = 0;
  for (int64_t i = 0; i < m->sizes[1]; ++i) {
    sum += static_cast<const float*>(
        m->aligned)[m->offset + row * m->strides[0] + i * m->strides[1]];
  }
  return sum;
}
void Scaled(Memref<1>* result, const Memref<1>* m, float factor) {
  const int64_t n = m->sizes[0];
  void* const data = Allocate(n * 4, 64);
  *result = {data, data, 0, {n}, {1}};
  for (int64_t i = 0; i < n; ++i) result->at(i) = m->at(i) * factor;
}
// Not aligned as a device wants it.
void Unaligned(Memref<1>* result, const Memref<1>* m, float factor) {
  auto* const data = static_cast<char*>(Allocate(m->sizes[0] * 4 + 4, 64));
  *result = {data, data, 1, {m->sizes[0]}, {1}};
  for (int64_t i = 0; i < m->sizes[0]; ++i) result->at(i) = m->at(i) * factor;
}
void Same(Memref<1>* result, const Memref<1>* m) { *result = *m; }
void Tail(Memref<1>* result, const Memref<1>* m) {
  *result = *m;
  result->offset += 1;
  result->sizes[0] -= 1;
}
void Far(Memref<1>* result, const Memref<1>* m) {
  *result = *m;
  result->offset += 16;
  result->sizes[0] -= 16;
}
void Backwards(Memref<1>* result, const Memref<1>* m) {
  *result = *m;
  result->offset += result->sizes[0] - 1;
  result->strides[0] = -1;
}
void Constant(Memref<1>* result) {
  *result = {
      reinterpret_cast<void*>(uintptr_t{0xdeadbeef}), constant, 0, {3}, {1}};
}
struct Mixed {
  bool i1;
  int8_t i8;
  uint16_t f16;
  Memref0 memref;
  int64_t i64;
};
void All(Mixed* result, bool a, int8_t b, int16_t c, int32_t d, int64_t e,
         const Memref0* m) {
  auto* const data = static_cast<float*>(Allocate(4));
  *data = *static_cast<float*>(m->aligned) + 1;
  *result = {!a,
             static_cast<int8_t>(-b),
             static_cast<uint16_t>(c),
             {data, data, 0},
             d + e};
}
struct Two {
  Memref<1> first, second;
};
// Two results in one allocation.
void Halves(Two* results, const Memref<1>* m) {
  Memref<1> all;
  Scaled(&all, m, 1);
  const int64_t half = all.sizes[0] / 2;
  results->first = {all.allocated, all.aligned, 0, {half}, {1}};
  results->second = {all.allocated, all.aligned, half, {half}, {1}};
}
// The same with the rank taken off.
void Flat(Unranked* result, const Unranked* m) {
  const auto* const from = static_cast<const int64_t*>(m->descriptor);
  int64_t count = 1;
  for (int64_t i = 0; i < m->rank; ++i) count *= from[3 + i];
  auto* const to = static_cast<Memref<1>*>(Allocate(sizeof(Memref<1>)));
  std::memcpy(to, from, 3 * sizeof(int64_t));
  to->sizes[0] = count;
  to->strides[0] = 1;
  *result = {1, to};
}
void TooDeep(Unranked* result) { *result = {9, Allocate(8)}; }
void Nowhere(Memref<1>* result) { *result = {nullptr, nullptr, 0, {1}, {1}}; }
void Negative(Memref<1>* result) { *result = {nullptr, nullptr, 0, {-1}, {1}}; }
int32_t Last32(const Memref<1, int32_t>* m, int32_t back) {
  return static_cast<int32_t*>(m->aligned)[m->offset + m->sizes[0] - back];
}
void Add(const Memref<1>* a, const Memref<1>* b, const Memref<1>* out) {
  for (int64_t i = 0; i < 2; ++i) out->at(i) = a->at(i) + b->at(i);
}
// Column 1 of a matrix that lies by columns, as its type says.
float Column(const Memref<2>* m) {
  const float* const data = static_cast<float*>(m->aligned) + 3;
  return data[2] * 10 + data[3];
}
void Odd(Memref<1>* result, const Memref<1>* m) {
  const int64_t n = m->sizes[0];
  auto* const data = static_cast<uint8_t*>(Allocate(n, 64));
  for (int64_t i = 0; i < n; ++i) {
    data[i] = static_cast<uint8_t>(0xFE | static_cast<uint8_t*>(m->aligned)[i]);
  }
  *result = {data, data, 0, {n}, {1}};
}
int8_t Sum8(int8_t a, int8_t b) { return static_cast<int8_t>(a + b); }
double Hypot(double a, double b) { return std::sqrt(a * a + b * b); }
void Nothing() {}
}

struct Options {
  int index_bits = 64;
  size_t outputs = 0;
  const char* convention = nullptr;  // of the import, if another one
};

class MemrefCallTest : public testing::Test {
 protected:
  ~MemrefCallTest() override {
    kept_.clear();
    EXPECT_EQ(live, 0);
  }

  template <typename Entry>
  absl::StatusOr<std::unique_ptr<MemrefImport>> Bind(absl::string_view type,
                                                     Entry* entry,
                                                     Options options) {
    auto function = std::make_shared<MemrefFunction>();
    function->signature = {*ParseMemrefFunctionType(type), options.index_bits,
                           options.outputs};
    function->entry = reinterpret_cast<void*>(entry);
    function->free = Free;
    const auto convention = *vm::CallingConvention::Parse(
        options.convention != nullptr ? options.convention
                                      : function->signature.ImportConvention());
    letters_ = convention.ToString();
    auto plan = MemrefPlan::Make(function->signature, convention);
    if (!plan.ok()) return plan.status();
    return std::make_unique<MemrefImport>(function, *std::move(plan),
                                          ImportRequest{.name = "m.f",
                                                        .attributes = "",
                                                        .signature = convention,
                                                        .services = services_,
                                                        .state = state_,
                                                        .owner = 1});
  }

  vm::Slot SlotOf(char letter, absl::string_view text) {
    vm::Slot slot;
    double number = 0;
    switch (letter) {
      case 'i':
        EXPECT_TRUE(absl::SimpleAtoi(text, &slot.i32)) << text;
        break;
      case 'I':
        EXPECT_TRUE(absl::SimpleAtoi(text, &slot.i64)) << text;
        break;
      case 'f':
        EXPECT_TRUE(absl::SimpleAtof(text, &slot.f32)) << text;
        break;
      case 'F':
        EXPECT_TRUE(absl::SimpleAtod(text, &number)) << text;
        slot.f64 = number;
        break;
      default:
        kept_.push_back(View(text));
        slot.ref = kept_.back().get();
    }
    return slot;
  }

  Ref<hal::BufferView> View(absl::string_view text) {
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(text, absl::MaxSplits('=', 1));
    const abi::TensorSpec spec = *abi::ParseTensorSpec(parts.first);
    Ref<hal::Buffer> buffer =
        *device_->allocator().Allocate({}, *spec.ByteLength());
    EXPECT_TRUE(abi::ParseElements(parts.second, spec,
                                   {buffer->host_data(), *spec.ByteLength()})
                    .ok())
        << text;
    return *hal::BufferView::Create(std::move(buffer), spec.shape, spec.type);
  }

  std::string TextOf(char letter, const vm::Slot& slot) {
    if (letter == 'i') return absl::StrCat(slot.i32);
    if (letter == 'I') return absl::StrCat(slot.i64);
    if (letter == 'f') return absl::StrCat(slot.f32);
    if (letter == 'F') return absl::StrCat(slot.f64);
    kept_.push_back(
        Ref<hal::BufferView>::Adopt(RefCast<hal::BufferView>(slot.ref)));
    const hal::BufferView& view = *kept_.back();
    std::string text = absl::StrCat(view.ShapeAndType(), "=");
    const abi::TensorSpec spec{view.element_type(),
                               {view.shape().begin(), view.shape().end()}};
    abi::AppendElements({view.buffer()->host_data(), view.byte_length()}, spec,
                        100, abi::FloatCase::kLower, text);
    return text;
  }

  // Calls; arguments are parted by "; ".
  template <typename Entry>
  std::string Call(absl::string_view type, Entry* entry,
                   absl::string_view arguments, Options options = {}) {
    auto import = Bind(type, entry, options);
    if (!import.ok()) return StatusText(import);
    const std::vector<std::string> texts =
        absl::StrSplit(arguments, "; ", absl::SkipEmpty());
    std::vector<vm::Slot> slots;
    for (size_t i = 0; i < texts.size(); ++i) {
      slots.push_back(SlotOf(letters_[i + 1], texts[i]));
    }
    vm::Slot results[8];
    const absl::Status status = (*import)->Invoke(slots.data(), results);
    if (!status.ok()) return StatusText(status);
    const std::string returned = letters_.substr(letters_.find('_') + 1);
    std::string text;
    for (size_t i = 0; i < returned.size() && returned != "v"; ++i) {
      absl::StrAppend(&text, i == 0 ? "" : "; ",
                      TextOf(returned[i], results[i]));
    }
    return text;
  }

  const Ref<hal::Device> device_ = hal::cpu::NewDevice();
  const std::shared_ptr<const NativeServices> services_ =
      std::make_shared<const NativeServices>(
          NativeServices{.device = device_, .tasks = nullptr, .user_data = {}});
  vm::ModuleState state_;
  std::string letters_;
  std::vector<Ref<hal::BufferView>> kept_;  // arguments, and results
};

TEST_F(MemrefCallTest, Memrefs) {
  constexpr char kVector[] = "3xf32=1 2 3";
  EXPECT_EQ(Call("(memref<?x?xf32, strided<[?, ?], offset: ?>>, index) -> f32",
                 SumRows, "2x3xf32=1 2 3 4 5 6; 1"),
            "15");
  EXPECT_EQ(Call("(memref<?xf32>, f32) -> memref<?xf32>", Scaled,
                 absl::StrCat(kVector, "; 2.5")),
            "3xf32=2.5 5 7.5");
  EXPECT_EQ(Call("(memref<3xf32>, f32) -> memref<3xf32>", Unaligned,
                 absl::StrCat(kVector, "; 2")),
            "3xf32=2 4 6");
  EXPECT_EQ(Call("(memref<?xf32>) -> memref<?xf32>", Same, kVector),
            "3xf32=1 2 3");
  EXPECT_EQ(kept_[kept_.size() - 1]->buffer(),
            kept_[kept_.size() - 2]->buffer());
  constexpr char kView[] =
      "(memref<?xf32>) -> memref<?xf32, strided<[?], offset: ?>>";
  EXPECT_EQ(Call(kView, Tail, kVector), "2xf32=2 3");  // not aligned: a copy
  EXPECT_EQ(Call(kView, Far, "17xf32=1"), "1xf32=1");
  EXPECT_EQ(kept_.back()->buffer()->byte_offset(), 64u);
  EXPECT_EQ(Call(kView, Tail, "1xf32=1"), "0xf32=");
  EXPECT_EQ(Call(kView, Backwards, kVector), "3xf32=3 2 1");
  EXPECT_EQ(Call("() -> memref<3xf32>", Constant, ""), "3xf32=5 6 7");
  EXPECT_NE(kept_.back()->buffer()->host_data(),
            reinterpret_cast<uint8_t*>(constant));
  EXPECT_EQ(Call("(memref<?xf32>) -> (memref<?xf32>, memref<?xf32>)", Halves,
                 "4xf32=1 2 3 4"),
            "2xf32=1 2; 2xf32=3 4");
  EXPECT_EQ(Call("(memref<*xf32>) -> memref<*xf32>", Flat, "2x1x2xf32=1 2 3 4"),
            "4xf32=1 2 3 4");
  EXPECT_EQ(Call("(memref<*xf32>) -> memref<*xf32>", Flat, "f32=7"), "1xf32=7");
  EXPECT_EQ(Call("(memref<?xi1>) -> memref<?xi1>", Odd, "3xi1=1 0 1"),
            "3xi1=01 00 01");
  EXPECT_EQ(Call("(memref<2xf32>, memref<2xf32>, memref<2xf32>) -> ()", Add,
                 "2xf32=1 2; 2xf32=30 40", {.outputs = 1}),
            "2xf32=31 42");
}

// The layout is the type's, whatever the tensor's.
TEST_F(MemrefCallTest, LayoutsOfTheirOwn) {
  EXPECT_EQ(Call("(memref<2x2xf32, strided<[1, 2], offset: 3>>) -> f32", Column,
                 "2x2xf32=1 2 3 4"),
            "24");
  EXPECT_EQ(Call("(memref<2x3xf32, strided<[1, ?], offset: ?>>, index) -> f32",
                 SumRows, "2x3xf32=1 2 3 4 5 6; 1"),
            "15");
  EXPECT_EQ(
      Call("(memref<2x3xf32, strided<[100, 7], offset: 5>>, index) -> f32",
           SumRows, "2x3xf32=1 2 3 4 5 6; 1"),
      "15");
  EXPECT_EQ(
      Call("(memref<2x?xf32, strided<[9223372036854775807, ?]>>, index) -> f32",
           SumRows, "2x3xf32=1 2 3 4 5 6; 1"),
      "OUT_OF_RANGE: 2x3xf32 as memref<2x?xf32, "
      "strided<[9223372036854775807, ?]>> reaches further than an index does.");
}

TEST_F(MemrefCallTest, Scalars) {
  constexpr char kAll[] =
      "(i1, i8, i16, i32, i64, memref<f32>) -> (i1, i8, f16, memref<f32>, i64)";
  EXPECT_EQ(Call(kAll, All, "1; 100; -2; -3; 5000000000; f32=7"),
            "0; -100; 65534; f32=8; 4999999997");
  // Bits that a type does not have count for nothing.
  EXPECT_EQ(Call(kAll, All, "-2; 356; 65537; 0; 0; f32=0"),
            "1; -100; 1; f32=1; 0");
  EXPECT_EQ(Call("(i8, i8) -> i8", Sum8, "100; 27"), "127");
  EXPECT_EQ(Call("(i8, i8) -> i8", Sum8, "100; 28"), "-128");
  EXPECT_EQ(Call("(f64, f64) -> f64", Hypot, "3; 4"), "5");
  EXPECT_EQ(Call("() -> ()", Nothing, ""), "");
}

TEST_F(MemrefCallTest, NarrowIndex) {
  constexpr char kType[] = "(memref<?xindex>, index) -> index";
  EXPECT_EQ(Call(kType, Last32, "3xi32=1 2 -3; 1", {.index_bits = 32}), "-3");
  EXPECT_EQ(Call(kType, Last32, "3xsi32=1 2 3; 2", {.index_bits = 32}), "2");
  EXPECT_EQ(Call(kType, Last32, "3xi32=1 2 3; 4294967297", {.index_bits = 32}),
            "OUT_OF_RANGE: Argument 1 of the function is 4294967297; its index "
            "has 32 bits.");
  EXPECT_EQ(Call(kType, Last32, "3xi64=1 2 3; 1", {.index_bits = 32}),
            "INVALID_ARGUMENT: Argument 0 of the function is 3xi64; "
            "memref<?xindex> is declared.");
}

TEST_F(MemrefCallTest, RefusesBeforeTheCall) {
  const struct {
    const char* type;
    const char* arguments;
    const char* want;
  } kRows[] = {
      {"(memref<?xf32>) -> ()", "3xf64=1 2 3",
       "INVALID_ARGUMENT: Argument 0 of the function is 3xf64; memref<?xf32> "
       "is "
       "declared."},
      {"(memref<4xf32>) -> ()", "3xf32=1 2 3",
       "INVALID_ARGUMENT: Argument 0 of the function is 3xf32; memref<4xf32> "
       "is "
       "declared."},
      {"(memref<?xf32>) -> ()", "f32=1",
       "INVALID_ARGUMENT: Argument 0 of the function is f32; memref<?xf32> is "
       "declared."},
      {"(memref<?xi1>) -> ()", "1xi8=1",
       "INVALID_ARGUMENT: Argument 0 of the function is 1xi8; memref<?xi1> is "
       "declared."},
      {"(memref<*xf32>) -> ()", "1x1x1x1x1x1x1x1x1xf32=1",
       "INVALID_ARGUMENT: Argument 0 of the function is "
       "1x1x1x1x1x1x1x1x1xf32; memref<*xf32> is declared."},
  };
  const auto never = [] { ADD_FAILURE(); };
  for (const auto& row : kRows) {
    EXPECT_EQ(Call(row.type, static_cast<void (*)()>(never), row.arguments),
              row.want);
  }
  EXPECT_EQ(
      Call("(memref<?xf32>) -> f32", Nothing, "", {.convention = "0i_f"}),
      "INVALID_ARGUMENT: The import has the convention 0i_f; 0r_f is that "
      "of (memref<?xf32>) -> f32.");
  auto import = Bind("(memref<?xf32>) -> ()", Nothing, {});
  ASSERT_TRUE(import.ok());
  vm::Slot null;
  null.ref = nullptr;
  EXPECT_EQ(StatusText((*import)->Invoke(&null, nullptr)),
            "INVALID_ARGUMENT: Argument 0 of the function is null; a "
            "!hal.buffer_view is required.");
}

TEST_F(MemrefCallTest, RefusesWhatCannotBeAResult) {
  EXPECT_EQ(Call("() -> memref<*xf32>", TooDeep, ""),
            "INTERNAL: Result 0 of the function has rank 9; the limit is 8.");
  EXPECT_EQ(
      Call("() -> memref<1xf32>", Nowhere, ""),
      "INTERNAL: The function returns a memref of the sizes [1] at null.");
  EXPECT_EQ(Call("() -> memref<?xf32>", Negative, ""),
            "INTERNAL: The function returns a memref of the sizes [-1], which "
            "no memory has.");
  EXPECT_EQ(
      Call("(memref<?xf32>, f32) -> memref<2xf32>", Scaled, "3xf32=1 2 3; 1"),
      "INTERNAL: Result 0 of the function has the sizes [3], but is "
      "declared as memref<2xf32>.");
}

TEST_F(MemrefCallTest, Fences) {
  auto import = Bind("(memref<?xf32>, f32) -> memref<?xf32>", Scaled,
                     {.convention = "0rfrr_r"});
  ASSERT_EQ(StatusText(import), "OK");
  const auto wait = hal::Fence::At(MakeRef<hal::HostSemaphore>(0), 1);
  const auto signal = hal::Fence::At(MakeRef<hal::HostSemaphore>(0), 1);
  const auto call = [&](RefObject* first, RefObject* second) {
    vm::Slot slots[4] = {SlotOf('r', "1xf32=1"), SlotOf('f', "2"), {}, {}};
    slots[2].ref = first;
    slots[3].ref = second;
    vm::Slot result;
    const absl::Status status = (*import)->Invoke(slots, &result);
    return status.ok() ? TextOf('r', result) : StatusText(status);
  };
  EXPECT_EQ(call(nullptr, nullptr),
            "INVALID_ARGUMENT: The fence to signal is null, not a !hal.fence.");
  EXPECT_TRUE(wait->Signal().ok());
  EXPECT_EQ(call(wait.get(), signal.get()), "1xf32=2");
  EXPECT_TRUE(*signal->Query());
  const auto failed = hal::Fence::At(MakeRef<hal::HostSemaphore>(0), 1);
  const auto after = hal::Fence::At(MakeRef<hal::HostSemaphore>(0), 1);
  failed->Fail(absl::DataLossError("gone"));
  EXPECT_EQ(call(failed.get(), after.get()), "DATA_LOSS: gone");
  EXPECT_EQ(StatusText(after->Query()), "DATA_LOSS: gone");
}

}  // namespace
}  // namespace eyrie::native
