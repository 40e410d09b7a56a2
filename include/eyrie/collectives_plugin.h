/* The interface of collectives plug-ins: shared libraries that send bytes
 * between the ranks of a program.
 *
 * A plug-in exports eyrie_collectives_plugin(). It transports bytes only; the
 * runtime implements the collectives. The runtime calls all functions on one
 * thread of the process. See docs/collectives.md.
 */
#ifndef EYRIE_COLLECTIVES_PLUGIN_H_
#define EYRIE_COLLECTIVES_PLUGIN_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Incremented with every change of this interface. */
#define EYRIE_COLLECTIVES_PLUGIN_VERSION 1

/* The plug-in's state, which only the plug-in reads. */
typedef struct eyrie_transport_t eyrie_transport_t;

/* Receives the reason of a failure, as text that ends with a NUL. */
typedef struct eyrie_transport_error_t {
  char text[256];
} eyrie_transport_error_t;

/* The functions of a plug-in. They return 0 on success; otherwise they return
 * another number and write `error`. */
typedef struct eyrie_collectives_plugin_t {
  uint32_t version; /* EYRIE_COLLECTIVES_PLUGIN_VERSION */
  const char* name; /* "mpi" */

  /* Joins the other ranks and creates the transport. `rank` is in [0, count);
   * `count` is the same on all ranks. */
  int (*open)(eyrie_transport_t** transport, int32_t* rank, int32_t* count,
              eyrie_transport_error_t* error);
  /* Begin a message of at most 2^30 bytes to or from another rank, with a tag
   * below 2^30. Messages with the same sender, receiver and tag must arrive in
   * order; each is received with the size it was sent with.
   * The memory stays valid, and belongs to the plug-in, until test() reports
   * that the message is complete. `request` receives a number that identifies
   * the message. */
  int (*send)(eyrie_transport_t* transport, int32_t peer, uint32_t tag,
              const void* bytes, uint64_t size, uint64_t* request,
              eyrie_transport_error_t* error);
  int (*receive)(eyrie_transport_t* transport, int32_t peer, uint32_t tag,
                 void* bytes, uint64_t size, uint64_t* request,
                 eyrie_transport_error_t* error);
  /* Sets `over` to 1 if the message is complete, else to 0. Must not wait.
   * After 1 or an error, the request is not used again. */
  int (*test)(eyrie_transport_t* transport, uint64_t request, int32_t* over,
              eyrie_transport_error_t* error);
  /* Leaves the other ranks and frees the transport. Called only if no message
   * is in flight; may wait for the other ranks. Not called by a process that
   * ends because of an error. */
  int (*close)(eyrie_transport_t* transport, eyrie_transport_error_t* error);
} eyrie_collectives_plugin_t;

/* Returns the plug-in's functions, which must have static storage. */
typedef const eyrie_collectives_plugin_t* (*eyrie_collectives_plugin_function)(
    void);
#define EYRIE_COLLECTIVES_PLUGIN_SYMBOL "eyrie_collectives_plugin"

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* EYRIE_COLLECTIVES_PLUGIN_H_ */
