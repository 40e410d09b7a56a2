// A question to devices about their threads, for statistics.
//
// Tested by hal/cpu/task/shared_pool_test.cc.
#ifndef EYRIE_HAL_THREAD_QUERY_H_
#define EYRIE_HAL_THREAD_QUERY_H_

namespace eyrie::hal {

// Category for Device::Query. A device with threads answers with their number,
// including the caller's thread; with the key kSharersKey, with the number of
// devices that share them, including this one. Others answer nullopt.
inline constexpr char kThreadsQuery[] = "eyrie.threads";
inline constexpr char kSharersKey[] = "devices";

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_THREAD_QUERY_H_
