/* Arguments and results: null, numbers, bytes, arrays, lists, tuples, dicts.
 *
 * A value does not depend on a function: a call converts it to the type that
 * the function takes. Where a function reads a value (const), NULL is the null
 * value. Only one thread at a time may use a value and the items in it.
 * Pointers into a value are valid until it is freed, set, or replaced by a
 * result.
 */
#ifndef EYRIE_C_VALUE_H_
#define EYRIE_C_VALUE_H_

#include "eyrie/c_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A value, which its owner must free. */
typedef struct eyrie_value_t eyrie_value_t;

/* Kinds of values. If there is no memory, functions that return a value return
 * one of EYRIE_KIND_NO_MEMORY. It has no content, setting it has no effect, and
 * it may be freed. Copies of it, and lists, tuples and dicts that contain it,
 * are of the same kind. Functions that take values and return an error return
 * RESOURCE_EXHAUSTED for it. So a program may create all arguments of a call
 * and check only the error of the call. */
typedef int32_t eyrie_kind_t;
enum {
  EYRIE_KIND_NULL = 0,
  EYRIE_KIND_BOOL = 1,
  EYRIE_KIND_INT = 2, /* 64 bits, signed or unsigned */
  EYRIE_KIND_FLOAT = 3,
  EYRIE_KIND_BYTES = 4, /* also text, as UTF-8 */
  EYRIE_KIND_ARRAY = 5, /* numbers of one type, in any number of dimensions */
  EYRIE_KIND_LIST = 6,
  EYRIE_KIND_TUPLE = 7,
  EYRIE_KIND_DICT = 8,
  EYRIE_KIND_REF = 9,  /* a module's object, which can only be passed on */
  EYRIE_KIND_ANY = 10, /* only for parameters: any kind of value */
  EYRIE_KIND_NO_MEMORY = 11, /* only for values: there was no memory */
};

EYRIE_EXPORT eyrie_kind_t eyrie_value_kind(const eyrie_value_t* value);
/* Returns a copy, which shares the elements of arrays with the original. */
EYRIE_EXPORT eyrie_value_t* eyrie_value_copy(const eyrie_value_t* value);
/* Frees the value and its items. NULL is allowed. Must not be called for an
 * item of another value. */
EYRIE_EXPORT void eyrie_value_free(eyrie_value_t* value);

/* ---- Null, numbers, bytes ----------------------------------------------- */

/* Create a value. A call accepts any number that fits the type of the argument;
 * the width given here counts only if that type is unknown. */
EYRIE_EXPORT eyrie_value_t* eyrie_value_new_null(void);
EYRIE_EXPORT eyrie_value_t* eyrie_value_new_bool(int value); /* zero or not */
EYRIE_EXPORT eyrie_value_t* eyrie_value_new_i32(int32_t value);
EYRIE_EXPORT eyrie_value_t* eyrie_value_new_i64(int64_t value);
EYRIE_EXPORT eyrie_value_t* eyrie_value_new_u64(uint64_t value);
EYRIE_EXPORT eyrie_value_t* eyrie_value_new_f32(float value);
EYRIE_EXPORT eyrie_value_t* eyrie_value_new_f64(double value);
/* Creates a value with a copy of the bytes. */
EYRIE_EXPORT eyrie_value_t* eyrie_value_new_bytes(const void* data,
                                                  size_t size);

/* Replace a value of any kind by a number, without allocating; for arguments
 * that change from call to call. `value` must not be NULL. */
EYRIE_EXPORT void eyrie_value_set_bool(eyrie_value_t* value, int boolean);
EYRIE_EXPORT void eyrie_value_set_i32(eyrie_value_t* value, int32_t number);
EYRIE_EXPORT void eyrie_value_set_i64(eyrie_value_t* value, int64_t number);
EYRIE_EXPORT void eyrie_value_set_u64(eyrie_value_t* value, uint64_t number);
EYRIE_EXPORT void eyrie_value_set_f32(eyrie_value_t* value, float number);
EYRIE_EXPORT void eyrie_value_set_f64(eyrie_value_t* value, double number);

/* Return nonzero if the value is of this kind and, for integers, fits the type.
 * `out` is written only then. */
EYRIE_EXPORT int eyrie_value_get_bool(const eyrie_value_t* value, int* out);
EYRIE_EXPORT int eyrie_value_get_i64(const eyrie_value_t* value, int64_t* out);
EYRIE_EXPORT int eyrie_value_get_u64(const eyrie_value_t* value, uint64_t* out);
EYRIE_EXPORT int eyrie_value_get_f64(const eyrie_value_t* value, double* out);
EYRIE_EXPORT int eyrie_value_get_bytes(const eyrie_value_t* value,
                                       const void** out_data, size_t* out_size);

/* ---- Lists, tuples, dicts ----------------------------------------------- */

/* Create a list, tuple or dict of `count` items. This takes ownership of the
 * items, even if there is no memory for the result. A NULL item is null. Keys
 * are copied; they are in order and need not be unique. `sizes` are those of
 * the keys, which may contain NUL bytes; NULL: each key ends with a NUL. */
EYRIE_EXPORT eyrie_value_t* eyrie_value_new_list(eyrie_value_t* const* items,
                                                 size_t count);
EYRIE_EXPORT eyrie_value_t* eyrie_value_new_tuple(eyrie_value_t* const* items,
                                                  size_t count);
EYRIE_EXPORT eyrie_value_t* eyrie_value_new_dict(const char* const* keys,
                                                 const size_t* sizes,
                                                 eyrie_value_t* const* items,
                                                 size_t count);
/* Returns the number of items; 0 if the value is not a list, tuple or dict. */
EYRIE_EXPORT size_t eyrie_value_count(const eyrie_value_t* value);
/* Returns an item, which the value owns and the caller may set. NULL if `index`
 * is not less than the count. */
EYRIE_EXPORT eyrie_value_t* eyrie_value_item(const eyrie_value_t* value,
                                             size_t index);
/* Returns the key of a dict's item, followed by a NUL. Stores its size, without
 * that NUL, in `out_size` if it is not NULL, because keys may contain NUL
 * bytes. NULL, and a size of 0, if the value is not a dict or `index` is not
 * less than the count. */
EYRIE_EXPORT const char* eyrie_value_key(const eyrie_value_t* value,
                                         size_t index, size_t* out_size);
/* Returns the first item with this key of `size` bytes, which the value owns
 * and the caller may set. NULL if there is none. */
EYRIE_EXPORT eyrie_value_t* eyrie_value_find(const eyrie_value_t* value,
                                             const char* key, size_t size);

/* ---- Arrays ------------------------------------------------------------- */

/* Element types, with the codes that compiled modules use. Unknown codes are
 * INVALID_ARGUMENT. */
typedef int32_t eyrie_dtype_t;
enum {
  EYRIE_DTYPE_NONE = 0, /* unknown; not the type of any array */
  EYRIE_DTYPE_BOOL8 = 0x13000008,
  EYRIE_DTYPE_I8 = 0x10000008,
  EYRIE_DTYPE_I16 = 0x10000010,
  EYRIE_DTYPE_I32 = 0x10000020,
  EYRIE_DTYPE_I64 = 0x10000040,
  EYRIE_DTYPE_SI8 = 0x11000008,
  EYRIE_DTYPE_SI16 = 0x11000010,
  EYRIE_DTYPE_SI32 = 0x11000020,
  EYRIE_DTYPE_SI64 = 0x11000040,
  EYRIE_DTYPE_UI8 = 0x12000008,
  EYRIE_DTYPE_UI16 = 0x12000010,
  EYRIE_DTYPE_UI32 = 0x12000020,
  EYRIE_DTYPE_UI64 = 0x12000040,
  EYRIE_DTYPE_F16 = 0x21000010,
  EYRIE_DTYPE_F32 = 0x21000020,
  EYRIE_DTYPE_F64 = 0x21000040,
  EYRIE_DTYPE_BF16 = 0x22000010,
  EYRIE_DTYPE_C64 = 0x23000040,
  EYRIE_DTYPE_C128 = 0x23000080,
  EYRIE_DTYPE_F8E5M2 = 0x24000008,
  EYRIE_DTYPE_F8E4M3FN = 0x25000008,
  EYRIE_DTYPE_F8E5M2FNUZ = 0x26000008,
  EYRIE_DTYPE_F8E4M3FNUZ = 0x27000008,
  EYRIE_DTYPE_F8E8M0FNU = 0x28000008,
  /* Elements of 6 bits take a byte. Those of 4 bits are packed, with the first
   * in the low half of a byte. */
  EYRIE_DTYPE_F6E3M2FN = 0x29000006,
  EYRIE_DTYPE_F6E2M3FN = 0x2A000006,
  EYRIE_DTYPE_F4E2M1FN = 0x2B000004,
};

/* The elements of an array. The caller sets struct_size in every case. */
typedef struct eyrie_array_t {
  size_t struct_size; /* sizeof(eyrie_array_t), or an older one's */
  eyrie_dtype_t dtype;
  size_t rank;
  const int64_t* shape;   /* `rank` dimensions */
  const int64_t* strides; /* `rank` steps in bytes; may be negative or 0 */
  const void* data;       /* the element at index 0, 0, ... */
  size_t size;            /* bytes that the elements take if dense */
} eyrie_array_t;

/* Creates an array with a copy of dense, row-major elements. INVALID_ARGUMENT:
 * `size` does not match the shape and dtype, a dimension is negative, the dtype
 * is unknown, or the rank exceeds 1024. RESOURCE_EXHAUSTED: no memory. */
EYRIE_EXPORT EYRIE_CHECK eyrie_error_t* eyrie_value_new_array(
    eyrie_dtype_t dtype, size_t rank, const int64_t* shape, const void* data,
    size_t size, eyrie_value_t** out_value);

/* Creates an array that uses the caller's memory. The memory must remain valid,
 * and must not change during calls, until `release(user)` is called. That may
 * happen on any thread, and long after the value is freed if the array is lent
 * and a module keeps it. `release` may be NULL.
 *
 * If `strides` is NULL, the elements are dense and row-major, and `size` is
 * checked. Otherwise `size` is ignored, and all elements that the strides lead
 * to must be valid.
 *
 * INVALID_ARGUMENT: as for eyrie_value_new_array, offsets exceed 64 bits, a
 * struct_size that is too small, or a member that this library does not know.
 * UNIMPLEMENTED: strides for elements smaller than a byte. RESOURCE_EXHAUSTED:
 * no memory. If this fails, `release` is called before it returns. */
EYRIE_EXPORT EYRIE_CHECK eyrie_error_t* eyrie_value_new_borrowed(
    const eyrie_array_t* array, void (*release)(void* user), void* user,
    eyrie_value_t** out_value);

/* Replaces a value of any kind by an array that uses the caller's memory, for
 * arguments that change from call to call. If the value was set by this
 * function before, arrays of the same rank allocate nothing. The memory must
 * remain valid, and must not change during calls, until the value is set again
 * or freed. Do not lend the value, because a module may keep lent memory for
 * longer. Strides, `size` and errors are as for eyrie_value_new_borrowed. After
 * an error, the value is null. */
EYRIE_EXPORT EYRIE_CHECK eyrie_error_t* eyrie_value_set_array(
    eyrie_value_t* value, const eyrie_array_t* array);

/* How calls may use the arrays in a value. Without any of these, each call
 * copies them, because compiled code may write to its arguments. */
typedef int32_t eyrie_access_t;
enum {
  /* Calls use the arrays in place and may change their elements. Only dense
   * memory that is aligned to 64 bytes can be used in place, such as that of
   * results and of eyrie_value_new_array. After a call, a result may share the
   * memory of a lent argument. Do not lend memory that must not change, such as
   * a read-only mapping, unless it is EYRIE_ACCESS_READ_ONLY, too. */
  EYRIE_ACCESS_LEND = 1,
  /* Calls use the arrays in place, but may not change their elements. They
   * cannot be used as storage for results. The library refuses every command
   * and bytecode kernel that writes to them: PERMISSION_DENIED. Native kernels
   * and shaders are not checked, so lend const memory only to functions that do
   * not update this argument. If such a kernel does, it changes the memory, or
   * ends the process if the memory is mapped read-only. A result that shares
   * the memory is read-only. Alignment is as for EYRIE_ACCESS_LEND. */
  EYRIE_ACCESS_LEND_CONST = 2,
  /* Nothing writes to the arrays. Calls copy them even if they are lent, so
   * results never share their memory. They cannot be used as storage for
   * results. */
  EYRIE_ACCESS_READ_ONLY = 4,
  /* Calls may convert the numbers of the arrays even if that rounds them. */
  EYRIE_ACCESS_ALLOW_LOSS = 8,
};

/* Applies one or more of these (`|`) to all arrays in the value, in addition to
 * those that were applied before. Unknown bits have no effect. Does nothing if
 * `value` is NULL. */
EYRIE_EXPORT void eyrie_value_add_access(eyrie_value_t* value,
                                         eyrie_access_t access);

/* Returns 1 if this value alone refers to the memory of an array on a device, a
 * result or one of eyrie_value_new_uploaded, and calls may write to it. Then
 * nothing else sees the writes of calls to which it is lent. Returns 0 for
 * other values, if a copy of the value, a module or another array refers to the
 * memory, and if `value` is NULL. */
EYRIE_EXPORT int eyrie_value_is_sole_owner(const eyrie_value_t* value);

/* Describes an array. Its strides are those of a dense array unless it was
 * borrowed with others. Fills the members that this library and struct_size
 * have. INVALID_ARGUMENT: the value is not an array, or a struct_size that is
 * too small. */
EYRIE_EXPORT EYRIE_CHECK eyrie_error_t* eyrie_value_get_array(
    const eyrie_value_t* value, eyrie_array_t* out_array);

/* ---- References --------------------------------------------------------- */

/* Returns the name of a reference's type, such as "hal.buffer"; NULL if the
 * value is not a reference. A null reference is the null value. */
EYRIE_EXPORT const char* eyrie_value_ref_type(const eyrie_value_t* value);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* EYRIE_C_VALUE_H_ */
