// Text that is given away piece by piece, up to a limit of bytes, so that no
// more than a piece of it is ever kept.
//
// Tested by text_stream_test.cc.
#ifndef EYRIE_BASE_TEXT_STREAM_H_
#define EYRIE_BASE_TEXT_STREAM_H_

#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace eyrie {

// Takes text in order. Its error ends the text.
using TextSink = absl::FunctionRef<absl::Status(absl::string_view)>;

class TextStream {
 public:
  // `sink` must outlive the stream.
  TextStream(uint64_t most, TextSink sink) : left_(most), sink_(sink) {}
  TextStream(const TextStream&) = delete;
  TextStream& operator=(const TextStream&) = delete;

  // Appends. The first text that does not fit and all after it are dropped.
  template <typename... Args>
  void Add(const Args&... args) {
    if (!ok()) return;
    const size_t before = piece_.size();
    absl::StrAppend(&piece_, args...);
    Count(before);
  }
  // Reports whether `bytes` more would fit. If not, the text ends here: to be
  // asked before a long text is made.
  bool Fits(uint64_t bytes) {
    if (bytes > left_) is_too_long_ = true;
    return ok();
  }

  // False: nothing more is taken.
  bool ok() const { return !is_too_long_ && status_.ok(); }
  bool is_too_long() const { return is_too_long_; }
  // Bytes that may still be added.
  uint64_t left() const { return left_; }

  // Gives the last piece away, also of a text that was too long. Returns the
  // sink's first error.
  absl::Status Finish();

 private:
  static constexpr size_t kPieceBytes = size_t{1} << 16;

  // Takes what was appended to a piece of `before` bytes off the limit.
  void Count(size_t before);
  void GiveAway();

  uint64_t left_;
  TextSink sink_;
  std::string piece_;
  bool is_too_long_ = false;
  absl::Status status_;  // the sink's
};

}  // namespace eyrie

#endif  // EYRIE_BASE_TEXT_STREAM_H_
