// Functions with the interface of MLIR's C wrappers, and their descriptors.
//
// For abi/native/memref/call_test.cc and copies_test.cc.
#ifndef EYRIE_TESTS_SUPPORT_MEMREF_FUNCTIONS_H_
#define EYRIE_TESTS_SUPPORT_MEMREF_FUNCTIONS_H_

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace eyrie::native::test {

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

inline int live = 0;  // allocations by the functions below

inline void* Allocate(size_t bytes, size_t alignment = 16) {
  ++live;
  return std::aligned_alloc(alignment,
                            (bytes + alignment - 1) / alignment * alignment);
}
inline void Free(void* at) {
  if (at == nullptr) return;
  --live;
  std::free(at);
}

inline float constant[3] = {5, 6, 7};

extern "C" {
inline float SumRows(const Memref<2>* m, int64_t row) {
  float sum = 0;
  for (int64_t i = 0; i < m->sizes[1]; ++i) {
    sum += static_cast<const float*>(
        m->aligned)[m->offset + row * m->strides[0] + i * m->strides[1]];
  }
  return sum;
}
inline void Scaled(Memref<1>* result, const Memref<1>* m, float factor) {
  const int64_t n = m->sizes[0];
  void* const data = Allocate(n * 4, 64);
  *result = {data, data, 0, {n}, {1}};
  for (int64_t i = 0; i < n; ++i) result->at(i) = m->at(i) * factor;
}
// Not aligned as devices require.
inline void Unaligned(Memref<1>* result, const Memref<1>* m, float factor) {
  auto* const data = static_cast<char*>(Allocate(m->sizes[0] * 4 + 4, 64));
  *result = {data, data, 1, {m->sizes[0]}, {1}};
  for (int64_t i = 0; i < m->sizes[0]; ++i) result->at(i) = m->at(i) * factor;
}
inline void Same(Memref<1>* result, const Memref<1>* m) { *result = *m; }
inline void Tail(Memref<1>* result, const Memref<1>* m) {
  *result = *m;
  result->offset += 1;
  result->sizes[0] -= 1;
}
// One element too many; starting one before the first; a huge stride.
inline void PastEnd(Memref<1>* result, const Memref<1>* m) {
  *result = *m;
  result->sizes[0] += 1;
}
inline void BeforeBegin(Memref<1>* result, const Memref<1>* m) {
  *result = *m;
  result->offset -= 1;
}
inline void Wide(Memref<1>* result, const Memref<1>* m) {
  *result = *m;
  result->strides[0] = INT64_MAX;
}
inline void Second(Memref<1>* result, const Memref<1>*, const Memref<1>* m) {
  *result = *m;
}
inline void Far(Memref<1>* result, const Memref<1>* m) {
  *result = *m;
  result->offset += 16;
  result->sizes[0] -= 16;
}
inline void Backwards(Memref<1>* result, const Memref<1>* m) {
  *result = *m;
  result->offset += result->sizes[0] - 1;
  result->strides[0] = -1;
}
inline void Constant(Memref<1>* result) {
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
inline void All(Mixed* result, bool a, int8_t b, int16_t c, int32_t d,
                int64_t e, const Memref0* m) {
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
inline void Halves(Two* results, const Memref<1>* m) {
  Memref<1> all;
  Scaled(&all, m, 1);
  const int64_t half = all.sizes[0] / 2;
  results->first = {all.allocated, all.aligned, 0, {half}, {1}};
  results->second = {all.allocated, all.aligned, half, {half}, {1}};
}
// The same tensor with rank 1.
inline void Flat(Unranked* result, const Unranked* m) {
  const auto* const from = static_cast<const int64_t*>(m->descriptor);
  int64_t count = 1;
  for (int64_t i = 0; i < m->rank; ++i) count *= from[3 + i];
  auto* const to = static_cast<Memref<1>*>(Allocate(sizeof(Memref<1>)));
  std::memcpy(to, from, 3 * sizeof(int64_t));
  to->sizes[0] = count;
  to->strides[0] = 1;
  *result = {1, to};
}
inline void TooDeep(Unranked* result) { *result = {9, Allocate(8)}; }
inline void Nowhere(Memref<1>* result) {
  *result = {nullptr, nullptr, 0, {1}, {1}};
}
inline void Negative(Memref<1>* result) {
  *result = {nullptr, nullptr, 0, {-1}, {1}};
}
inline int32_t Last32(const Memref<1, int32_t>* m, int32_t back) {
  return static_cast<int32_t*>(m->aligned)[m->offset + m->sizes[0] - back];
}
inline void Add(const Memref<1>* a, const Memref<1>* b, const Memref<1>* out) {
  for (int64_t i = 0; i < 2; ++i) out->at(i) = a->at(i) + b->at(i);
}
inline void Outer(const Memref<1>* a, const Memref<1>* b,
                  const Memref<2>* out) {
  auto* const data = static_cast<float*>(out->aligned);
  for (int64_t i = 0; i < out->sizes[0]; ++i) {
    for (int64_t j = 0; j < out->sizes[1]; ++j) {
      data[i * out->strides[0] + j * out->strides[1]] = a->at(i) * b->at(j);
    }
  }
}
// Two results that are arguments, and a scalar that is not.
inline float ScaledInto(const Memref<1>* m, float by, const Memref<1>* out,
                        const Memref0* factor) {
  float sum = 0;
  for (int64_t i = 0; i < m->sizes[0]; ++i) sum += out->at(i) = m->at(i) * by;
  *static_cast<float*>(factor->aligned) = by;
  return sum;
}
// Column 1 of a column-major matrix, as its type declares.
inline float Column(const Memref<2>* m) {
  const float* const data = static_cast<float*>(m->aligned) + 3;
  return data[2] * 10 + data[3];
}
// Copy elements as they are in memory.
inline void Raw(const Memref<2>* m, const Memref<1>* out) {
  const int64_t n = m->sizes[0] * m->sizes[1];
  std::memcpy(out->aligned, m->aligned, n * sizeof(float));
}
inline void RawUnranked(const Unranked* m, const Memref<1>* out) {
  Raw(static_cast<const Memref<2>*>(m->descriptor), out);
}
inline void RawInto(const Memref<1>* m, const Memref<2>* out) {
  std::memcpy(out->aligned, m->aligned, m->sizes[0] * sizeof(float));
}
inline void RawResult(Memref<2>* result, const Memref<1>* m) {
  void* const data = Allocate(m->sizes[0] * 4, 64);
  const int64_t columns = m->sizes[0] / 2;
  *result = {data, data, 0, {2, columns}, {columns, 1}};
  RawInto(m, result);
}
inline void AddInto(const Memref<1>* m, const Memref<1>* sum) {
  for (int64_t i = 0; i < m->sizes[0]; ++i) sum->at(i) += m->at(i);
}
// The first sum is a new result, the second begins as an argument.
inline void AddBoth(const Memref<1>* a, const Memref<1>* b,
                    const Memref<1>* sum) {
  for (int64_t i = 0; i < a->sizes[0]; ++i) {
    sum->at(i) = a->at(i) + b->at(i);
    b->at(i) = sum->at(i) + a->at(i);
  }
}
inline void Odd(Memref<1>* result, const Memref<1>* m) {
  const int64_t n = m->sizes[0];
  auto* const data = static_cast<uint8_t*>(Allocate(n, 64));
  for (int64_t i = 0; i < n; ++i) {
    data[i] = static_cast<uint8_t>(0xFE | static_cast<uint8_t*>(m->aligned)[i]);
  }
  *result = {data, data, 0, {n}, {1}};
}
inline int8_t Sum8(int8_t a, int8_t b) { return static_cast<int8_t>(a + b); }
inline double Hypot(double a, double b) { return std::sqrt(a * a + b * b); }
inline void Nothing() {}
}

}  // namespace eyrie::native::test

#endif  // EYRIE_TESTS_SUPPORT_MEMREF_FUNCTIONS_H_
