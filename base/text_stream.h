// Passes text to a sink piece by piece, up to a limit of bytes. Keeps only one
// piece in memory.
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

// Receives the pieces in order. If it fails, the rest of the text is dropped.
using TextSink = absl::FunctionRef<absl::Status(absl::string_view)>;

// Thread-compatible.
class TextStream {
 public:
  // `most` is the limit in bytes. `sink` must outlive the stream.
  TextStream(uint64_t most, TextSink sink) : left_(most), sink_(sink) {}
  // Without a limit.
  explicit TextStream(TextSink sink) : TextStream(UINT64_MAX, sink) {}
  TextStream(const TextStream&) = delete;
  TextStream& operator=(const TextStream&) = delete;

  // Appends the arguments, as absl::StrAppend. If they do not fit, drops them
  // and all later text.
  template <typename... Args>
  void Add(const Args&... args) {
    if (!ok()) return;
    const size_t before = piece_.size();
    absl::StrAppend(&piece_, args...);
    Count(before);
  }
  // Reports whether `bytes` more would fit. If not, drops all later text. Call
  // it before you format a long text.
  bool Fits(uint64_t bytes) {
    if (bytes > left_) is_too_long_ = true;
    return ok();
  }

  // Returns false if later text is dropped.
  bool ok() const { return !is_too_long_ && status_.ok(); }
  bool is_too_long() const { return is_too_long_; }
  // Returns the number of bytes that can still be added.
  uint64_t left() const { return left_; }

  // Passes the last piece to the sink, even if the text was too long. Returns
  // the sink's first error.
  absl::Status Finish();

 private:
  static constexpr size_t kPieceBytes = size_t{1} << 16;

  // Counts the text that was appended to a piece of `before` bytes.
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
