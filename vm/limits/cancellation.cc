#include "vm/limits/cancellation.h"

#include <algorithm>

#include "vm/limits/meter.h"

namespace eyrie::vm {

void Cancellation::Cancel() {
  const std::lock_guard<std::mutex> lock(mutex_);
  is_cancelled_ = true;
  for (Meter* meter : meters_) meter->Stop(Meter::Reason::kCancelled);
}

bool Cancellation::IsCancelled() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return is_cancelled_;
}

void Cancellation::Add(Meter* meter) {
  const std::lock_guard<std::mutex> lock(mutex_);
  meters_.push_back(meter);
  if (is_cancelled_) meter->Stop(Meter::Reason::kCancelled);
}

void Cancellation::Remove(Meter* meter) {
  const std::lock_guard<std::mutex> lock(mutex_);
  meters_.erase(std::find(meters_.begin(), meters_.end(), meter));
}

}  // namespace eyrie::vm
