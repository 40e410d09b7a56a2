// The commit that the tool was built from: the label of a build with --stamp
// and --embed_label. Bazel compiles this file when it links.
extern const char eyrie_commit[];

const char eyrie_commit[] = BUILD_EMBED_LABEL;  // "redacted" without --stamp
