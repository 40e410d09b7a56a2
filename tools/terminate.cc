// Reports uncaught exceptions: a lack of memory or threads, as the tool's own
// code does not throw.
//
// Replaces libstdc++'s handler, whose demangler adds 50 KB to the program.
// Tested by terminate_test.cc.
#include <cxxabi.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <system_error>

namespace {

// Reports whether 64 KiB cannot be allocated.
bool LacksMemory() {
  void* const block = std::malloc(size_t{64} << 10);
  std::free(block);
  return block == nullptr;
}

[[noreturn]] void ExitWithoutMemory() {
  std::fputs("eyrie: The system has no more memory for this process.\n",
             stderr);
  _exit(EXIT_FAILURE);
}

}  // namespace

namespace __gnu_cxx {

// A lack of memory or threads is reported like other errors, with the exit code
// of a failed command. Any other exception is a bug.
void __verbose_terminate_handler() {
  static std::atomic_flag is_ending = ATOMIC_FLAG_INIT;
  while (is_ending.test_and_set()) pause();  // another thread ends the process
  if (abi::__cxa_current_exception_type() == nullptr) {
    // There may be no exception object, for lack of memory.
    if (LacksMemory()) ExitWithoutMemory();
    std::fputs("eyrie: std::terminate was called.\n", stderr);
    std::abort();
  }
  try {
    throw;
  } catch (const std::bad_alloc&) {
    ExitWithoutMemory();
  } catch (const std::system_error& error) {
    std::fprintf(stderr, "eyrie: The process ends: %s\n", error.what());
    _exit(EXIT_FAILURE);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "eyrie: The process ends: %s\n", error.what());
  } catch (...) {
    std::fputs("eyrie: The process ends because of an unknown exception.\n",
               stderr);
  }
  std::abort();
}

}  // namespace __gnu_cxx
