// Tested by limits_test.cc, tools/check/check_test.txt.
#include "vm/cancellation.h"

#include <algorithm>

#include "vm/context.h"

namespace eyrie::vm {

void Cancellation::Cancel() {
  const std::lock_guard<std::mutex> lock(mutex_);
  is_cancelled_ = true;
  for (Context* context : contexts_) context->Cancel();
}

void Cancellation::Add(Context* context) {
  const std::lock_guard<std::mutex> lock(mutex_);
  contexts_.push_back(context);
  if (is_cancelled_) context->Cancel();
}

void Cancellation::Remove(Context* context) {
  const std::lock_guard<std::mutex> lock(mutex_);
  contexts_.erase(std::find(contexts_.begin(), contexts_.end(), context));
}

}  // namespace eyrie::vm
