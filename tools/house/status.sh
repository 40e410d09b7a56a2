#!/bin/sh
# Prints what `bazel build --stamp` puts into the tool: the commit of the tree,
# with a '+' behind it if something in the tree is changed.
commit=$(git rev-parse --short=12 HEAD 2>/dev/null) || exit 0
git diff --quiet HEAD -- 2>/dev/null || commit=$commit+
echo "STABLE_EYRIE_COMMIT $commit"
