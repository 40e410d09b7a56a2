/* The interface of collectives plug-ins: shared libraries that carry bytes
 * between the ranks of a program.
 *
 * A plug-in exports eyrie_collectives_plugin(). What collectives make of the
 * bytes is the runtime's; it calls all functions on one thread, of which there
 * is one for a process. docs/collectives.md tells more.
 */
#ifndef EYRIE_COLLECTIVES_PLUGIN_H_
#define EYRIE_COLLECTIVES_PLUGIN_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Changes with every change of what stands below. */
#define EYRIE_COLLECTIVES_PLUGIN_VERSION 1

/* What a plug-in knows of its ranks; its own. */
typedef struct eyrie_transport_t eyrie_transport_t;

/* Where a function that fails says why: text, ended by a zero. */
typedef struct eyrie_transport_error_t {
  char text[256];
} eyrie_transport_error_t;

/* Functions return 0, or another number and an error. */
typedef struct eyrie_collectives_plugin_t {
  uint32_t version; /* EYRIE_COLLECTIVES_PLUGIN_VERSION */
  const char* name; /* "mpi" */

  /* Joins the other ranks: `rank` in [0, count), as many on each. */
  int (*open)(eyrie_transport_t** transport, int32_t* rank, int32_t* count,
              eyrie_transport_error_t* error);
  /* Begin a message of at most 2^30 bytes to or from another rank, with a tag
   * below 2^30. Messages of one sender, receiver and tag arrive in order, each
   * in a receive of the same length. The bytes are the plug-in's until test()
   * says that the message is over. `request` is any number. */
  int (*send)(eyrie_transport_t* transport, int32_t peer, uint32_t tag,
              const void* bytes, uint64_t size, uint64_t* request,
              eyrie_transport_error_t* error);
  int (*receive)(eyrie_transport_t* transport, int32_t peer, uint32_t tag,
                 void* bytes, uint64_t size, uint64_t* request,
                 eyrie_transport_error_t* error);
  /* Sets `over` to 1 if the message is over, else 0. Does not wait. After 1 or
   * an error the request is forgotten. */
  int (*test)(eyrie_transport_t* transport, uint64_t request, int32_t* over,
              eyrie_transport_error_t* error);
  /* Leaves the other ranks, when no message is in flight; may wait for them. A
   * process that fails ends without it. */
  int (*close)(eyrie_transport_t* transport, eyrie_transport_error_t* error);
} eyrie_collectives_plugin_t;

/* The plug-in's functions, of static storage. */
typedef const eyrie_collectives_plugin_t* (*eyrie_collectives_plugin_function)(
    void);
#define EYRIE_COLLECTIVES_PLUGIN_SYMBOL "eyrie_collectives_plugin"

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* EYRIE_COLLECTIVES_PLUGIN_H_ */
