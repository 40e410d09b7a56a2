// Names of signals, which not every C library has.
#ifndef EYRIE_BASE_SIGNAL_NAME_H_
#define EYRIE_BASE_SIGNAL_NAME_H_

namespace eyrie {

// Returns a name such as "SIGSEGV", or null for real-time and unknown signals.
// Tested by signal_name_test.cc.
const char* SignalName(int signal);

}  // namespace eyrie

#endif  // EYRIE_BASE_SIGNAL_NAME_H_
