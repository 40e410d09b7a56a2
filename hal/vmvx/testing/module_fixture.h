// Calls imports of the `vmvx` module for its tests, by name. Results and errors
// are text.
#ifndef EYRIE_HAL_VMVX_TESTING_MODULE_FIXTURE_H_
#define EYRIE_HAL_VMVX_TESTING_MODULE_FIXTURE_H_

#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "base/ref.h"
#include "gtest/gtest.h"
#include "hal/vmvx/module.h"
#include "vm/native/native_module.h"
#include "vm/native/slot_call.h"
#include "vm/object/buffer.h"

namespace eyrie::hal::vmvx {
inline constexpr int64_t kBig = std::numeric_limits<int64_t>::max();

// The element type and the elements of a buffer.
struct Array {
  char type;  // f: f32; b: i8; h: i16; i: i32; l: i64
  std::vector<double> values;
};

template <typename T>
void Append(double value, std::vector<uint8_t>& bytes) {
  // Convert through i64, so that unsigned and negative values both fit.
  const T typed = std::is_same_v<T, float>
                      ? static_cast<T>(value)
                      : static_cast<T>(static_cast<int64_t>(value));
  const auto* data = reinterpret_cast<const uint8_t*>(&typed);
  bytes.insert(bytes.end(), data, data + sizeof(T));
}

inline std::vector<uint8_t> BytesOf(const Array& array) {
  std::vector<uint8_t> bytes;
  for (const double value : array.values) {
    if (array.type == 'f') Append<float>(value, bytes);
    if (array.type == 'b') Append<int8_t>(value, bytes);
    if (array.type == 'h') Append<int16_t>(value, bytes);
    if (array.type == 'i') Append<int32_t>(value, bytes);
    if (array.type == 'l') Append<int64_t>(value, bytes);
  }
  return bytes;
}

template <typename T>
std::string Read(const vm::Buffer& buffer) {
  std::vector<std::string> texts;
  for (uint64_t i = 0; i < buffer.size() / sizeof(T); ++i) {
    T value;
    std::memcpy(&value, buffer.data() + i * sizeof(T), sizeof(T));
    texts.push_back(absl::StrCat(static_cast<double>(value)));
  }
  return absl::StrJoin(texts, " ");
}

inline std::string TextOf(const vm::Buffer& buffer, char type) {
  switch (type) {
    case 'f':
      return Read<float>(buffer);
    case 'b':
      return Read<int8_t>(buffer);
    case 'h':
      return Read<int16_t>(buffer);
    case 'i':
      return Read<int32_t>(buffer);
    default:
      return Read<int64_t>(buffer);
  }
}

// An argument: a number, or a buffer.
struct Arg {
  Arg(int64_t value) : number(value) {}          // NOLINT
  Arg(int value) : number(value) {}              // NOLINT
  Arg(Array array) : array(std::move(array)) {}  // NOLINT
  int64_t number = 0;
  Array array = {0, {}};
};
using Args = std::vector<Arg>;

class VmvxModuleTest : public ::testing::Test {
 protected:
  // Calls the import with this number of arguments. Returns its last buffer, or
  // its numbers if it has no buffer, or its error.
  std::string Call(absl::string_view name, const Args& args,
                   bool read_only = false) {
    const vm::NativeFunction* found = nullptr;
    for (const vm::NativeFunction& row : module_->functions()) {
      // A convention is "0", a letter per argument, "_" and the results.
      const size_t arguments =
          absl::string_view(row.signature).find('_') - size_t{1};
      if (row.name == name && arguments == args.size()) found = &row;
    }
    if (found == nullptr) return "no such import";
    std::vector<vm::Slot> slots;
    std::vector<Ref<vm::Buffer>> buffers;
    char type = 0;
    for (const Arg& arg : args) {
      vm::Slot slot;
      if (arg.array.type == 0) {
        slot.i64 = arg.number;
      } else {
        type = arg.array.type;
        const std::vector<uint8_t> bytes = BytesOf(arg.array);
        owned_.push_back(bytes);
        buffers.push_back(read_only ? vm::Buffer::Borrow(owned_.back(), nullptr)
                                    : *vm::Buffer::Copy(bytes));
        slot.ref = buffers.back().get();
      }
      slots.push_back(slot);
    }
    vm::Slot results[2];
    const absl::Status status =
        vm::CallWithSlots(*found, state_.get(), slots.data(), results);
    if (!status.ok()) return status.ToString();
    if (buffers.empty()) {
      return absl::StrCat(results[0].i64, " ", results[1].i64);
    }
    return TextOf(*buffers.back(), type);
  }

  struct Case {
    const char* name;
    Args args;
    const char* want;
  };
  void Check(const std::vector<Case>& cases) {
    for (const Case& c : cases) {
      SCOPED_TRACE(absl::StrCat(c.name, " row ", &c - cases.data()));
      const std::string got = Call(c.name, c.args);
      EXPECT_EQ(got.substr(0, std::strlen(c.want)), c.want);
      // For an error, `want` may be only the beginning.
      if (c.want[0] < 'A') {
        EXPECT_EQ(got, c.want);
      }
    }
  }

  std::shared_ptr<const vm::NativeModule> module_ = CreateModule();
  std::unique_ptr<vm::ModuleState> state_ = *module_->CreateState();
  std::vector<std::vector<uint8_t>> owned_;
};

}  // namespace eyrie::hal::vmvx

#endif  // EYRIE_HAL_VMVX_TESTING_MODULE_FIXTURE_H_
