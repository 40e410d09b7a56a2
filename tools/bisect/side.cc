#include "tools/bisect/side.h"

#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "hal/buffer_view.h"
#include "tools/bisect/kernel_name.h"
#include "tools/load_flags.h"
#include "tools/native_flags.h"

namespace eyrie::tools {
namespace {

// Returns the dispatches of a kernel, by its name or its ordinal.
bool IsOf(const Report& report, const DispatchUse& use,
          const DispatchPlace& place) {
  if (IsUnnamed(place.kernel)) return use.ordinal == place.ordinal;
  return KernelName(report, use) == place.kernel;
}

// Returns where the compiler got a kernel from, or "".
std::string SourceOf(const Report& report, const DispatchPlace& place) {
  for (const ExecutableReport& executable : report.executables) {
    for (const hal::KernelFacts& kernel : executable.facts.kernels) {
      if (kernel.name == place.kernel && !kernel.source.empty()) {
        return kernel.source;
      }
    }
  }
  return "";
}

}  // namespace

std::string TypeOf(const vm::Value& value) {
  const auto* view = value.type() == vm::ValueType::kRef
                         ? RefCast<hal::BufferView>(value.ref())
                         : nullptr;
  return view == nullptr ? "no tensor" : view->ShapeAndType();
}

absl::StatusOr<std::unique_ptr<Side>> Side::Create(
    const Arguments& arguments, std::string name, std::string path,
    std::vector<std::string> uris) {
  std::unique_ptr<Side> side(
      new Side(arguments, std::move(name), std::move(path), std::move(uris)));
  side->label_ = PlainPath(side->path_);
  ASSIGN_OR_RETURN(side->program_, abi::LoadProgram(side->path_));
  ASSIGN_OR_RETURN(side->devices_, OpenDevices(arguments, side->uris_));
  return side;
}

void Side::Cancel() {
  ++cancelling_;
  abi::Session* const session = running_;
  if (session != nullptr) session->Cancel();
  --cancelling_;
}

absl::StatusOr<std::vector<vm::Value>> Side::Run(
    hal::DispatchObserver* observer) {
  if (must_reopen_) {
    ASSIGN_OR_RETURN(devices_, OpenDevices(*arguments_, uris_));
  }
  auto results = Call(observer);
  must_reopen_ = !results.ok();
  return results;
}

absl::StatusOr<std::vector<vm::Value>> Side::Call(
    hal::DispatchObserver* observer) {
  abi::SessionOptions options;
  ASSIGN_OR_RETURN(options.native_libraries, LoadNativeLibraries(*arguments_));
  RETURN_IF_ERROR(ReadSessionOptions(*arguments_, options));
  options.hal.observer = observer;
  ASSIGN_OR_RETURN(
      const std::unique_ptr<abi::Session> session,
      abi::Session::Create({program_}, devices_, std::move(options)));
  ASSIGN_OR_RETURN(abi::Callable function,
                   session->Lookup(arguments_->GetString("function")));
  ASSIGN_OR_RETURN(std::vector<vm::Value> inputs,
                   ReadInputs(*arguments_, function, devices_[0]));
  types_.clear();
  for (const vm::Value& input : inputs) types_.push_back(TypeOf(input));
  running_ = session.get();
  auto results = function.Call(inputs);
  running_ = nullptr;
  // The session ends after a Cancel on another thread that has found it.
  while (cancelling_ != 0) std::this_thread::yield();
  if (results.ok() && arguments_->IsSet("expected_output")) {
    ASSIGN_OR_RETURN(
        expected_, ReadExpected(*arguments_, function, devices_[0], *results));
  }
  return results;
}

absl::StatusOr<const Report*> Side::ReadReport() {
  if (report_ == nullptr) {
    ASSIGN_OR_RETURN(Report report, CreateReport(path_, {}));
    report_ = std::make_unique<Report>(std::move(report));
  }
  return report_.get();
}

void Side::Locate(DispatchPlace& place) {
  if (!ReadReport().ok()) return;
  place.source = SourceOf(*report_, place);
  for (const DispatchUse& use : report_->facts.dispatches) {
    if (!IsOf(*report_, use, place)) continue;
    SourceMap sources(report_->def);
    place.site =
        absl::StrCat(report_->def.name, ".", report_->names[use.place.function],
                     "+0x", absl::Hex(use.place.offset));
    if (place.source.empty()) place.source = sources.Find(use.place);
    return;
  }
}

}  // namespace eyrie::tools
