// A plug-in for tests. FAKE_PLUGIN selects its defect: 0 has no entry point, 1
// another version, 2 fails to open, 3 reports a rank past the last; 4 works as
// a single rank, but loses messages to itself.
#include <cstdio>

#include "eyrie/collectives_plugin.h"

namespace {

int Open(eyrie_transport_t**, int32_t* rank, int32_t* count,
         eyrie_transport_error_t* error) {
  *rank = FAKE_PLUGIN == 3 ? 7 : 0;
  *count = FAKE_PLUGIN == 3 ? 4 : 1;
  std::snprintf(error->text, sizeof(error->text), "the door is shut");
  return FAKE_PLUGIN == 2 ? 1 : 0;
}

int Send(eyrie_transport_t*, int32_t, uint32_t, const void*, uint64_t,
         uint64_t*, eyrie_transport_error_t*) {
  return 1;
}

int Receive(eyrie_transport_t*, int32_t, uint32_t, void*, uint64_t, uint64_t*,
            eyrie_transport_error_t*) {
  return 1;
}

int Test(eyrie_transport_t*, uint64_t, int32_t*, eyrie_transport_error_t*) {
  return 1;
}

int Close(eyrie_transport_t*, eyrie_transport_error_t* error) {
  std::snprintf(error->text, sizeof(error->text), "it stays open");
  return 1;
}

const eyrie_collectives_plugin_t plugin = {
    EYRIE_COLLECTIVES_PLUGIN_VERSION + (FAKE_PLUGIN == 1 ? 41 : 0),
    "fake",
    Open,
    Send,
    Receive,
    Test,
    Close};

}  // namespace

#if FAKE_PLUGIN == 0
#define eyrie_collectives_plugin something_else
#endif

extern "C" __attribute__((visibility("default")))
const eyrie_collectives_plugin_t*
eyrie_collectives_plugin() {
  return &plugin;
}
