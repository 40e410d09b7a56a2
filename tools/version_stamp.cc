// The commit that the tool was built from, compiled when a build with --stamp
// links it: tools/house/status.sh prints it to Bazel.
extern const char eyrie_commit[];

#ifndef STABLE_EYRIE_COMMIT
#define STABLE_EYRIE_COMMIT ""
#endif

const char eyrie_commit[] = STABLE_EYRIE_COMMIT;
