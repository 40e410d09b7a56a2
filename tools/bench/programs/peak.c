/* Runs a command and prints its peak of resident memory in KiB.
 *
 * A process begins with the peak of the one that starts it, and Python's is
 * higher than that of the programs to measure. */
#include <spawn.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

int main(int argc, char** argv) {
  pid_t child = 0;
  int status = 0;
  struct rusage usage;
  if (argc < 2 ||
      posix_spawn(&child, argv[1], NULL, NULL, argv + 1, environ) != 0) {
    return 1;
  }
  if (wait4(child, &status, 0, &usage) != child || status != 0) return 1;
  printf("\n%ld\n", usage.ru_maxrss);
  return 0;
}
