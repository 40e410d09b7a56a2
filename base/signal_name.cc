#include "base/signal_name.h"

#include <csignal>

namespace eyrie {
namespace {

struct SignalRow {
  int signal;
  const char* name;
};

constexpr SignalRow kSignals[] = {
    {SIGABRT, "SIGABRT"},     {SIGALRM, "SIGALRM"},     {SIGBUS, "SIGBUS"},
    {SIGCHLD, "SIGCHLD"},     {SIGCONT, "SIGCONT"},     {SIGFPE, "SIGFPE"},
    {SIGHUP, "SIGHUP"},       {SIGILL, "SIGILL"},       {SIGINT, "SIGINT"},
    {SIGKILL, "SIGKILL"},     {SIGPIPE, "SIGPIPE"},     {SIGPOLL, "SIGPOLL"},
    {SIGPROF, "SIGPROF"},     {SIGPWR, "SIGPWR"},       {SIGQUIT, "SIGQUIT"},
    {SIGSEGV, "SIGSEGV"},     {SIGSTKFLT, "SIGSTKFLT"}, {SIGSTOP, "SIGSTOP"},
    {SIGSYS, "SIGSYS"},       {SIGTERM, "SIGTERM"},     {SIGTRAP, "SIGTRAP"},
    {SIGTSTP, "SIGTSTP"},     {SIGTTIN, "SIGTTIN"},     {SIGTTOU, "SIGTTOU"},
    {SIGURG, "SIGURG"},       {SIGUSR1, "SIGUSR1"},     {SIGUSR2, "SIGUSR2"},
    {SIGVTALRM, "SIGVTALRM"}, {SIGWINCH, "SIGWINCH"},   {SIGXCPU, "SIGXCPU"},
    {SIGXFSZ, "SIGXFSZ"},
};

}  // namespace

const char* SignalName(int signal) {
  for (const SignalRow& row : kSignals) {
    if (row.signal == signal) return row.name;
  }
  return nullptr;
}

}  // namespace eyrie
