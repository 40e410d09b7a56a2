#include "hal/cpu/task/shared_pool.h"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "base/fork_gate.h"

namespace eyrie::hal::cpu {
namespace {

// Guarded by ForkGate(), so that a forked child can use the list.
struct SharedPool {
  Pool* pool;  // retained by its shares
  int shares;
};

std::vector<SharedPool>& SharedPools() {
  static std::vector<SharedPool>& pools = *new std::vector<SharedPool>();
  return pools;
}

SharedPool* FindPool(const Pool* pool) {
  for (SharedPool& each : SharedPools()) {
    if (each.pool == pool) return &each;
  }
  return nullptr;
}

}  // namespace

PoolShare::PoolShare(PoolOptions options) {
  const std::lock_guard<std::mutex> gate(ForkGate());
  std::erase_if(SharedPools(),
                [](const SharedPool& each) { return each.pool->IsForked(); });
  for (SharedPool& each : SharedPools()) {
    if (each.pool->options() != options) continue;
    ++each.shares;
    pool_ = Ref<Pool>::Share(each.pool);
    return;
  }
  pool_ = MakeRef<Pool>(std::move(options));
  SharedPools().push_back({pool_.get(), 1});
}

int PoolShare::sharers() const {
  const std::lock_guard<std::mutex> gate(ForkGate());
  const SharedPool* const found = FindPool(pool_.get());
  return found == nullptr ? 0 : found->shares;
}

void PoolShare::Leave() {
  pool_->Close(*jobs_);
  {
    const std::lock_guard<std::mutex> gate(ForkGate());
    SharedPool* const found = FindPool(pool_.get());
    // A forked child that opens a device forgets the pools from before.
    if (found == nullptr || --found->shares != 0) return;
    *found = SharedPools().back();
    SharedPools().pop_back();
  }
  pool_->Shutdown();
}

}  // namespace eyrie::hal::cpu
