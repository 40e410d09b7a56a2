// Fuzzes what comes to the plug-in as bytes. The first byte chooses: the
// options of a compilation, a shape's text, a program's note, or its whole
// file. Each is read or refused, and a shape or an interface that is read is
// written as a text that is read as the same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "plugins/pjrt/compile_options.h"
#include "plugins/pjrt/program_image.h"
#include "plugins/pjrt/shape.h"

namespace {

using eyrie::pjrt::Interface;

void Require(bool is_so) {
  if (!is_so) std::abort();
}

// An empty ZIP.
std::string NoModule() {
  return std::string("PK\x05\x06", 4) + std::string(18, '\0');
}

void CheckShape(absl::string_view text) {
  const auto shape = eyrie::pjrt::ReadShape(text);
  if (!shape.ok()) return Require(!shape.status().message().empty());
  const auto again = eyrie::pjrt::ReadShape(eyrie::pjrt::ToText(*shape));
  Require(again.ok() && *again == *shape);
  // Dimensions of 0 hide none that would make the others overflow.
  const auto strides = eyrie::pjrt::RowMajorStrides(*shape);
  const size_t size = eyrie::pjrt::ByteSize(*shape);
  Require(eyrie::pjrt::CheckExtent(*shape, strides, size).ok());
  Require(size == 0 ||
          !eyrie::pjrt::CheckExtent(*shape, strides, size - 1).ok());
}

void CheckInterface(const absl::StatusOr<Interface>& interface) {
  if (!interface.ok()) return Require(!interface.status().message().empty());
  Require(interface->donated.size() == interface->arguments.size());
  const auto file = eyrie::pjrt::WithNote(NoModule(), *interface);
  Require(file.ok());
  const auto again = eyrie::pjrt::ReadNote(*file);
  // The written note may be longer than one that is read.
  if (!again.ok() && file->size() > 1'000'000) return;
  Require(again.ok());
  Require(again->name == interface->name &&
          again->arguments == interface->arguments &&
          again->results == interface->results &&
          again->donated == interface->donated &&
          again->imports.manifest == interface->imports.manifest &&
          again->imports.handlers == interface->imports.handlers);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const absl::string_view text(reinterpret_cast<const char*>(data + 1),
                               size - 1);
  switch (data[0] % 4) {
    case 0: {
      const auto options = eyrie::pjrt::ReadCompileOptions(text);
      Require(options.ok() || !options.status().message().empty());
      break;
    }
    case 1:
      CheckShape(text);
      break;
    case 2:
      CheckInterface(eyrie::pjrt::ReadNoteText(text));
      break;
    default:
      CheckInterface(eyrie::pjrt::ReadNote(text));
      break;
  }
  return 0;
}
