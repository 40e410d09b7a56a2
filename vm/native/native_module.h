// A module written in C++: a name, a version and a table of functions.
//
//   constexpr NativeFunction kRows[] = {
//       Bind<Length>("buffer.length", "0r_I"),
//       Bind<FillV2>("fill", "0rII_v"),   // one name with two signatures
//       Bind<FillV1>("fill", "0rI_v"),
//   };
//   auto module = NativeModule::Create("hal", 6, kRows, CreateState);
// Tested by native_module_test.cc.
#ifndef EYRIE_VM_NATIVE_NATIVE_MODULE_H_
#define EYRIE_VM_NATIVE_NATIVE_MODULE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "vm/isa/callconv.h"
#include "vm/module/module.h"
#include "vm/native/native_binding.h"

namespace eyrie::vm {

// Reports whether the rows ascend by name and then by signature, without
// duplicates. For static_assert.
constexpr bool RowsAscend(std::span<const NativeFunction> rows) {
  for (size_t i = 1; i < rows.size(); ++i) {
    const std::string_view before = rows[i - 1].name;
    const std::string_view name = rows[i].name;
    if (before > name) return false;
    if (before == name && std::string_view(rows[i - 1].signature) >=
                              std::string_view(rows[i].signature)) {
      return false;
    }
  }
  return true;
}

// Creates the state of the module for one context, which functions receive.
using NativeStateFactory =
    std::function<absl::StatusOr<std::unique_ptr<ModuleState>>()>;

// Immutable; shared by threads, so the factory must be thread-safe.
class NativeModule final : public Module {
 public:
  // Creates a module. `rows` must outlive it. Rows that ascend must be made by
  // Bind, and are not checked again. For other rows, returns INVALID_ARGUMENT
  // if a signature is not a canonical calling convention, or if a name and
  // signature occur twice.
  static absl::StatusOr<std::shared_ptr<const NativeModule>> Create(
      std::string name, uint32_t version, std::span<const NativeFunction> rows,
      NativeStateFactory create_state);

  absl::string_view name() const override { return name_; }
  uint32_t version() const override { return version_; }
  // Returns the index of the row with this name and signature. Returns the
  // errors of BindImport.
  absl::StatusOr<uint32_t> ResolveImport(absl::string_view name,
                                         absl::string_view signature) const;
  absl::StatusOr<NativeImport> BindImport(
      ModuleState& state, absl::string_view name,
      const CallingConvention& signature) const override;
  absl::StatusOr<std::unique_ptr<ModuleState>> CreateState() const override {
    return create_state_();
  }

  const NativeFunction& function(uint32_t ordinal) const {
    return rows_[ordinal];
  }
  std::span<const NativeFunction> functions() const { return rows_; }

 private:
  NativeModule(std::string name, uint32_t version,
               std::span<const NativeFunction> rows, bool ascend,
               NativeStateFactory create_state)
      : name_(std::move(name)),
        version_(version),
        rows_(rows),
        ascend_(ascend),
        create_state_(std::move(create_state)) {}

  std::string name_;
  uint32_t version_;
  std::span<const NativeFunction> rows_;
  bool ascend_;  // rows are sorted and can be searched by name
  NativeStateFactory create_state_;
};

}  // namespace eyrie::vm

#endif  // EYRIE_VM_NATIVE_NATIVE_MODULE_H_
