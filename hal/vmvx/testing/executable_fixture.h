// Loads executables from assembly text, and runs a dispatch with one binding.
#ifndef EYRIE_HAL_VMVX_TESTING_EXECUTABLE_FIXTURE_H_
#define EYRIE_HAL_VMVX_TESTING_EXECUTABLE_FIXTURE_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "base/ref.h"
#include "base/status_macros.h"
#include "hal/vmvx/executable.h"
#include "vm/asm/assembler.h"

namespace eyrie::hal::vmvx {

inline constexpr char kHead[] = R"(vm.module @kernels version 0
//! depends @vmvx version 0
vm.type i32
vm.type i64
vm.type !vm.buffer
vm.type !vm.list<!vm.buffer>
vm.import @vmvx.fill.2d.x32 cconv "0irIIII_v"
)";
// An entry point's header.
inline constexpr char kEntry[] =
    "(%r0: !vm.ref<?>, %r1: !vm.ref<?>, %r2: !vm.ref<?>, %i0: i32, %i1: i32, "
    "%i2: i32, %i3: i32, %i4: i32, %i5: i32, %i6: i32, %i7: i32, %i8: i32) "
    "-> () {\n";
// Loads the first buffer of the list.
inline constexpr char kTakeFirst[] = R"(  %i9 = vm.const.i32.zero
  %r3 = vm.list.get.ref %r2, %i9 : !vm.buffer
)";

// Returns a module with one entry point. `attributes` are "key=value".
inline std::string Module(absl::string_view body,
                          const std::vector<std::string>& attributes,
                          absl::string_view before = "") {
  std::string text = absl::StrCat(kHead, before, "vm.export @run\n");
  for (const std::string& attribute : attributes) {
    const size_t equals = attribute.find('=');
    absl::StrAppend(&text, "//! func.attr \"", attribute.substr(0, equals),
                    "\" = \"", attribute.substr(equals + 1), "\"\n");
  }
  return absl::StrCat(text, "vm.func @run", kEntry, "^bb0:\n", body, "}\n");
}

inline absl::StatusOr<Ref<hal::Executable>> Load(const std::string& text,
                                                 ExecutableParams params = {}) {
  ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes,
                   vm::Assemble(text, "kernels.vmasm"));
  params.format = kFormat;
  params.data = bytes;
  return CreateLoader()->Load(params);
}

using Words = std::vector<int32_t>;

// One dispatch with one binding.
class Dispatch {
 public:
  Dispatch(const Dispatch&) = delete;
  Dispatch& operator=(const Dispatch&) = delete;

  Dispatch(Words binding, std::vector<uint32_t> constants)
      : binding_(std::move(binding)),
        constants_(std::move(constants)),
        pointer_(binding_.data()),
        length_(binding_.size() * sizeof(int32_t)) {
    state_.workgroup_size_x = 11;
    state_.workgroup_size_y = 12;
    state_.workgroup_size_z = 13;
    state_.workgroup_count_x = 3;
    state_.workgroup_count_y = 2;
    state_.workgroup_count_z = 2;
    state_.constants = constants_.data();
    state_.constant_count = static_cast<uint16_t>(constants_.size());
    state_.binding_count = 1;
    state_.binding_pointers = &pointer_;
    state_.binding_lengths = &length_;
  }

  const Words& binding() const { return binding_; }

  // Runs workgroups [begin, end). Returns the words of the binding, or the
  // error.
  std::string Run(const hal::Executable& executable, uint64_t begin,
                  uint64_t end, std::vector<uint8_t> local_memory = {},
                  uint32_t ordinal = 0) {
    const auto& kernels = static_cast<const cpu::KernelExecutable&>(executable);
    const absl::Status status =
        kernels.RunWorkgroups(ordinal, state_, {begin, end}, local_memory,
                              /*work=*/nullptr);
    if (!status.ok()) return status.ToString();
    return absl::StrJoin(binding_, " ");
  }

 private:
  Words binding_;
  std::vector<uint32_t> constants_;
  void* pointer_;
  size_t length_;
  cpu::DispatchState state_ = {};
};

inline Dispatch Over(Words binding, std::vector<uint32_t> constants = {}) {
  return Dispatch(std::move(binding), std::move(constants));
}

}  // namespace eyrie::hal::vmvx

#endif  // EYRIE_HAL_VMVX_TESTING_EXECUTABLE_FIXTURE_H_
