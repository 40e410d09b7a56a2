#include "base/text_stream.h"

namespace eyrie {

void TextStream::Count(size_t before) {
  if (!Fits(piece_.size() - before)) return piece_.resize(before);
  left_ -= piece_.size() - before;
  if (piece_.size() >= kPieceBytes) GiveAway();
}

void TextStream::GiveAway() {
  status_ = sink_(piece_);
  piece_.clear();
  // So that one long text does not make all later pieces large.
  if (piece_.capacity() > 2 * kPieceBytes) piece_.shrink_to_fit();
}

absl::Status TextStream::Finish() {
  if (status_.ok() && !piece_.empty()) GiveAway();
  return status_;
}

}  // namespace eyrie
