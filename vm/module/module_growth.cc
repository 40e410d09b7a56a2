// Counts before anything is decoded.
#include "vm/module/module_growth.h"

#include "base/file_growth.h"
#include "base/optional_field.h"
#include "base/status_macros.h"
#include "flatbuffers/flatbuffers.h"
#include "vm/module/module_tables.h"

namespace eyrie::vm {
namespace {

template <typename T>
using Tables = flatbuffers::Vector<flatbuffers::Offset<T>>;

class Counter {
 public:
  explicit Counter(uint64_t bytes) : budget_(bytes) {}

  absl::Status CountModule(const ModuleTables& module);

 private:
  static constexpr absl::string_view kWhat = "The module's tables";
  static constexpr uint64_t kSharedAttributeBytes = 16;

  absl::Status Count(const flatbuffers::String* text) {
    return budget_.TakeBytes(text == nullptr ? 0 : text->size(), kWhat);
  }
  // Counts the entries of a list, and everything that each one refers to.
  template <typename T, typename CountEntry>
  absl::Status CountEach(const Tables<T>* list, CountEntry count) {
    if (list == nullptr) return absl::OkStatus();
    RETURN_IF_ERROR(budget_.TakeEntries(list->size(), kWhat));
    for (uint32_t i = 0; i < list->size(); ++i) {
      RETURN_IF_ERROR(count(*list->Get(i)));
    }
    return absl::OkStatus();
  }
  absl::Status CountAttribute(const fbs::Attr& attribute) {
    RETURN_IF_ERROR(Count(attribute.key()));
    return Count(attribute.value());
  }
  absl::Status CountAttributes(const Tables<fbs::Attr>* list) {
    return CountEach(list, [this](const fbs::Attr& attribute) {
      return CountAttribute(attribute);
    });
  }
  absl::Status CountSignature(const fbs::Signature& signature) {
    RETURN_IF_ERROR(Count(signature.calling_convention()));
    return CountAttributes(signature.attrs());
  }
  // Counts a signature that is also counted elsewhere: its text, and a small
  // amount for each attribute.
  absl::Status CountShared(const fbs::Signature& signature) {
    RETURN_IF_ERROR(Count(signature.calling_convention()));
    if (signature.attrs() == nullptr) return absl::OkStatus();
    for (const fbs::Attr* attribute : *signature.attrs()) {
      RETURN_IF_ERROR(budget_.TakeBytes(kSharedAttributeBytes, kWhat));
      RETURN_IF_ERROR(CountAttribute(*attribute));
    }
    return absl::OkStatus();
  }
  absl::Status CountExports(const ModuleTables& module);
  absl::Status CountDebugDatabase(const fbs::DebugDatabase& debug) {
    return CountEach(debug.functions(), [this](const fbs::SourceMap& map) {
      RETURN_IF_ERROR(Count(map.local_name()));
      if (map.locations() == nullptr) return absl::OkStatus();
      return budget_.TakeBytes(
          map.locations()->size() * sizeof(fbs::InstructionLocation), kWhat);
    });
  }

  DecodingBudget budget_;
};

absl::Status Counter::CountExports(const ModuleTables& module) {
  RETURN_IF_ERROR(budget_.TakeEntries(module.export_count(), kWhat));
  for (uint32_t i = 0; i < module.export_count(); ++i) {
    const ModuleTables::Export exported = module.export_at(i);
    RETURN_IF_ERROR(Count(exported.name));
    if (exported.signature != nullptr) {
      RETURN_IF_ERROR(CountSignature(*exported.signature));
    }
    // An export is printed and searched with its function's signature, which is
    // decoded once.
    const auto function = static_cast<uint32_t>(exported.function);
    if (function >= Size(module.signatures)) continue;  // reported later
    RETURN_IF_ERROR(CountShared(*module.signatures->Get(function)));
  }
  return absl::OkStatus();
}

absl::Status Counter::CountModule(const ModuleTables& module) {
  RETURN_IF_ERROR(CountAttributes(module.attrs));
  RETURN_IF_ERROR(CountEach(module.types, [this](const fbs::Type& type) {
    return Count(type.full_name());
  }));
  RETURN_IF_ERROR(CountEach(
      module.dependencies,
      [this](const fbs::Dependency& from) { return Count(from.name()); }));
  RETURN_IF_ERROR(CountEach(module.imports, [this](const fbs::Import& import) {
    RETURN_IF_ERROR(Count(import.full_name()));
    return import.signature() == nullptr ? absl::OkStatus()
                                         : CountSignature(*import.signature());
  }));
  RETURN_IF_ERROR(CountExports(module));
  // Later modules have a signature for each function.
  if (module.older_functions != nullptr) {
    RETURN_IF_ERROR(budget_.TakeEntries(module.older_functions->size(), kWhat));
  }
  RETURN_IF_ERROR(
      CountEach(module.signatures, [this](const fbs::Signature& signature) {
        return CountSignature(signature);
      }));
  RETURN_IF_ERROR(CountEach(
      module.rodata, [](const fbs::Rodata&) { return absl::OkStatus(); }));
  return module.debug == nullptr ? absl::OkStatus()
                                 : CountDebugDatabase(*module.debug);
}

}  // namespace

absl::Status CheckModuleGrowth(const ModuleTables& module, uint64_t bytes) {
  return Counter(bytes).CountModule(module);
}

}  // namespace eyrie::vm
