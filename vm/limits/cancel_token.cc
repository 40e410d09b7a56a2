#include "vm/limits/cancel_token.h"

#include <utility>
#include <vector>

#include "vm/limits/meter.h"

namespace eyrie::vm {

void CancelToken::Cancel() {
  std::vector<std::function<void()>> wakes;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    is_cancelled_.store(true, std::memory_order_release);
    for (Meter* meter : meters_) meter->Stop(Meter::Reason::kCallCancelled);
    for (const auto& [key, wake] : wakes_) wakes.push_back(wake);
  }
  // A wake may take locks under which another thread ends its call.
  for (const std::function<void()>& wake : wakes) wake();
}

void CancelToken::Attach(Meter& meter) {
  const std::lock_guard<std::mutex> lock(mutex_);
  meters_.insert(&meter);
  if (is_cancelled()) meter.Stop(Meter::Reason::kCallCancelled);
}

void CancelToken::Detach(Meter& meter) {
  const std::lock_guard<std::mutex> lock(mutex_);
  meters_.erase(&meter);
}

CancelWake::CancelWake(CancelToken& token, std::function<void()> wake)
    : token_(token) {
  {
    const std::lock_guard<std::mutex> lock(token_.mutex_);
    token_.wakes_.emplace(this, wake);
    if (!token_.is_cancelled()) return;
  }
  wake();
}

CancelWake::~CancelWake() {
  const std::lock_guard<std::mutex> lock(token_.mutex_);
  token_.wakes_.erase(this);
}

}  // namespace eyrie::vm
