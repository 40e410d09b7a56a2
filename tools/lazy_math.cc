// The program without libm.
//
// To load libm.so and look up its functions is a fifth of a start, and few runs
// call one: only modules' own bytecode does. Here each is found at its first
// call, and later ones are the jump through a pointer that they were. The
// linker leaves libm out where all that is called of it stands here.
//
// Tested by lazy_math_test.cc, needs_test.sh.
#include <dlfcn.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>

namespace {

// Never closes the library. It is a part of libc, and so is always there.
void* Find(const char* name) {
  void* const library = dlopen("libm.so.6", RTLD_LAZY | RTLD_LOCAL);
  void* const function = library == nullptr ? nullptr : dlsym(library, name);
  if (function != nullptr) return function;
  std::fprintf(stderr, "eyrie: libm.so.6 has no function %s.\n", name);
  std::abort();
}

}  // namespace

#define LAZY(Result, name, parameters, arguments)                          \
  namespace {                                                              \
  Result First_##name parameters;                                          \
  std::atomic<Result(*) parameters> found_##name = &First_##name;          \
  Result First_##name parameters {                                         \
    found_##name = reinterpret_cast<Result(*) parameters>(Find(#name));    \
    return found_##name.load() arguments;                                  \
  }                                                                        \
  }                                                                        \
  extern "C" __attribute__((                                               \
      visibility("hidden"))) Result Lazy_##name parameters __asm__(#name); \
  Result Lazy_##name parameters {                                          \
    return found_##name.load(std::memory_order_relaxed) arguments;         \
  }

#define LAZY_ONE(name)                \
  LAZY(double, name, (double x), (x)) \
  LAZY(float, name##f, (float x), (x))
#define LAZY_TWO(name)                             \
  LAZY(double, name, (double x, double y), (x, y)) \
  LAZY(float, name##f, (float x, float y), (x, y))

LAZY_ONE(atan)
LAZY_ONE(ceil)
LAZY_ONE(cos)
LAZY_ONE(erf)
LAZY_ONE(exp)
LAZY_ONE(exp2)
LAZY_ONE(expm1)
LAZY_ONE(log)
LAZY_ONE(log10)
LAZY_ONE(log1p)
LAZY_ONE(log2)
LAZY_ONE(nearbyint)
LAZY_ONE(round)
LAZY_ONE(sin)
LAZY_ONE(sqrt)
LAZY_ONE(tanh)
LAZY_TWO(atan2)
LAZY_TWO(pow)
LAZY_TWO(remainder)
LAZY(double, nan, (const char* text), (text))
LAZY(float, nanf, (const char* text), (text))
LAZY(int, fegetround, (), ())
LAZY(int, fesetround, (int mode), (mode))
