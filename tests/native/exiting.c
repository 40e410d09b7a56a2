/* A library whose constructor ends the process. */
#include <unistd.h>

__attribute__((constructor)) static void End(void) { _exit(3); }

void* Handler(void* frame) { return frame; }
