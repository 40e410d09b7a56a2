#!/bin/sh
# Runs the commands of check_test.txt, as cli_test.sh does. Removes the
# variables that Bazel and users of GoogleTest set. Does not print times.
export VK_DRIVER_FILES=/nonexistent VK_ICD_FILENAMES=/nonexistent
unset XML_OUTPUT_FILE TESTBRIDGE_TEST_ONLY GTEST_TOTAL_SHARDS GTEST_SHARD_INDEX
unset GTEST_SHARD_STATUS_FILE GTEST_FILTER GTEST_OUTPUT GTEST_COLOR
export GTEST_PRINT_TIME=0
exec python3 "$@"
