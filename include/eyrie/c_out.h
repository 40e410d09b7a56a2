/* Calls whose results go into arrays of the caller. */
#ifndef EYRIE_C_OUT_H_
#define EYRIE_C_OUT_H_

#include "eyrie/c.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Calls a function as eyrie_function_call_named does, with results in the
 * caller's memory. `outs` has `out_count` entries, at most one for each result,
 * in order. An array gets the elements of the result, and the result is a value
 * that shares its memory; NULL leaves the result to the call. A function that
 * takes storage for the result writes to the array itself, if that is dense,
 * aligned to 64 bytes and not lent to the call; any other result is copied. If
 * the call fails, the arrays may have been written to.
 *
 * INVALID_ARGUMENT: also if an array is read-only, has another shape or dtype
 * than its result, has elements that share memory, or overlaps the array of
 * another result. Only what the signature leaves open is checked after the
 * call. */
EYRIE_EXPORT eyrie_error_t* eyrie_function_call_out(
    eyrie_function_t* function, eyrie_value_t* const* arguments,
    size_t argument_count, const char* const* names, size_t name_count,
    eyrie_value_t* const* outs, size_t out_count, eyrie_value_t** results,
    size_t result_capacity);

/* Prepares a call as eyrie_function_prepare does, with results in the caller's
 * memory. `outs` is as for eyrie_function_call_out; the values may be freed or
 * changed afterwards, and the memory must remain valid as long as the call.
 * Each eyrie_prepared_call then writes to the same arrays. Errors are those of
 * both functions. */
EYRIE_EXPORT eyrie_error_t* eyrie_function_prepare_out(
    eyrie_function_t* function, eyrie_value_t* const* arguments,
    size_t argument_count, const char* const* names, size_t name_count,
    eyrie_value_t* const* outs, size_t out_count,
    eyrie_prepared_t** out_prepared);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* EYRIE_C_OUT_H_ */
