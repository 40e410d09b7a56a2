// The program of worker_main.cc, which the build embeds as bytes.
#ifndef EYRIE_PLUGINS_PJRT_COMPILER_WORKER_IMAGE_H_
#define EYRIE_PLUGINS_PJRT_COMPILER_WORKER_IMAGE_H_

#include <cstdint>
#include <span>

namespace eyrie::pjrt {

std::span<const uint8_t> WorkerImage();

}  // namespace eyrie::pjrt

#endif  // EYRIE_PLUGINS_PJRT_COMPILER_WORKER_IMAGE_H_
