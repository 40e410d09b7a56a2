// Tests that a driver that cannot be loaded is looked for again.
#include "abi/native/cuda_device.h"

#include <cstdlib>
#include <string>

#include "gtest/gtest.h"

namespace eyrie::native {
namespace {

TEST(SharedCudaDevice, TriesAgainAfterAFailure) {
  SharedCudaDevice shared;
  for (const std::string name : {"no_driver.so", "no_other_driver.so"}) {
    ASSERT_EQ(::setenv("EYRIE_CUDA_LIBRARY", name.c_str(), 1), 0);
    const absl::Status status = shared.Get().status();
    EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable) << status;
    EXPECT_NE(status.message().find("./" + name), std::string::npos) << status;
  }
}

}  // namespace
}  // namespace eyrie::native
