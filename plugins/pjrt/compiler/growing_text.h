// Bytes that grow, for the program of the compiler's process, which has no C++
// library.
//
// Tested by compiler_process_test.cc.
#ifndef EYRIE_PLUGINS_PJRT_COMPILER_GROWING_TEXT_H_
#define EYRIE_PLUGINS_PJRT_COMPILER_GROWING_TEXT_H_

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace eyrie::pjrt {

// Ends the process if there is no memory.
class GrowingText {
 public:
  GrowingText() = default;
  GrowingText(const GrowingText&) = delete;
  GrowingText& operator=(const GrowingText&) = delete;
  ~GrowingText() { free(data_); }

  const char* data() const { return data_; }
  char* data() { return data_; }
  size_t size() const { return size_; }
  void Clear() { size_ = 0; }

  void Resize(size_t size) {
    if (size > capacity_) {
      const size_t capacity = size > 2 * capacity_ ? size : 2 * capacity_;
      data_ = static_cast<char*>(realloc(data_, capacity));
      if (data_ == nullptr) {
        fputs("out of memory\n", stderr);
        abort();
      }
      capacity_ = capacity;
    }
    size_ = size;
  }
  void Append(const char* bytes, size_t size) {
    const size_t before = size_;
    Resize(before + size);
    if (size != 0) memcpy(data_ + before, bytes, size);
  }
  void Append(const char* text) { Append(text, strlen(text)); }

 private:
  char* data_ = nullptr;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

}  // namespace eyrie::pjrt

#endif  // EYRIE_PLUGINS_PJRT_COMPILER_GROWING_TEXT_H_
