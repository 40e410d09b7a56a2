// Lists of registers, as encoded in the bytecode of verified functions.
//
// Tested by lowering_test.cc.
#ifndef EYRIE_VM_LOWER_REGISTER_LIST_H_
#define EYRIE_VM_LOWER_REGISTER_LIST_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace eyrie::vm {

// A counted list of registers. Does not copy the bytecode, which must outlive
// it.
class RegisterList {
 public:
  RegisterList() = default;
  explicit RegisterList(const uint8_t* at) : at_(at) {}

  const uint8_t* data() const { return at_; }
  uint32_t size() const { return Word(0); }
  uint16_t operator[](uint32_t i) const { return Word(1 + i); }

 private:
  uint16_t Word(uint32_t i) const {
    uint16_t word;
    std::memcpy(&word, at_ + size_t{i} * 2, 2);
    return word;
  }

  static constexpr uint8_t kNone[2] = {};
  const uint8_t* at_ = kNone;
};

}  // namespace eyrie::vm

#endif  // EYRIE_VM_LOWER_REGISTER_LIST_H_
