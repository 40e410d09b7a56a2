// Writes a ZIP file of uncompressed members with aligned contents.
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

// All dates are the first day of the format, so that equal members give equal
// bytes. The caller must keep all sizes and offsets below 4 GiB and names below
// 64 KiB; alignments must be powers of two up to kMaxAlignment.
class ZipWriter {
 public:
  static constexpr size_t kMaxAlignment = 4096;

  // Returns the size of a member's header without padding.
  static uint64_t LeastHeader(const std::string& name);
  // Returns where the contents of the first member begin, given its name.
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
