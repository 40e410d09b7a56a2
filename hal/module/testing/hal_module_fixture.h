// A fixture for tests that call the `hal` module as programs do.
//
// Calls are written as "name convention"; results, objects and errors are text.
// Queue operations and commands are read from the fake device's log.
#ifndef EYRIE_HAL_MODULE_TESTING_HAL_MODULE_FIXTURE_H_
#define EYRIE_HAL_MODULE_TESTING_HAL_MODULE_FIXTURE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "base/ref.h"
#include "gtest/gtest.h"
#include "hal/buffer_view.h"
#include "hal/fence.h"
#include "hal/file.h"
#include "hal/module/hal_module.h"
#include "hal/module/testing/fake_device.h"
#include "vm/native/native_module.h"
#include "vm/native/slot_call.h"
#include "vm/object/buffer.h"

namespace eyrie::hal {

inline constexpr int64_t kRest = -1;
inline constexpr int64_t kF32 = 0x21000020;
inline constexpr int64_t kI32 = 0x10000020;
inline constexpr int64_t kUsage = buffer_usage::kDefault;
inline constexpr int64_t kLocal = memory_type::kDeviceLocal;

// An argument slot. A variadic span is passed as its count, then its elements.
struct Arg {
  vm::Slot slot;
  Arg(int64_t value) { slot.i64 = value; }       // NOLINT
  Arg(int value) { slot.i64 = value; }           // NOLINT
  Arg(std::nullptr_t) { slot.ref = nullptr; }    // NOLINT
  Arg(RefObject* object) { slot.ref = object; }  // NOLINT
  template <typename T>
  Arg(const Ref<T>& object) {  // NOLINT
    slot.ref = object.get();
  }
};
using Args = std::vector<Arg>;

inline std::string Describe(RefObject* object) {
  if (object == nullptr) return "null";
  if (auto* buffer = RefCast<Buffer>(object)) {
    return absl::StrCat("buffer ", buffer->byte_length());
  }
  if (auto* view = RefCast<BufferView>(object)) {
    return absl::StrCat("view ", view->ShapeAndType());
  }
  if (auto* fence = RefCast<Fence>(object)) {
    return absl::StrCat("fence ", fence->points().size());
  }
  if (auto* file = RefCast<File>(object)) {
    return absl::StrCat("file ", file->length());
  }
  return object->type().name;
}

inline Ref<vm::Buffer> Text(absl::string_view text) {
  return *vm::Buffer::CopyText(text);
}

class HalModuleTest : public ::testing::Test {
 protected:
  HalModuleTest() {
    HalModuleOptions options;
    options.trace = [this](absl::string_view key,
                           std::span<BufferView* const> tensors) {
      trace_ = std::string(key);
      for (const BufferView* view : tensors) {
        absl::StrAppend(&trace_, " ", view->ShapeAndType());
      }
    };
    module_ = *CreateHalModule({device_}, options);
    state_ = *module_->CreateState();
    buffer_ = *device_->allocator().Allocate({}, 16);
    for (int i = 0; i < 16; ++i) buffer_->host_data()[i] = i + 1;
    const int64_t shape[] = {2, 2};
    view_ = *BufferView::Create(buffer_, shape, ElementType::kFloat32);
  }

  // Calls "name convention". Last() returns the last reference among results.
  std::string Call(absl::string_view call, const Args& args) {
    const std::vector<std::string> parts = absl::StrSplit(call, ' ');
    auto ordinal = module_->ResolveImport(parts[0], parts[1]);
    if (!ordinal.ok()) return ordinal.status().ToString();
    std::vector<vm::Slot> slots;
    for (const Arg& arg : args) slots.push_back(arg.slot);
    vm::Slot results[4];
    absl::Status status = vm::CallWithSlots(
        module_->function(*ordinal), state_.get(), slots.data(), results);
    if (!status.ok()) return status.ToString();
    const std::string letters = parts[1].substr(parts[1].find('_') + 1);
    if (letters == "v") return "OK";
    std::string text;
    for (size_t i = 0; i < letters.size(); ++i) {
      absl::StrAppend(&text, i == 0 ? "" : " ");
      if (letters[i] == 'r') {
        absl::StrAppend(&text, Describe(results[i].ref));
        last_ = Ref<RefObject>::Adopt(results[i].ref);
      } else if (letters[i] == 'i') {
        absl::StrAppend(&text, results[i].i32);
      } else {
        absl::StrAppend(&text, results[i].i64);
      }
    }
    return text;
  }

  struct Case {
    const char* call;
    Args args;
    const char* want;
    const char* log = "";  // the device's log
  };
  void Check(const std::vector<Case>& cases) {
    for (const Case& c : cases) {
      SCOPED_TRACE(absl::StrCat(c.call, " row ", &c - cases.data()));
      EXPECT_EQ(Call(c.call, c.args), c.want);
      EXPECT_EQ(device_->TakeLog(), c.log);
    }
  }

  template <typename T>
  Ref<T> Last() {
    return Ref<T>::Share(RefCast<T>(last_.get()));
  }

  // Creates a command buffer through the import.
  Ref<CommandBuffer> NewCommands() {
    EXPECT_EQ(Call("command_buffer.create 0riiIi_r", {device_, 1, 3, kRest, 2}),
              "hal.command_buffer");
    return Last<CommandBuffer>();
  }

  // Records a command; `want` is the recorded text, or the error.
  struct Recording {
    const char* call;
    Args args;  // after the command buffer
    const char* want;
  };
  void CheckRecorded(const std::vector<Recording>& cases) {
    for (const Recording& c : cases) {
      SCOPED_TRACE(absl::StrCat(c.call, " row ", &c - cases.data()));
      Ref<CommandBuffer> commands = NewCommands();
      Args args = {commands};
      args.insert(args.end(), c.args.begin(), c.args.end());
      std::string got = Call(c.call, args);
      if (got == "OK") got = CommandText(*commands);
      EXPECT_EQ(got, c.want);
    }
  }

  std::string trace_;
  Ref<FakeDevice> device_ = MakeRef<FakeDevice>();
  std::shared_ptr<const vm::NativeModule> module_;
  std::unique_ptr<vm::ModuleState> state_;
  Ref<Buffer> buffer_;    // 16 bytes: 1, 2, 3 …
  Ref<BufferView> view_;  // 2x2xf32 over it
  Ref<RefObject> last_;
};

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_MODULE_TESTING_HAL_MODULE_FIXTURE_H_
