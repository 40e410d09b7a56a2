#include "hal/buffer_view.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/sanitized.h"

namespace eyrie::hal {
namespace {

// Uses plain numbers instead of std::optional, which is written in two parts
// and read in one: that stalls store forwarding, and every call runs this.
struct Extent {
  int64_t all = 0;       // bitwise or: negative if a dimension is
  int64_t elements = 1;  // 0 if any dimension is 0
  bool fits = true;      // `elements` does not overflow

  explicit Extent(std::span<const int64_t> shape) {
    bool empty = false;
    for (const int64_t dimension : shape) {
      all |= dimension;
      empty |= dimension == 0;
      fits &= !__builtin_mul_overflow(elements, dimension, &elements);
    }
    if (!empty) return;
    elements = 0;
    fits = true;
  }
};

// Returns why a view of `length` bytes (nullopt: overflow) is invalid.
[[gnu::cold]] absl::Status ExplainView(const Buffer& buffer,
                                       std::span<const int64_t> shape,
                                       ElementType type,
                                       std::optional<uint64_t> length) {
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] >= 0) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "Dimension ", i, " of a buffer view is negative (", shape[i], ")."));
  }
  if (BitCount(type) == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("The element type of a buffer view has no size (0x",
                     absl::Hex(static_cast<uint32_t>(type)), ")."));
  }
  if (!length) {
    return absl::InvalidArgumentError(absl::StrCat(
        "The size of a ", TensorText(shape, type), " buffer view overflows."));
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "A ", TensorText(shape, type), " buffer view takes ", *length,
      " bytes; the buffer has ", buffer.byte_length(), "."));
}

// The memory of views that a thread has deleted. Sanitizers see each view's
// memory allocated and freed.
class KeptMemory {
 public:
  static void* Take() { return count == 0 ? nullptr : blocks[--count]; }
  // Returns false if the caller must free the memory.
  static bool Keep(void* memory) {
    if (kIsSanitized || count >= limit) [[unlikely]]
      return CanBegin() && Keep(memory);
    blocks[count++] = memory;
    return true;
  }

 private:
  static constexpr uint32_t kMost = 8;

  // Frees the memory when the thread ends.
  struct Owner {
    ~Owner() {
      limit = 0;
      while (void* const memory = Take()) ::operator delete(memory);
    }
  };
  // Raises the limit for the first view that the thread deletes.
  [[gnu::cold, gnu::noinline]] static bool CanBegin() {
    if (kIsSanitized || has_begun) return false;
    has_begun = true;
    static thread_local const Owner owner;
    limit = kMost;
    return true;
  }

  static thread_local void* blocks[kMost];
  static thread_local uint32_t count;
  static thread_local uint32_t limit;
  static thread_local bool has_begun;
};

constinit thread_local void* KeptMemory::blocks[kMost] = {};
constinit thread_local uint32_t KeptMemory::count = 0;
constinit thread_local uint32_t KeptMemory::limit = 0;
constinit thread_local bool KeptMemory::has_begun = false;

}  // namespace

void* BufferView::operator new(size_t size) {
  void* const kept = KeptMemory::Take();
  return kept != nullptr ? kept : ::operator new(size);
}

void BufferView::operator delete(void* memory) {
  if (!KeptMemory::Keep(memory)) ::operator delete(memory);
}

BufferView::BufferView(Ref<Buffer> buffer, std::span<const int64_t> shape,
                       ElementType type, EncodingType encoding,
                       int64_t element_count, uint64_t byte_length)
    : ChargedObject(kType),
      buffer_(std::move(buffer)),
      shape_(shape.begin(), shape.end()),
      element_type_(type),
      encoding_(encoding),
      element_count_(element_count),
      byte_length_(byte_length) {}

absl::StatusOr<Ref<BufferView>> BufferView::Create(
    Ref<Buffer> buffer, std::span<const int64_t> shape, ElementType type,
    EncodingType encoding) {
  if (!buffer) {
    return absl::InvalidArgumentError("A buffer view has no buffer.");
  }
  Extent extent(shape);
  uint64_t length = buffer->byte_length();
  if (encoding == EncodingType::kDenseRowMajor) {
    extent.fits =
        extent.fits && GetDenseByteLength(type, extent.elements, length);
  }
  if (extent.all < 0 || BitCount(type) == 0 || !extent.fits ||
      length > buffer->byte_length()) [[unlikely]] {
    return ExplainView(*buffer, shape, type,
                       extent.fits ? std::optional(length) : std::nullopt);
  }
  return MakeRef<BufferView>(std::move(buffer), shape, type, encoding,
                             extent.elements, length);
}

std::string BufferView::ShapeAndType() const {
  return TensorText(shape_, element_type_);
}

}  // namespace eyrie::hal
