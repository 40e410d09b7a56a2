/* Values of calls: null, numbers, bytes, arrays, lists, tuples, dicts.
 *
 * A value says nothing of the function that it is for: a call turns it into
 * what the function takes. NULL stands for the null value wherever one is read.
 * A value and all within it belong to one thread at a time. What is read by
 * pointer lasts until the value is freed, set, or written by a call.
 */
#ifndef EYRIE_C_VALUE_H_
#define EYRIE_C_VALUE_H_

#include "eyrie/c_base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct eyrie_value_t eyrie_value_t;

/* If there is no memory for a value, the functions that return one return a
 * value of EYRIE_KIND_NO_MEMORY. It has no content, it stays as it is when it
 * is set, and it may be freed. A copy of it, and a list, tuple or dict that is
 * made with it, are of that kind, too. Functions that take values and return an
 * error return RESOURCE_EXHAUSTED for it, so a program may make all arguments
 * of a call and look at the call's error alone. */
typedef enum eyrie_kind_t {
  EYRIE_KIND_NULL = 0,
  EYRIE_KIND_BOOL = 1,
  EYRIE_KIND_INT = 2, /* of 64 bits, signed or not */
  EYRIE_KIND_FLOAT = 3,
  EYRIE_KIND_BYTES = 4, /* a text is its UTF-8 */
  EYRIE_KIND_ARRAY = 5, /* numbers of one type in any number of dimensions */
  EYRIE_KIND_LIST = 6,
  EYRIE_KIND_TUPLE = 7,
  EYRIE_KIND_DICT = 8,
  EYRIE_KIND_REF = 9,  /* a module's object: all one can do is pass it on */
  EYRIE_KIND_ANY = 10, /* of types, not of values: any of these */
  EYRIE_KIND_NO_MEMORY = 11, /* of values only: there was no memory for one */
} eyrie_kind_t;

EYRIE_EXPORT eyrie_kind_t eyrie_value_kind(const eyrie_value_t* value);
/* The same value again. Elements of arrays are shared, all else is copied. */
EYRIE_EXPORT eyrie_value_t* eyrie_value_copy(const eyrie_value_t* value);
EYRIE_EXPORT void eyrie_value_free(eyrie_value_t* value);

/* ---- Null, numbers, bytes ----------------------------------------------- */

/* The width is where a function's types do not say what it takes: an i32
 * stays one. Everywhere else any number will do that fits. */
EYRIE_EXPORT eyrie_value_t* eyrie_value_null(void);
EYRIE_EXPORT eyrie_value_t* eyrie_value_bool(int value); /* zero or not */
EYRIE_EXPORT eyrie_value_t* eyrie_value_i32(int32_t value);
EYRIE_EXPORT eyrie_value_t* eyrie_value_i64(int64_t value);
EYRIE_EXPORT eyrie_value_t* eyrie_value_u64(uint64_t value);
EYRIE_EXPORT eyrie_value_t* eyrie_value_f32(float value);
EYRIE_EXPORT eyrie_value_t* eyrie_value_f64(double value);
/* Copies `size` bytes. */
EYRIE_EXPORT eyrie_value_t* eyrie_value_bytes(const void* data, size_t size);

/* Make a value another, in place: for arguments that change from call to
 * call. Allocates nothing. */
EYRIE_EXPORT void eyrie_value_set_bool(eyrie_value_t* value, int boolean);
EYRIE_EXPORT void eyrie_value_set_i32(eyrie_value_t* value, int32_t number);
EYRIE_EXPORT void eyrie_value_set_i64(eyrie_value_t* value, int64_t number);
EYRIE_EXPORT void eyrie_value_set_u64(eyrie_value_t* value, uint64_t number);
EYRIE_EXPORT void eyrie_value_set_f32(eyrie_value_t* value, float number);
EYRIE_EXPORT void eyrie_value_set_f64(eyrie_value_t* value, double number);

/* Nonzero if the value is of this kind, and an integer of this range; `out` is
 * written then only. */
EYRIE_EXPORT int eyrie_value_get_bool(const eyrie_value_t* value, int* out);
EYRIE_EXPORT int eyrie_value_get_i64(const eyrie_value_t* value, int64_t* out);
EYRIE_EXPORT int eyrie_value_get_u64(const eyrie_value_t* value, uint64_t* out);
EYRIE_EXPORT int eyrie_value_get_f64(const eyrie_value_t* value, double* out);
EYRIE_EXPORT int eyrie_value_get_bytes(const eyrie_value_t* value,
                                       const void** out_data, size_t* out_size);

/* ---- Lists, tuples, dicts ----------------------------------------------- */

/* Take over `count` values, whose handles are the caller's no more, even if
 * there is no memory for the result; NULL among them is null. Keys are
 * copied. */
EYRIE_EXPORT eyrie_value_t* eyrie_value_list(eyrie_value_t* const* items,
                                             size_t count);
EYRIE_EXPORT eyrie_value_t* eyrie_value_tuple(eyrie_value_t* const* items,
                                              size_t count);
EYRIE_EXPORT eyrie_value_t* eyrie_value_dict(const char* const* keys,
                                             eyrie_value_t* const* items,
                                             size_t count);
/* The same with keys of `sizes` bytes, which may hold NUL bytes. */
EYRIE_EXPORT eyrie_value_t* eyrie_value_dict_sized(const char* const* keys,
                                                   const size_t* sizes,
                                                   eyrie_value_t* const* items,
                                                   size_t count);

/* The number of items; 0 if the value is no list, tuple or dict. */
EYRIE_EXPORT size_t eyrie_value_count(const eyrie_value_t* value);
/* An item, which remains the value's; NULL past the end. It may be set. */
EYRIE_EXPORT eyrie_value_t* eyrie_value_item(const eyrie_value_t* value,
                                             size_t index);
/* The key of a dict's item; NULL past the end and where there are none. */
EYRIE_EXPORT const char* eyrie_value_key(const eyrie_value_t* value,
                                         size_t index);
/* The bytes of that key, which may hold NUL bytes, without the one behind it;
 * 0 where there is none. */
EYRIE_EXPORT size_t eyrie_value_key_size(const eyrie_value_t* value,
                                         size_t index);
/* The first item with this key, which remains the value's; else NULL. */
EYRIE_EXPORT eyrie_value_t* eyrie_value_find(const eyrie_value_t* value,
                                             const char* key);
/* The same with a key of `size` bytes. */
EYRIE_EXPORT eyrie_value_t* eyrie_value_find_sized(const eyrie_value_t* value,
                                                   const char* key,
                                                   size_t size);

/* ---- Arrays ------------------------------------------------------------- */

/* Element types, by the codes that compiled modules use. */
typedef enum eyrie_dtype_t {
  EYRIE_DTYPE_NONE = 0, /* not known; no array has it */
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
  /* No type; any code may be passed and is then refused with a sentence. */
  EYRIE_DTYPE_MAX_ENUM = 0x7FFFFFFF,
} eyrie_dtype_t;

/* Numbers in memory. */
typedef struct eyrie_array_t {
  eyrie_dtype_t dtype;
  size_t rank;
  const int64_t* shape;   /* `rank` dimensions */
  const int64_t* strides; /* `rank` steps in bytes, negative or 0 ones too */
  const void* data;       /* the element at index 0, 0, ... */
  size_t size;            /* bytes that all elements take, side by side */
} eyrie_array_t;

/* An array with a copy of dense row-major elements. INVALID_ARGUMENT: `size`
 * is not what the shape and dtype need, or they are none, or the rank exceeds
 * 1024. RESOURCE_EXHAUSTED: there is no memory for the elements. */
EYRIE_EXPORT eyrie_error_t* eyrie_value_array(eyrie_dtype_t dtype, size_t rank,
                                              const int64_t* shape,
                                              const void* data, size_t size,
                                              eyrie_value_t** out_value);

/* An array over the caller's memory, which must stay, and stay as it is during
 * calls, until `release(user)` says that nothing needs it any more: that may
 * be on any thread, and long after the value is freed if the array is lent and
 * a module keeps it. NULL: none is called. Strides may be NULL:
 * the elements are dense and row-major, and `size` is compared.
 * INVALID_ARGUMENT: as eyrie_value_array; nothing is released. */
EYRIE_EXPORT eyrie_error_t* eyrie_value_borrow(const eyrie_array_t* array,
                                               void (*release)(void* user),
                                               void* user,
                                               eyrie_value_t** out_value);

/* Lets calls use all arrays of a value in place, and change them. Without it
 * each call copies them, as compiled code may write to its arguments. Only
 * dense memory that is 64-byte aligned can be used in place; that of results
 * and of eyrie_value_array is. A lent argument and a result may be the same
 * memory afterwards. Do not lend memory that must not change, such as a
 * read-only mapping, unless eyrie_value_set_read_only says so. */
EYRIE_EXPORT void eyrie_value_lend(eyrie_value_t* value);
/* Says that nothing may write to the arrays of a value. Calls copy them even
 * if they are lent, so no result shares their memory; as storage for a result
 * they are refused. */
EYRIE_EXPORT void eyrie_value_set_read_only(eyrie_value_t* value);
/* Lets calls convert the numbers of all arrays of a value to those that they
 * need though it rounds them. */
EYRIE_EXPORT void eyrie_value_allow_loss(eyrie_value_t* value);

/* What an array holds: dense unless it was borrowed otherwise.
 * INVALID_ARGUMENT: the value is no array. */
EYRIE_EXPORT eyrie_error_t* eyrie_value_get_array(const eyrie_value_t* value,
                                                  eyrie_array_t* out_array);

/* ---- References --------------------------------------------------------- */

/* What a module calls the type of a reference, "hal.buffer"; NULL if the value
 * is none. Null references are the null value. */
EYRIE_EXPORT const char* eyrie_value_ref_type(const eyrie_value_t* value);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* EYRIE_C_VALUE_H_ */
