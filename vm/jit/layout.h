// The offsets of fields that compiled code reads.
#ifndef EYRIE_VM_JIT_LAYOUT_H_
#define EYRIE_VM_JIT_LAYOUT_H_

#include <cstddef>
#include <cstdint>

#include "base/ref.h"
#include "vm/lower/lowered.h"
#include "vm/object/buffer.h"
#include "vm/object/list.h"
#include "vm/run/bytecode_module.h"
#include "vm/run/stack.h"

// These classes are not standard-layout, but both compilers support offsetof.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"

namespace eyrie {

struct RefObjectLayout {
  static constexpr int32_t kCount = offsetof(RefObject, count_);
  static constexpr int32_t kType = offsetof(RefObject, type_);
};

namespace vm {

struct BufferLayout {
  static constexpr int32_t kData = offsetof(Buffer, data_);
  static constexpr int32_t kSize = offsetof(Buffer, size_);
  static constexpr int32_t kMutable = offsetof(Buffer, mutable_);
};

struct ListLayout {
  static constexpr int32_t kKind =
      offsetof(List, element_) + offsetof(ElementType, kind);
  static constexpr int32_t kSize = offsetof(List, size_);
  static constexpr int32_t kStorage = offsetof(List, storage_);
};

struct ImportLayout {
  static constexpr uint32_t kSize = sizeof(ResolvedImport);
  static constexpr int32_t kDirect = offsetof(ResolvedImport, native.direct);
  static constexpr int32_t kState = offsetof(ResolvedImport, native.state);
  static constexpr int32_t kQuick = offsetof(ResolvedImport, native.quick);
  static constexpr int32_t kPlaces = sizeof(LoweredCallImport);
};

// Compiled code treats elements of these arrays as pointers.
static_assert(sizeof(Ref<Buffer>) == sizeof(void*));

}  // namespace vm
}  // namespace eyrie

#pragma GCC diagnostic pop

#endif  // EYRIE_VM_JIT_LAYOUT_H_
