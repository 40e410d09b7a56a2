// The future that an asynchronous handler returns. Any thread may fulfil it,
// even before the handler returns.
//
// The handler owns one reference, which it releases by fulfilling the future;
// the host owns the other. Thread-safe.
// Tested by tools/native_test.sh.
#ifndef EYRIE_ABI_NATIVE_XLA_FUTURE_H_
#define EYRIE_ABI_NATIVE_XLA_FUTURE_H_

#include "absl/status/status.h"
#include "base/ref.h"
#include "eyrie/xla_ffi.h"
#include "hal/host_semaphore.h"

// Defines the opaque type of the C ABI.
struct eyrie_ffi_future final : public eyrie::RefObject {
 public:
  static constexpr eyrie::RefType kType{"eyrie.ffi_future"};
  static constexpr uint64_t kDone = 1;  // the timeline's final value

  eyrie_ffi_future() : RefObject(kType) {}

  // Reaches kDone, or fails.
  const eyrie::Ref<eyrie::hal::Semaphore>& timeline() const {
    return timeline_;
  }

 private:
  eyrie::Ref<eyrie::hal::Semaphore> timeline_ =
      eyrie::MakeRef<eyrie::hal::HostSemaphore>(0);
};

namespace eyrie::native {

// Completes a future for the handler and takes its reference.
inline absl::Status Fulfil(eyrie_ffi_future_t* future, absl::Status status) {
  const Ref<eyrie_ffi_future> owned = Ref<eyrie_ffi_future>::Adopt(future);
  if (status.ok()) return owned->timeline()->Signal(eyrie_ffi_future::kDone);
  owned->timeline()->Fail(std::move(status));
  return absl::OkStatus();
}

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_XLA_FUTURE_H_
