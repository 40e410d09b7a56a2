/* A library whose constructor ends the process; or never returns, if HANGING
 * names a file for the id of the process. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((constructor)) static void End(void) {
  const char* const path = getenv("HANGING");
  if (path == NULL) _exit(3);
  FILE* const file = fopen(path, "w");
  if (file == NULL) _exit(4);
  fprintf(file, "%d\n", (int)getpid());
  fclose(file);
  while (1) pause();
}

void* Handler(void* frame) { return frame; }
