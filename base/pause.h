// A short pause in a loop that looks for a change by another thread. Each
// machine has its own file.
//
// Tested by short_lock_test.cc.
#ifndef EYRIE_BASE_PAUSE_H_
#define EYRIE_BASE_PAUSE_H_

namespace eyrie {

// Tells the processor that this thread waits: it saves energy and leaves more
// of a shared core to the other thread.
void Pause();

}  // namespace eyrie

#endif  // EYRIE_BASE_PAUSE_H_
