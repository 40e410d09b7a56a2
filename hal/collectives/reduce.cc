#include "hal/collectives/reduce.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <type_traits>

#include "base/half.h"

namespace eyrie::hal {
namespace {

// Elements combined at a time; they stay in the cache.
constexpr size_t kPiece = 512;

// The type of elements in memory, and the type to combine them in.
template <typename Stored, typename Wide>
struct Plain {
  using Element = Stored;
  using Value = Wide;
  static Wide Load(Stored element) { return static_cast<Wide>(element); }
  static Stored Store(Wide value) { return static_cast<Stored>(value); }
};

template <const FloatFormat& kFormat>
struct Half {
  using Element = uint16_t;
  using Value = float;
  static float Load(uint16_t element) { return DecodeFloat(kFormat, element); }
  static uint16_t Store(float value) { return EncodeFloat(kFormat, value); }
};

struct Sum {
  template <typename T>
  static T Combine(T a, T b) {
    return a + b;
  }
};
struct Product {
  template <typename T>
  static T Combine(T a, T b) {
    return a * b;
  }
};
struct Minimum {
  template <typename T>
  static T Combine(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(a) || std::isnan(b)) return a + b;
    }
    return b < a ? b : a;
  }
};
struct Maximum {
  template <typename T>
  static T Combine(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(a) || std::isnan(b)) return a + b;
    }
    return a < b ? b : a;
  }
};

template <typename Format, typename Op>
void Fold(std::span<const uint8_t* const> blocks, std::span<uint8_t> result,
          bool averages) {
  using Element = typename Format::Element;
  using Value = typename Format::Value;
  const size_t count = result.size() / sizeof(Element);
  Element elements[kPiece];
  Value values[kPiece];
  for (size_t begin = 0; begin < count; begin += kPiece) {
    const size_t n = std::min(kPiece, count - begin);
    for (size_t rank = 0; rank < blocks.size(); ++rank) {
      std::memcpy(elements, blocks[rank] + begin * sizeof(Element),
                  n * sizeof(Element));
      for (size_t i = 0; i < n; ++i) {
        const Value value = Format::Load(elements[i]);
        values[i] = rank == 0 ? value : Op::Combine(values[i], value);
      }
    }
    if (averages) {
      for (size_t i = 0; i < n; ++i) {
        values[i] /= static_cast<Value>(blocks.size());
      }
    }
    for (size_t i = 0; i < n; ++i) elements[i] = Format::Store(values[i]);
    std::memcpy(result.data() + begin * sizeof(Element), elements,
                n * sizeof(Element));
  }
}

// Integer sums wrap in Modular; Exact can hold any sum.
template <typename Format, typename Modular, typename Exact>
void FoldBy(CollectiveReduction reduction,
            std::span<const uint8_t* const> blocks, std::span<uint8_t> result) {
  switch (reduction) {
    case CollectiveReduction::kNone:
      return;
    case CollectiveReduction::kSum:
      return Fold<Modular, Sum>(blocks, result, false);
    case CollectiveReduction::kProduct:
      return Fold<Modular, Product>(blocks, result, false);
    case CollectiveReduction::kMinimum:
      return Fold<Format, Minimum>(blocks, result, false);
    case CollectiveReduction::kMaximum:
      return Fold<Format, Maximum>(blocks, result, false);
    case CollectiveReduction::kAverage:
      return Fold<Exact, Sum>(blocks, result, true);
  }
}

template <typename T>
void FoldFloats(CollectiveReduction reduction,
                std::span<const uint8_t* const> blocks,
                std::span<uint8_t> result) {
  FoldBy<T, T, T>(reduction, blocks, result);
}

__extension__ using Int128 = __int128;

template <typename T>
void FoldIntegers(CollectiveReduction reduction,
                  std::span<const uint8_t* const> blocks,
                  std::span<uint8_t> result) {
  using Wide = std::conditional_t<(sizeof(T) < 8), int64_t, Int128>;
  FoldBy<Plain<T, T>, Plain<T, uint64_t>, Plain<T, Wide>>(reduction, blocks,
                                                          result);
}

}  // namespace

void ReduceBlocks(const CollectiveOp& op,
                  std::span<const uint8_t* const> blocks,
                  std::span<uint8_t> result) {
  switch (op.type) {
    case CollectiveType::kSint8:
      return FoldIntegers<int8_t>(op.reduction, blocks, result);
    case CollectiveType::kUint8:
      return FoldIntegers<uint8_t>(op.reduction, blocks, result);
    case CollectiveType::kSint16:
      return FoldIntegers<int16_t>(op.reduction, blocks, result);
    case CollectiveType::kUint16:
      return FoldIntegers<uint16_t>(op.reduction, blocks, result);
    case CollectiveType::kSint32:
      return FoldIntegers<int32_t>(op.reduction, blocks, result);
    case CollectiveType::kUint32:
      return FoldIntegers<uint32_t>(op.reduction, blocks, result);
    case CollectiveType::kSint64:
      return FoldIntegers<int64_t>(op.reduction, blocks, result);
    case CollectiveType::kUint64:
      return FoldIntegers<uint64_t>(op.reduction, blocks, result);
    case CollectiveType::kFloat16:
      return FoldFloats<Half<kFloat16>>(op.reduction, blocks, result);
    case CollectiveType::kBfloat16:
      return FoldFloats<Half<kBfloat16>>(op.reduction, blocks, result);
    case CollectiveType::kFloat32:
      return FoldFloats<Plain<float, float>>(op.reduction, blocks, result);
    case CollectiveType::kFloat64:
      return FoldFloats<Plain<double, double>>(op.reduction, blocks, result);
    case CollectiveType::kFloat8E5M2:
    case CollectiveType::kFloat8E4M3FN:
    case CollectiveType::kFloat8E5M2FNUZ:
    case CollectiveType::kFloat8E4M3FNUZ:
      return;  // DecodeCollective rejects them
  }
}

}  // namespace eyrie::hal
