#include "vm/limits/cancel_token.h"

#include <utility>
#include <vector>

namespace eyrie::vm {

void CancelToken::Cancel() {
  std::vector<std::function<void()>> wakes;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    is_cancelled_.store(true, std::memory_order_release);
    for (const auto& [call, stop] : stops_) stop();
    for (const auto& [key, wake] : wakes_) wakes.push_back(wake);
  }
  // A wake may take locks under which another thread ends its call.
  for (const std::function<void()>& wake : wakes) wake();
}

void CancelToken::Attach(const void* call, std::function<void()> stop) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (is_cancelled()) stop();
  stops_.emplace(call, std::move(stop));
}

void CancelToken::Detach(const void* call) {
  const std::lock_guard<std::mutex> lock(mutex_);
  stops_.erase(call);
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
