// Counts who asks for the GIL, so that the end can wait for them.
//
// Tested by ended_calls_test.py.
#include "gil.h"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace eyrie::python {
namespace {

// How long the end waits for who has asked before: a log's handler may hang.
constexpr std::chrono::seconds kMaxPatience{1};

unsigned long main_thread = 0;
std::atomic<bool> closed = false;
std::atomic<int> takers = 0;  // threads that ask, but the main one

// True: the thread may ask, and says Done() behind it.
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
  while (!MayTake()) pause();  // until the process ends
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
