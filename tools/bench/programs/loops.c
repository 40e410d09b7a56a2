// The loops of scalar.mlir and calls.mlir in C.
#include <stdint.h>

int32_t sum_i32(int32_t turns) {
  int32_t sum = 0;
  for (int32_t i = 0; i < turns; ++i) sum ^= i;
  return sum;
}

int32_t arithmetic_i32(int32_t turns) {
  uint32_t sum = 0;
  for (int32_t i = 0; i < turns; ++i) {
    sum = ((sum * 1664525u) ^ (uint32_t)i) + 1664525u;
  }
  return (int32_t)sum;
}

int64_t arithmetic_i64(int64_t turns) {
  const uint64_t factor = 6364136223846793005u;
  uint64_t sum = 0;
  for (int64_t i = 0; i < turns; ++i) {
    sum = ((sum * factor) ^ (uint64_t)i) + factor;
  }
  return (int64_t)sum;
}

float arithmetic_f32(int32_t turns, float factor) {
  float sum = 1;
  for (int32_t i = 0; i < turns; ++i) sum = sum * factor + 1.0f - factor;
  return sum;
}

static volatile int32_t word;
int32_t buffer(int32_t turns) {
  word = 1;
  for (int32_t i = 0; i < turns; ++i) word = word + i;
  return word;
}

__attribute__((noinline, noclone)) static int32_t step(int32_t sum,
                                                       int32_t i) {
  __asm__("");
  return sum ^ i;
}
int32_t calls(int32_t count) {
  int32_t sum = 0;
  for (int32_t i = 0; i < count; ++i) sum = step(sum, i);
  return sum;
}

int32_t fib(int32_t n) {
  __asm__("");  // else calls of calls are put in their place
  return n < 2 ? n : fib(n - 1) + fib(n - 2);
}
