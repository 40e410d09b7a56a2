// Reports faults of kernels, such as an access outside memory: which dispatch,
// at which address.
//
// Tested by fault_report_test.txt.
#ifndef EYRIE_TOOLS_FAULT_REPORT_H_
#define EYRIE_TOOLS_FAULT_REPORT_H_

namespace eyrie::tools {

// Handles SIGSEGV, SIGBUS, SIGILL and SIGFPE, except those that already have a
// handler: prints a line to stderr if a kernel of a module caused the signal,
// and lets the signal end the process as it would without this.
void ReportFaults();

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_FAULT_REPORT_H_
