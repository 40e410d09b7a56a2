// A short pause in a loop that looks for a change by another thread.
//
// Tested by short_lock_test.cc.
#ifndef EYRIE_BASE_PAUSE_H_
#define EYRIE_BASE_PAUSE_H_

namespace eyrie {

// Tells the processor that this thread waits: it saves energy and leaves more
// of a shared core to the other thread. Does nothing on processors other than
// x86-64 and AArch64.
inline void Pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

}  // namespace eyrie

#endif  // EYRIE_BASE_PAUSE_H_
