/* Functions that are not handlers, for manifests that say they are. */
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

int64_t Add(int64_t a, int64_t b) { return a + b; }

void Clear(float* values, int64_t count) {
  for (int64_t i = 0; i < (count | 0x10000000); ++i) values[i] = 0;
}

void Exit(void) { _exit(3); }

void Abort(void) { abort(); }

int Zero(void) { return 0; }
