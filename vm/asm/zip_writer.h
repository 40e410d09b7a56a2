// Writes a ZIP of stored members, each beginning at an aligned offset.
//
// Tested by module_plan_test.cc.
#ifndef EYRIE_VM_ASM_ZIP_WRITER_H_
#define EYRIE_VM_ASM_ZIP_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace eyrie::vm {

// Dates are the format's first day, so that equal members give equal bytes. All
// sizes and offsets are below 4 GiB, names below 64 KiB, alignments powers of
// two up to kMaxAlignment: the caller's to see to.
class ZipWriter {
 public:
  static constexpr size_t kMaxAlignment = 4096;

  // Bytes of a member's header without what aligns its contents.
  static uint64_t LeastHeader(const std::string& name);
  // Where the contents of a first member with this name begin.
  static uint64_t FirstContents(const std::string& name);

  void Add(const std::string& name, std::span<const uint8_t> contents,
           size_t alignment);
  std::vector<uint8_t> Finish();

 private:
  struct Member {
    std::string name;
    uint32_t checksum;
    uint32_t size;
    uint32_t header;
  };
  void Put16(size_t value);
  void Put32(size_t value);
  void PutText(const std::string& text);

  std::vector<uint8_t> file_;
  std::vector<Member> members_;
};

}  // namespace eyrie::vm

#endif  // EYRIE_VM_ASM_ZIP_WRITER_H_
