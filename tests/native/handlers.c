/* Handlers that test the content of calls: buffers, attributes, errors.
 *
 * Run by native_test.sh, built for each version of the API. */
#include <stdlib.h>

#include "tests/native/handler.h"

/* result = argument * by */
HANDLER(Scale) {
  BEGIN_HANDLER(frame);
  const float* by = FindScalar(frame, "by", EYRIE_FFI_F32);
  const eyrie_ffi_buffer_t* from = Arg(frame, 0);
  if (by == NULL || from->type != EYRIE_FFI_F32) {
    return Fail(frame, 3, "Scale takes f32, and by: f32.");
  }
  const float* in = from->data;
  float* out = Result(frame, 0)->data;
  for (int64_t i = 0; i < CountOf(from); ++i) out[i] = in[i] * *by;
  return NULL;
}

/* result = argument + by, if the mode is "near" */
HANDLER(Shift) {
  BEGIN_HANDLER(frame);
  const int32_t* by = FindScalar(frame, "by", EYRIE_FFI_S32);
  const eyrie_ffi_bytes_t* mode =
      Find(&frame->attributes, "mode", EYRIE_FFI_STRING);
  if (by == NULL || mode == NULL)
    return Fail(frame, 3, "Shift lacks by, mode.");
  if (mode->size != 4 || memcmp(mode->data, "near", 4) != 0) {
    return Fail(frame, 9, "Shift knows no mode but near.");
  }
  const float* in = Arg(frame, 0)->data;
  float* out = Result(frame, 0)->data;
  for (int64_t i = 0; i < CountOf(Arg(frame, 0)); ++i) out[i] = in[i] + *by;
  return NULL;
}

/* Results: the sum of all arguments, which have one shape, and their number. */
HANDLER(Sum) {
  BEGIN_HANDLER(frame);
  float* out = Result(frame, 0)->data;
  const int64_t count = CountOf(Result(frame, 0));
  memset(out, 0, (size_t)count * sizeof(float));
  for (int64_t a = 0; a < frame->args.count; ++a) {
    if (CountOf(Arg(frame, a)) != count) {
      return Fail(frame, 3, "The arguments differ in size.");
    }
    const float* in = Arg(frame, a)->data;
    for (int64_t i = 0; i < count; ++i) out[i] += in[i];
  }
  *(int64_t*)Result(frame, 1)->data = frame->args.count;
  return NULL;
}

/* Copies each argument to the result with the same index. */
HANDLER(Copy) {
  BEGIN_HANDLER(frame);
  static const int kBytes[] = {0, 1, 1, 2, 4, 8, 1,  2, 4, 8, 2, 4,
                               8, 0, 0, 8, 2, 0, 16, 1, 1, 1, 1, 1,
                               1, 1, 1, 1, 1, 1, 1,  1, 1, 1};
  for (int64_t a = 0; a < frame->results.count; ++a) {
    const eyrie_ffi_buffer_t* from = Arg(frame, a);
    const eyrie_ffi_buffer_t* to = Result(frame, a);
    if (from->type != to->type || CountOf(from) != CountOf(to)) {
      return Fail(frame, 13, "A result is not like its argument.");
    }
    if (from->data == NULL) continue;
    memcpy(to->data, from->data, (size_t)(CountOf(from) * kBytes[from->type]));
  }
  return NULL;
}

/* results: the argument's bytes, and the argument + 1, for elements of a byte
 * and of less. */
HANDLER(Bytes) {
  BEGIN_HANDLER(frame);
  const eyrie_ffi_buffer_t* from = Arg(frame, 0);
  const uint8_t* in = from->data;
  uint8_t* out = Result(frame, 0)->data;
  uint8_t* next = Result(frame, 1)->data;
  uint8_t* scratch = Result(frame, 2)->data;
  for (int64_t i = 0; i < CountOf(from); ++i) {
    scratch[i] = out[i] = in[i];
    next[i] = (uint8_t)(in[i] + 1);
  }
  return NULL;
}

/* Adds argument 0 to argument 1, whose memory is that of the result. */
HANDLER(AddTo) {
  BEGIN_HANDLER(frame);
  const eyrie_ffi_buffer_t* to = Result(frame, 0);
  if (Arg(frame, 1)->data != to->data ||
      CountOf(Arg(frame, 0)) != CountOf(to)) {
    return Fail(frame, 13, "The result is not argument 1.");
  }
  const float* from = Arg(frame, 0)->data;
  float* sum = to->data;
  for (int64_t i = 0; i < CountOf(to); ++i) sum[i] += from[i];
  return NULL;
}

/* Fails with the requested code. */
HANDLER(Refuse) {
  BEGIN_HANDLER(frame);
  const int32_t* code = FindScalar(frame, "code", EYRIE_FFI_S32);
  return Fail(frame, code == NULL ? 3 : *code, "The handler is asked to fail.");
}

/* Fails with a text of several lines. */
HANDLER(Lines) {
  BEGIN_HANDLER(frame);
  return Fail(frame, 3, "The first line:\nthe second,\r\n\nand the last.\n");
}

/* Fails with an invalid code and without a message. */
HANDLER(Mute) {
  BEGIN_HANDLER(frame);
  return Fail(frame, 99, NULL);
}

/* --- Texts, in a result of bytes that is padded with blanks. */

typedef struct Text {
  char* at;
  char* end;
} Text;

static void Put(Text* text, const char* format, long long number) {
  const size_t room = (size_t)(text->end - text->at);
  char piece[64];
  const int length = snprintf(piece, sizeof(piece), format, number);
  if (length > 0 && (size_t)length <= room) {
    memcpy(text->at, piece, (size_t)length);
    text->at += length;
  }
}

static void PutBytes(Text* text, const char* bytes, size_t size) {
  if (size > (size_t)(text->end - text->at)) return;
  memcpy(text->at, bytes, size);
  text->at += size;
}

static Text Open(const eyrie_ffi_call_frame_t* frame) {
  const eyrie_ffi_buffer_t* to = Result(frame, 0);
  Text text = {to->data, (char*)to->data + CountOf(to)};
  memset(text.at, ' ', (size_t)CountOf(to));
  return text;
}

/* Writes each argument and result as type:rank[dims], with '0' for null data.
 */
HANDLER(Describe) {
  BEGIN_HANDLER(frame);
  Text text = Open(frame);
  const int64_t all = frame->args.count + frame->results.count;
  for (int64_t i = 0; i < all; ++i) {
    const int64_t r = i - frame->args.count;
    const eyrie_ffi_buffer_t* b = r < 0 ? Arg(frame, i) : Result(frame, r);
    const int32_t kind = r < 0 ? frame->args.kinds[i] : frame->results.kinds[r];
    if (kind != EYRIE_FFI_BUFFER) return Fail(frame, 13, "No buffer.");
    if (b->size < NEEDED_SIZE(eyrie_ffi_buffer_t, dims)) {
      return Fail(frame, 13, "A buffer is too small.");
    }
    Put(&text, r == 0 ? ">%lld[" : "%lld[", b->type);
    for (int64_t d = 0; d < b->rank; ++d) Put(&text, "%lld,", b->dims[d]);
    PutBytes(&text, b->data == NULL ? "]0" : "]", b->data == NULL ? 2 : 1);
  }
  return NULL;
}

static void PutAttributes(Text* text, const eyrie_ffi_attributes_t* attributes);

static void PutHex(Text* text, const void* data, size_t size) {
  for (size_t i = size; i-- > 0;) {
    Put(text, "%02llx", ((const unsigned char*)data)[i]);
  }
}

static size_t BytesOf(int32_t type) {
  static const size_t kBytes[] = {0, 1, 1, 2, 4, 8, 1, 2, 4, 8,
                                  2, 4, 8, 0, 0, 8, 2, 0, 16};
  return kBytes[type];
}

static void PutAttribute(Text* text, int32_t kind, const void* value) {
  if (kind == EYRIE_FFI_STRING) {
    const eyrie_ffi_bytes_t* bytes = value;
    Put(text, "'%lld'", (long long)bytes->size);
    PutBytes(text, bytes->data, bytes->size);
  } else if (kind == EYRIE_FFI_DICTIONARY) {
    PutBytes(text, "{", 1);
    PutAttributes(text, value);
    PutBytes(text, "}", 1);
  } else if (kind == EYRIE_FFI_SCALAR) {
    const eyrie_ffi_scalar_t* scalar = value;
    Put(text, "%lld:", scalar->type);
    PutHex(text, scalar->value, BytesOf(scalar->type));
  } else {
    const eyrie_ffi_array_t* array = value;
    Put(text, "%lld", array->type);
    for (size_t i = 0; i < array->count; ++i) {
      PutBytes(text, i == 0 ? "[" : ",", 1);
      const size_t bytes = BytesOf(array->type);
      PutHex(text, (const char*)array->data + i * bytes, bytes);
    }
    PutBytes(text, array->count == 0 ? "[]" : "]", array->count == 0 ? 2 : 1);
  }
}

static void PutAttributes(Text* text,
                          const eyrie_ffi_attributes_t* attributes) {
  for (int64_t i = 0; i < attributes->count; ++i) {
    if (i > 0) PutBytes(text, " ", 1);
    PutBytes(text, attributes->names[i]->data, attributes->names[i]->size);
    PutBytes(text, "=", 1);
    PutAttribute(text, attributes->kinds[i], attributes->values[i]);
  }
}

HANDLER(Attributes) {
  BEGIN_HANDLER(frame);
  Text text = Open(frame);
  PutAttributes(&text, &frame->attributes);
  return NULL;
}

/* The attribute "table" in this library's manifest points to it. */
const int64_t kTable[3] = {7, 11, 13};

HANDLER(Lookup) {
  BEGIN_HANDLER(frame);
  const int64_t* address = FindScalar(frame, "table", EYRIE_FFI_S64);
  if (address == NULL) return Fail(frame, 3, "Lookup lacks its table.");
  memcpy(Result(frame, 0)->data, (const void*)*address, sizeof(kTable));
  return NULL;
}

/* --- Functions that are not handlers of these versions. */

HANDLER(Silent) {
  (void)frame;
  return NULL;
}

HANDLER(OtherMajor) {
  if (frame->extension != NULL) {
    Introduce(frame, 0);
    eyrie_ffi_metadata_extension_t* asked = (void*)frame->extension;
    asked->metadata->api_version.major = 1;
  }
  return NULL;
}

HANDLER(Reluctant) { return Fail(frame, 10, "The handler is busy."); }
