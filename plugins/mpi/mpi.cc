// The MPI plug-in for collectives: each message is one MPI message.
//
// Uses MPI 3 and only the C library, so that any program can load it. All MPI
// calls are made on one thread, the runtime's message thread.
// Tested by ranks_test.py.
#define OMPI_SKIP_MPICXX 1
#include <mpi.h>

#include <cstdio>
#include <cstdlib>

#include "eyrie/collectives_plugin.h"

struct eyrie_transport_t {
  MPI_Comm ranks;         // all ranks; a communicator of our own
  MPI_Request* requests;  // by request number; MPI_REQUEST_NULL if free
  uint64_t capacity;
  uint64_t first_free;  // all requests before it are in use
};

namespace {

constexpr uint32_t kMaxTag = (1u << 30) - 1;

int Fail(const char* what, int code, eyrie_transport_error_t* error) {
  char text[MPI_MAX_ERROR_STRING] = "?";
  int length = 0;
  MPI_Error_string(code, text, &length);
  std::snprintf(error->text, sizeof(error->text), "%.80s: %.160s", what, text);
  return 1;
}

int Complain(const char* text, eyrie_transport_error_t* error) {
  std::snprintf(error->text, sizeof(error->text), "%s", text);
  return 1;
}

// Finds a free request number.
int Reserve(eyrie_transport_t* transport, uint64_t* request,
            eyrie_transport_error_t* error) {
  uint64_t at = transport->first_free;
  while (at < transport->capacity &&
         transport->requests[at] != MPI_REQUEST_NULL) {
    ++at;
  }
  if (at == transport->capacity) {
    const uint64_t capacity = transport->capacity * 2 + 16;
    auto* grown = static_cast<MPI_Request*>(
        std::realloc(transport->requests, capacity * sizeof(MPI_Request)));
    if (grown == nullptr) return Complain("no memory for requests", error);
    for (uint64_t i = at; i < capacity; ++i) grown[i] = MPI_REQUEST_NULL;
    transport->requests = grown;
    transport->capacity = capacity;
  }
  transport->first_free = at + 1;
  *request = at;
  return 0;
}

// By default MPI ends the process on errors, so set another error handler.
int Prepare(eyrie_transport_t* transport, int32_t* rank, int32_t* count,
            eyrie_transport_error_t* error) {
  int code = MPI_Comm_dup(MPI_COMM_WORLD, &transport->ranks);
  if (code != MPI_SUCCESS) return Fail("MPI_Comm_dup", code, error);
  code = MPI_Comm_set_errhandler(transport->ranks, MPI_ERRORS_RETURN);
  if (code != MPI_SUCCESS) return Fail("MPI_Comm_set_errhandler", code, error);
  int* most = nullptr;
  int known = 0;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &most, &known);
  if (known == 0 || *most < static_cast<int>(kMaxTag)) {
    return Complain("this MPI has too few tags", error);
  }
  MPI_Comm_rank(transport->ranks, rank);
  MPI_Comm_size(transport->ranks, count);
  return 0;
}

int Open(eyrie_transport_t** opened, int32_t* rank, int32_t* count,
         eyrie_transport_error_t* error) {
  int done = 0;
  MPI_Initialized(&done);
  if (done != 0) return Complain("MPI is in use already", error);
  int level = 0;
  const int code =
      MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level);
  if (code != MPI_SUCCESS) return Fail("MPI_Init_thread", code, error);
  if (level < MPI_THREAD_FUNNELED) {
    return Complain("this MPI knows no threads", error);
  }
  auto* transport = static_cast<eyrie_transport_t*>(
      std::calloc(1, sizeof(eyrie_transport_t)));
  if (transport == nullptr) return Complain("no memory", error);
  if (Prepare(transport, rank, count, error) != 0) {
    std::free(transport);
    return 1;
  }
  *opened = transport;
  return 0;
}

int Send(eyrie_transport_t* transport, int32_t peer, uint32_t tag,
         const void* bytes, uint64_t size, uint64_t* request,
         eyrie_transport_error_t* error) {
  if (Reserve(transport, request, error) != 0) return 1;
  const int code = MPI_Isend(bytes, static_cast<int>(size), MPI_BYTE, peer,
                             static_cast<int>(tag), transport->ranks,
                             &transport->requests[*request]);
  return code == MPI_SUCCESS ? 0 : Fail("MPI_Isend", code, error);
}

int Receive(eyrie_transport_t* transport, int32_t peer, uint32_t tag,
            void* bytes, uint64_t size, uint64_t* request,
            eyrie_transport_error_t* error) {
  if (Reserve(transport, request, error) != 0) return 1;
  const int code = MPI_Irecv(bytes, static_cast<int>(size), MPI_BYTE, peer,
                             static_cast<int>(tag), transport->ranks,
                             &transport->requests[*request]);
  return code == MPI_SUCCESS ? 0 : Fail("MPI_Irecv", code, error);
}

int Test(eyrie_transport_t* transport, uint64_t request, int32_t* over,
         eyrie_transport_error_t* error) {
  MPI_Request* const slot = &transport->requests[request];
  int done = 0;
  const int code = MPI_Test(slot, &done, MPI_STATUS_IGNORE);
  if (code != MPI_SUCCESS) *slot = MPI_REQUEST_NULL;
  *over = done;
  if (*slot == MPI_REQUEST_NULL && request < transport->first_free) {
    transport->first_free = request;
  }
  return code == MPI_SUCCESS ? 0 : Fail("MPI_Test", code, error);
}

int Close(eyrie_transport_t* transport, eyrie_transport_error_t* error) {
  MPI_Comm_free(&transport->ranks);
  std::free(transport->requests);
  std::free(transport);
  const int code = MPI_Finalize();
  return code == MPI_SUCCESS ? 0 : Fail("MPI_Finalize", code, error);
}

constexpr eyrie_collectives_plugin_t kPlugin = {
    EYRIE_COLLECTIVES_PLUGIN_VERSION, "mpi", Open, Send, Receive, Test, Close};

}  // namespace

extern "C" __attribute__((visibility("default")))
const eyrie_collectives_plugin_t*
eyrie_collectives_plugin() {
  return &kPlugin;
}
