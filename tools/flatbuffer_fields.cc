// The rows: each table of module.fbs, its fields in the schema's order.
#include "tools/flatbuffer_fields.h"

#include <iterator>

#include "vm/module/module_generated.h"

namespace eyrie::tools {
namespace {

namespace fbs = vm::fbs;
using enum FieldKind;

constexpr const char* kFeatureNames[] = {"EXT_F32", "EXT_F64", "YIELD",
                                         "UNWIND"};
constexpr const char* kNeedNames[] = {"REQUIRED", "OPTIONAL"};
constexpr uint32_t kRequired = 1;

constexpr Field kAttrFields[] = {
    {fbs::Attr::VT_KEY, "key", kText},
    {fbs::Attr::VT_VALUE, "value", kText},
};
constexpr Shape kAttr = {kAttrFields};

constexpr Field kTypeFields[] = {
    {fbs::Type::VT_FULL_NAME, "full_name", kText},
};
constexpr Shape kType = {kTypeFields};

constexpr Field kSignatureFields[] = {
    {fbs::Signature::VT_CALLING_CONVENTION, "calling_convention", kText},
    {fbs::Signature::VT_ATTRS, "attrs", kTables, &kAttr},
};
constexpr Shape kSignature = {kSignatureFields};

constexpr Field kDependencyFields[] = {
    {fbs::Dependency::VT_NAME, "name", kText},
    {fbs::Dependency::VT_MINIMUM_VERSION, "minimum_version", kUint32},
    {fbs::Dependency::VT_FLAGS, "flags", kUint32, nullptr, kRequired,
     kNeedNames},
};
constexpr Shape kDependency = {kDependencyFields};

constexpr Field kImportFields[] = {
    {fbs::Import::VT_FULL_NAME, "full_name", kText},
    {fbs::Import::VT_SIGNATURE, "signature", kTable, &kSignature},
    {fbs::Import::VT_FLAGS, "flags", kUint32, nullptr, kRequired, kNeedNames},
};
constexpr Shape kImport = {kImportFields};

constexpr Field kExportFields[] = {
    {fbs::Export::VT_LOCAL_NAME, "local_name", kText},
    {fbs::Export::VT_FUNCTION, "internal_ordinal", kInt32},
};
constexpr Shape kExport = {kExportFields};

constexpr Shape kUncompressed = {};
constexpr Member kCompressions[] = {{"UncompressedDataDef", &kUncompressed}};

constexpr Field kRodataFields[] = {
    {fbs::Rodata::VT_COMPRESSION,
     "compression_type",
     kUnion,
     nullptr,
     0,
     {},
     kCompressions},
    {fbs::Rodata::VT_EMBEDDED, "embedded_data", kBytes},
    {fbs::Rodata::VT_EXTERNAL_OFFSET, "external_data_offset", kUint64},
    {fbs::Rodata::VT_EXTERNAL_LENGTH, "external_data_length", kUint64},
};
constexpr Shape kRodata = {kRodataFields};

constexpr Field kRwdataFields[] = {
    {fbs::Rwdata::VT_BYTE_SIZE, "byte_size", kInt32},
};
constexpr Shape kRwdata = {kRwdataFields};

constexpr Field kStateFields[] = {
    {fbs::State::VT_GLOBAL_BYTES, "global_bytes_capacity", kInt32},
    {fbs::State::VT_GLOBAL_REFS, "global_ref_count", kInt32},
};
constexpr Shape kState = {kStateFields};

constexpr Field kFunctionFields[] = {
    {0, "bytecode_offset", kInt32},
    {4, "bytecode_length", kInt32},
    {8, "requirements", kUint32, nullptr, 0, kFeatureNames},
    {12, "reserved", kInt16},
    {14, "block_count", kInt16},
    {16, "i32_register_count", kInt16},
    {18, "ref_register_count", kInt16},
};
constexpr Shape kFunction = {kFunctionFields, 20};
static_assert(sizeof(fbs::Function) == kFunction.struct_bytes);

constexpr Field kCallSiteFields[] = {
    {fbs::CallSiteLocation::VT_CALLEE, "callee", kInt32},
    {fbs::CallSiteLocation::VT_CALLER, "caller", kInt32},
};
constexpr Shape kCallSite = {kCallSiteFields};

constexpr Field kFileFields[] = {
    {fbs::FileLocation::VT_FILENAME, "filename", kText},
    {fbs::FileLocation::VT_LINE, "line", kInt32},
    {fbs::FileLocation::VT_COLUMN, "column", kInt32},
};
constexpr Shape kFile = {kFileFields};

constexpr Field kFusedFields[] = {
    {fbs::FusedLocation::VT_METADATA, "metadata", kText},
    {fbs::FusedLocation::VT_LOCATIONS, "locations", kInts},
};
constexpr Shape kFused = {kFusedFields};

constexpr Field kNamedFields[] = {
    {fbs::NamedLocation::VT_NAME, "name", kText},
    {fbs::NamedLocation::VT_CHILD, "child_location", kInt32},
};
constexpr Shape kNamed = {kNamedFields};

constexpr Member kLocations[] = {{"CallSiteLocDef", &kCallSite},
                                 {"FileLineColLocDef", &kFile},
                                 {"FusedLocDef", &kFused},
                                 {"NameLocDef", &kNamed}};

static_assert(std::size(kLocations) == static_cast<size_t>(fbs::Location::MAX));

constexpr Field kPlaceFields[] = {
    {0, "bytecode_offset", kInt32},
    {4, "location", kInt32},
};
constexpr Shape kPlace = {kPlaceFields, 8};
static_assert(sizeof(fbs::InstructionLocation) == kPlace.struct_bytes);

constexpr Field kSourceMapFields[] = {
    {fbs::SourceMap::VT_LOCAL_NAME, "local_name", kText},
    {fbs::SourceMap::VT_LOCATIONS, "locations", kStructs, &kPlace},
};
constexpr Shape kSourceMap = {kSourceMapFields};

constexpr Field kDebugFields[] = {
    {fbs::DebugDatabase::VT_LOCATIONS,
     "location_table",
     kUnions,
     nullptr,
     0,
     {},
     kLocations},
    {fbs::DebugDatabase::VT_FUNCTIONS, "functions", kTables, &kSourceMap},
};
constexpr Shape kDebug = {kDebugFields};

constexpr Field kModuleFields[] = {
    {fbs::Module::VT_NAME, "name", kText},
    {fbs::Module::VT_VERSION, "version", kUint32},
    {fbs::Module::VT_REQUIREMENTS, "requirements", kUint32, nullptr, 0,
     kFeatureNames},
    {fbs::Module::VT_ATTRS, "attrs", kTables, &kAttr},
    {fbs::Module::VT_TYPES, "types", kTables, &kType},
    {fbs::Module::VT_DEPENDENCIES, "dependencies", kTables, &kDependency},
    {fbs::Module::VT_IMPORTS, "imported_functions", kTables, &kImport},
    {fbs::Module::VT_EXPORTS, "exported_functions", kTables, &kExport},
    {fbs::Module::VT_SIGNATURES, "function_signatures", kTables, &kSignature},
    {fbs::Module::VT_RODATA, "rodata_segments", kTables, &kRodata},
    {fbs::Module::VT_RWDATA, "rwdata_segments", kTables, &kRwdata},
    {fbs::Module::VT_STATE, "module_state", kTable, &kState},
    {fbs::Module::VT_FUNCTIONS, "function_descriptors", kStructs, &kFunction},
    {fbs::Module::VT_BYTECODE_VERSION, "bytecode_version", kUint32},
    {fbs::Module::VT_BYTECODE, "bytecode_data", kBytes},
    {fbs::Module::VT_DEBUG, "debug_database", kTable, &kDebug},
};

}  // namespace

constinit const Shape kModuleShape = {kModuleFields};

}  // namespace eyrie::tools
