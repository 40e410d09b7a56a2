/* An executable plug-in: the function that the kernel of blending.mlir imports.
 *
 * BUILD compiles it as a library of the system, as one that needs no system
 * libraries, and with faults: VERSION, SANITIZER, and FAILS, whose function
 * fails. The interface is IREE's (hal/cpu/plugin_abi.h). */
#include <stddef.h>
#include <stdint.h>

#ifndef VERSION
#define VERSION 1
#endif
#ifndef SANITIZER
#define SANITIZER 0
#endif
#ifndef FAILS
#define FAILS 0
#endif

#define GROUP 16 /* elements for one workgroup */

struct header {
  uint32_t version;
  const char* name;
  const char* description;
  uint32_t features;
  uint32_t sanitizer;
  uint64_t reserved[8];
};

struct allocator {
  void* self;
  uintptr_t (*control)(void* self, uint32_t command, const void* params,
                       void** pointer);
};

struct resolve_params {
  size_t count;
  const char* const* names;
  void** functions;
  void** contexts;
};

struct plugin {
  const struct header* header;
  uintptr_t (*load)(const struct allocator* allocator, size_t param_count,
                    const void* params, void** self);
  void (*unload)(void* self);
  uintptr_t (*resolve)(void* self, const struct resolve_params* params,
                       uint32_t* resolution);
};

/* The state of a loaded plug-in. */
struct state {
  const struct allocator* allocator;
  float factor;
};

static int blend_elements(void* params, void* context, void* reserved) {
  const struct {
    const float* x;
    size_t x_begin;
    const float* y;
    size_t y_begin;
    float* out;
    size_t out_begin;
    size_t count;
    size_t group;
  }* const p = params;
  const struct state* const state = context;
  (void)reserved;
  size_t i = p->group * GROUP;
  const size_t end = p->count - i < GROUP ? p->count : i + GROUP;
  for (; i < end; ++i) {
    p->out[p->out_begin + i] =
        state->factor * p->x[p->x_begin + i] + p->y[p->y_begin + i];
  }
  return 0;
}

static int fail(void* params, void* context, void* reserved) {
  (void)params;
  (void)context;
  (void)reserved;
  return 1;
}

static uintptr_t load(const struct allocator* allocator, size_t param_count,
                      const void* params, void** self) {
  const size_t size = sizeof(struct state);
  (void)param_count;
  (void)params;
  const uintptr_t status =
      allocator->control(allocator->self, /*zeroed*/ 1, &size, self);
  if (status != 0) return status;
  struct state* const state = *self;
  state->allocator = allocator;
  state->factor = 3;
  return 0;
}

static void unload(void* self) {
  const struct state* const state = self;
  state->allocator->control(state->allocator->self, /*free*/ 3, NULL, &self);
}

static int is_equal(const char* a, const char* b) {
  while (*a != 0 && *a == *b) ++a, ++b;
  return *a == *b;
}

static uintptr_t resolve(void* self, const struct resolve_params* params,
                         uint32_t* resolution) {
  uintptr_t status = 0;
  *resolution = 0;
  for (size_t i = 0; i < params->count; ++i) {
    if (params->functions[i] != NULL) continue;
    const char* name = params->names[i];
    const int is_optional = *name == '?';
    if (is_optional) ++name;
    if (is_equal(name, "blend_elements")) {
      params->functions[i] = (void*)(FAILS ? fail : blend_elements);
      params->contexts[i] = self;
    } else if (is_optional) {
      *resolution |= 1;
    } else {
      status = 5; /* NOT_FOUND */
    }
  }
  return status;
}

__attribute__((visibility("default"))) const struct plugin*
iree_hal_executable_plugin_query(uint32_t max_version, void* reserved) {
  static const struct header header = {
      VERSION, "blender", "for the tests of Eyrie", 1, SANITIZER, {0}};
  static const struct plugin plugin = {&header, load, unload, resolve};
  (void)reserved;
  return max_version >= 1 ? &plugin : NULL;
}
