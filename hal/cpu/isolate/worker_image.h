// The program of a worker, which the build makes of worker_main.cc.
#ifndef EYRIE_HAL_CPU_ISOLATE_WORKER_IMAGE_H_
#define EYRIE_HAL_CPU_ISOLATE_WORKER_IMAGE_H_

#include <cstdint>
#include <span>

namespace eyrie::hal::cpu::isolate {

// Returns an ELF file that needs no libraries; empty if there is none for this
// machine.
std::span<const uint8_t> WorkerImage();

}  // namespace eyrie::hal::cpu::isolate

#endif  // EYRIE_HAL_CPU_ISOLATE_WORKER_IMAGE_H_
