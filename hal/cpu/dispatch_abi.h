// The binary interface between a CPU executable and its host: the
// "executable library" of IREE's compilers, versions 3 (releases 20230209 to
// 20240226), 4 (to 20240724), 5 (to 3.7) and 6 (3.8 on).
//
// The versions differ in the export table and the attributes; the arguments of
// a dispatch are the same. An import takes `context` before `params` in version
// 3 until 20230419, so imports are provided from version 4 on. Field names and
// offsets are the format's, from IREE's
// runtime/src/iree/hal/local/executable_library.h. Tested by
// executable_test.cc.
#ifndef EYRIE_HAL_CPU_DISPATCH_ABI_H_
#define EYRIE_HAL_CPU_DISPATCH_ABI_H_

#include <cstddef>
#include <cstdint>

namespace eyrie::hal::cpu {

inline constexpr uint32_t kOldestLibraryVersion = 3;
inline constexpr uint32_t kNewestLibraryVersion = 6;

// The only symbol that a library exports: a LibraryQuery.
inline constexpr char kLibraryQuerySymbol[] =
    "iree_hal_executable_library_query";

// The unit of DispatchAttributes::local_memory_pages, in bytes.
inline constexpr size_t kLocalMemoryPageSize = 4096;

// The alignment of buffers that kernels may assume, in bytes.
inline constexpr size_t kBufferAlignment = 64;

// Limits of one dispatch.
inline constexpr size_t kMaxDispatchConstants = 64;
inline constexpr size_t kMaxDispatchBindings = 64;

// CPU features as 64-bit words; machine/cpu_features.h has the bits.
inline constexpr size_t kProcessorWords = 8;
struct ProcessorData {
  uint64_t data[kProcessorWords];
};

// A function of the host that a library calls through the thunk. Returns
// nonzero on failure.
using ImportFunction = int (*)(void* params, void* context, void* reserved);
using ImportThunk = int (*)(ImportFunction function, void* params,
                            void* context, void* reserved);

// The environment of an executable: shared by all its dispatches. Must outlive
// the executable.
struct Environment {
  const uint32_t* constants;  // specialization constants
  ImportThunk import_thunk;
  const ImportFunction* import_functions;  // by import ordinal
  void* const* import_contexts;            // by import ordinal
  ProcessorData processor;
};
static_assert(sizeof(Environment) == 96);
static_assert(offsetof(Environment, import_thunk) == 8);
static_assert(offsetof(Environment, import_functions) == 16);
static_assert(offsetof(Environment, import_contexts) == 24);
static_assert(offsetof(Environment, processor) == 32);

// One dispatch. All its workgroups share it.
struct DispatchState {
  uint32_t workgroup_size_x;
  uint32_t workgroup_size_y;
  uint16_t workgroup_size_z;
  uint16_t constant_count;  // 32-bit words
  uint32_t workgroup_count_x;
  uint32_t workgroup_count_y;
  uint16_t workgroup_count_z;
  uint8_t max_concurrency;  // workgroups that may run at once, an estimate
  uint8_t binding_count;
  const uint32_t* constants;
  void* const* binding_pointers;
  const size_t* binding_lengths;  // bytes
};
static_assert(sizeof(DispatchState) == 48);
static_assert(offsetof(DispatchState, constant_count) == 10);
static_assert(offsetof(DispatchState, workgroup_count_x) == 12);
static_assert(offsetof(DispatchState, workgroup_count_z) == 20);
static_assert(offsetof(DispatchState, max_concurrency) == 22);
static_assert(offsetof(DispatchState, binding_count) == 23);
static_assert(offsetof(DispatchState, constants) == 24);
static_assert(offsetof(DispatchState, binding_pointers) == 32);
static_assert(offsetof(DispatchState, binding_lengths) == 40);

// One workgroup of a dispatch.
struct WorkgroupState {
  uint32_t workgroup_id_x;
  uint32_t workgroup_id_y;
  uint16_t workgroup_id_z;
  uint16_t reserved;
  uint32_t processor_id;       // the processor that runs it, 0 if unknown
  void* local_memory;          // scratch of this workgroup alone, or null
  uint32_t local_memory_size;  // bytes
};
static_assert(sizeof(WorkgroupState) == 32);
static_assert(offsetof(WorkgroupState, workgroup_id_z) == 8);
static_assert(offsetof(WorkgroupState, processor_id) == 12);
static_assert(offsetof(WorkgroupState, local_memory) == 16);
static_assert(offsetof(WorkgroupState, local_memory_size) == 24);

// An exported kernel: runs one workgroup. Returns nonzero on failure.
using DispatchFunction = int (*)(const Environment* environment,
                                 const DispatchState* dispatch,
                                 const WorkgroupState* workgroup);

// The header of a library of any version.
struct LibraryHeader {
  uint32_t version;
  const char* name;
  uint32_t features;   // none are defined
  uint32_t sanitizer;  // kSanitizerNames
};
static_assert(sizeof(LibraryHeader) == 24);
static_assert(offsetof(LibraryHeader, name) == 8);
static_assert(offsetof(LibraryHeader, sanitizer) == 20);

// LibraryHeader::sanitizer, by value.
inline constexpr const char* kSanitizerNames[] = {"none", "address", "memory",
                                                  "thread", "undefined"};

// Returns a LibraryV3 to LibraryV6, as its header's version says, or null if
// the library does not support `version`. A compiled library supports exactly
// one.
using LibraryQuery = const LibraryHeader* const* (*)(uint32_t version,
                                                     const Environment*);

struct ImportTable {
  uint32_t count;
  const char* const* symbols;  // "?name": optional
};
static_assert(sizeof(ImportTable) == 16);

// Versions 3 and 4 do not count constants and bindings.
struct DispatchAttributesV3 {
  uint16_t local_memory_pages;
  uint16_t reserved;
};
static_assert(sizeof(DispatchAttributesV3) == 4);

struct DispatchAttributesV5 {
  uint16_t local_memory_pages;
  uint8_t constant_count;
  uint8_t binding_count;
  uint32_t reserved_0;
  uint64_t reserved_1[8];
};
static_assert(sizeof(DispatchAttributesV5) == 72);

struct DispatchAttributesV6 {
  uint64_t flags;
  uint16_t local_memory_pages;
  uint8_t constant_count;
  uint8_t binding_count;
  uint32_t workgroup_size_x;
  uint32_t workgroup_size_y;
  uint16_t workgroup_size_z;
  uint16_t parameter_count;
  uint64_t reserved_1[5];
};
static_assert(sizeof(DispatchAttributesV6) == 64);
static_assert(offsetof(DispatchAttributesV6, local_memory_pages) == 8);
static_assert(offsetof(DispatchAttributesV6, workgroup_size_x) == 12);
static_assert(offsetof(DispatchAttributesV6, workgroup_size_z) == 20);
static_assert(offsetof(DispatchAttributesV6, parameter_count) == 22);

// The source location of an export.
struct SourceLocation {
  uint32_t line;
  uint32_t path_length;
  const char* path;
};
static_assert(sizeof(SourceLocation) == 16);

// Each table has `count` entries, or is null.
struct ExportTableV3 {
  uint32_t count;
  const DispatchFunction* functions;
  const DispatchAttributesV3* attributes;
  const char* const* names;
  const char* const* tags;
  const SourceLocation* source_locations;
};
static_assert(sizeof(ExportTableV3) == 48);

template <typename Attributes>
struct ExportTableV4 {
  uint32_t count;
  const DispatchFunction* functions;
  const Attributes* attributes;
  const char* const* names;
  const char* const* tags;
  const SourceLocation* source_locations;
  const void* stage_locations;
};
static_assert(sizeof(ExportTableV4<DispatchAttributesV3>) == 56);

struct ExportTableV6 {
  uint32_t count;
  const DispatchFunction* functions;
  const DispatchAttributesV6* attributes;
  const void* const* parameters;
  const void* occupancy;
  const char* const* names;
  const char* const* tags;
  const char* const* parameter_names;
  const SourceLocation* source_locations;
  const void* stage_locations;
};
static_assert(sizeof(ExportTableV6) == 80);
static_assert(offsetof(ExportTableV6, names) == 40);

struct ConstantTable {
  uint32_t count;
};

struct SourceFileTable {
  uint32_t count;
  const void* files;
};

struct LibraryV3 {
  const LibraryHeader* header;
  ImportTable imports;
  ExportTableV3 exports;
  ConstantTable constants;
};
static_assert(offsetof(LibraryV3, constants) == 72);

template <typename ExportTable>
struct LibraryOf {
  const LibraryHeader* header;
  ImportTable imports;
  ExportTable exports;
  ConstantTable constants;
  SourceFileTable sources;
};
using LibraryV4 = LibraryOf<ExportTableV4<DispatchAttributesV3>>;
using LibraryV5 = LibraryOf<ExportTableV4<DispatchAttributesV5>>;
using LibraryV6 = LibraryOf<ExportTableV6>;
static_assert(offsetof(LibraryV5, exports) == 24);
static_assert(offsetof(LibraryV5, constants) == 80);
static_assert(offsetof(LibraryV6, constants) == 104);

}  // namespace eyrie::hal::cpu

#endif  // EYRIE_HAL_CPU_DISPATCH_ABI_H_
