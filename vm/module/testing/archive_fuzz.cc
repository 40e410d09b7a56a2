// Any bytes may be rejected as a module's container, but must not crash.
//
// See tests/fuzz/BUILD for how to run it.
#include <cstddef>
#include <cstdint>

#include "vm/module/archive.h"

namespace {

// Reads everything that the archive refers to.
uint64_t Touch(const eyrie::vm::Archive& archive) {
  uint64_t sum = archive.flatbuffer().front() + archive.flatbuffer().back();
  for (const eyrie::ZipMember& member : archive.members()) {
    for (uint8_t byte : member.packed) sum += byte;
    const auto offset = member.packed.data() - archive.bytes().data();
    sum += archive.MemberAt(static_cast<uint64_t>(offset)).size();
    sum += archive.CheckMemberOf(member.packed).ok() ? 1 : 0;
  }
  return sum;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto archive = eyrie::vm::Archive::Borrow({data, size}, "fuzz");
  if (archive.ok()) {
    volatile uint64_t sum = Touch(**archive);
    (void)sum;
  }
  return 0;
}
