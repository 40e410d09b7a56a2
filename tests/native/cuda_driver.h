/* The functions of CUDA's driver that the handlers call; see cuda_driver.c. */
#ifndef EYRIE_TESTS_NATIVE_CUDA_DRIVER_H_
#define EYRIE_TESTS_NATIVE_CUDA_DRIVER_H_

#include <stddef.h>
#include <stdint.h>

int cuCtxGetCurrent(void** context);
int cuMemAlloc_v2(uint64_t* address, size_t bytes);
int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes,
                         void* stream);
int cuLaunchHostFunc(void* stream, void (*function)(void*), void* data);

/* Returns the host's address of memory of the device, for functions that the
 * stream runs. The host cannot use the device's address. */
void* Reach(const void* memory);

#endif /* EYRIE_TESTS_NATIVE_CUDA_DRIVER_H_ */
