// Counts threads that request the GIL, so that AtEnd can wait for them.
#include "gil.h"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace eyrie::python {
namespace {

// The limit of AtEnd's wait for them, because a log handler may hang.
constexpr std::chrono::seconds kMaxPatience{1};

unsigned long main_thread = 0;
std::atomic<bool> closed = false;
std::atomic<int> takers = 0;  // requesting threads, except the main one

// Reports whether the thread may request the GIL. If so, it must call Done()
// afterwards.
bool MayTake() {
  takers.fetch_add(1);
  if (!closed.load()) return true;
  takers.fetch_sub(1);
  return false;
}
void Done() { takers.fetch_sub(1); }

}  // namespace

void SetMainThread(unsigned long ident) {
  main_thread = ident;
  takers = 0;
}

bool IsMainThread() { return PyThread_get_thread_ident() == main_thread; }

AtEnd::~AtEnd() {
  closed = true;
  const nanobind::gil_scoped_release release;
  const auto end = std::chrono::steady_clock::now() + kMaxPatience;
  while (takers.load() != 0 && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

WithoutGil::~WithoutGil() {
  if (IsMainThread()) {
    PyEval_RestoreThread(state_);
    return;
  }
  while (!MayTake()) pause();  // until the process exits
  PyEval_RestoreThread(state_);
  Done();
}

WithGil::WithGil() : has_(IsMainThread() ? nanobind::is_alive() : MayTake()) {
  if (has_) state_ = PyGILState_Ensure();
}

WithGil::~WithGil() {
  if (!has_) return;
  PyGILState_Release(state_);
  if (!IsMainThread()) Done();
}

}  // namespace eyrie::python
