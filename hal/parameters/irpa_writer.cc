#include "hal/parameters/irpa_writer.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "base/checked_math.h"
#include "base/status_macros.h"

namespace eyrie::hal {
namespace {

using Content = ParameterSource::Content;

// The size of the largest huge page; more has no use.
constexpr uint64_t kMaxAlignment = uint64_t{1} << 30;

constexpr size_t kChunk = size_t{64} * 1024;

uint64_t EntrySize(const ParameterSource& parameter) {
  return parameter.content == Content::kSplat ? sizeof(irpa::SplatEntry)
                                              : sizeof(irpa::DataEntry);
}

// The parts of an archive that depend on names and lengths alone.
struct IrpaPlan {
  irpa::Header header = {};
  IrpaLayout layout;
};

class IrpaWriter {
 public:
  IrpaWriter(std::span<const ParameterSource> parameters, uint64_t alignment,
             ByteSink sink)
      : parameters_(parameters), alignment_(alignment), sink_(sink) {}

  // OUT_OF_RANGE: the file would be too large.
  absl::StatusOr<IrpaPlan> Plan() const;
  absl::Status Write();

 private:
  absl::Status Check() const;
  std::vector<uint8_t> CreateTable(const IrpaPlan& plan) const;
  absl::Status Put(std::span<const uint8_t> bytes);
  absl::Status PadTo(uint64_t offset);
  absl::Status PutText(const std::string& text);

  std::span<const ParameterSource> parameters_;
  uint64_t alignment_;
  ByteSink sink_;
  uint64_t written_ = 0;
};

absl::Status IrpaWriter::Check() const {
  if (alignment_ == 0 || alignment_ > kMaxAlignment ||
      (alignment_ & (alignment_ - 1)) != 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "An alignment of ", alignment_, " bytes is not a power of two up to ",
        kMaxAlignment, "."));
  }
  absl::flat_hash_set<absl::string_view> keys;
  for (const ParameterSource& parameter : parameters_) {
    if (!keys.insert(parameter.key).second) {
      return absl::InvalidArgumentError(absl::StrCat(
          "Parameter ", QuotedName(parameter.key), " occurs twice."));
    }
    if (parameter.content != Content::kBytes &&
        parameter.length % parameter.splat.length != 0) {
      return absl::InvalidArgumentError(absl::StrCat(
          "Parameter ", QuotedName(parameter.key), " has ", parameter.length,
          " bytes, not a multiple of its pattern's ", parameter.splat.length,
          "."));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<IrpaPlan> IrpaWriter::Plan() const {
  constexpr uint64_t kMaxSize = uint64_t{1} << 62;
  RETURN_IF_ERROR(Check());
  IrpaPlan plan;
  irpa::Header& header = plan.header;
  header.magic = irpa::kMagic;
  header.header_size = sizeof(header);
  header.entry_count = parameters_.size();
  header.entries.offset = AlignUp(sizeof(header), irpa::kEntryAlignment);
  std::vector<uint64_t>& offsets = plan.layout.offsets;
  bool has_data = false;
  for (const ParameterSource& parameter : parameters_) {
    header.entries.length =
        AlignUp(header.entries.length, irpa::kEntryAlignment) +
        EntrySize(parameter);
    header.metadata.length += parameter.key.size() + parameter.metadata.size();
    offsets.push_back(0);
    if (parameter.content == Content::kSplat) continue;
    has_data = true;
    const uint64_t begin = AlignUp(header.storage.length, alignment_);
    if (begin > kMaxSize || parameter.length > kMaxSize - begin) {
      return absl::OutOfRangeError(
          absl::StrCat("With ", QuotedName(parameter.key),
                       " the archive has more than ", kMaxSize, " bytes."));
    }
    offsets.back() = begin;  // in the storage, so far
    header.storage.length = begin + parameter.length;
  }
  header.metadata.offset = header.entries.offset + header.entries.length;
  header.storage.offset =
      AlignUp(header.metadata.offset + header.metadata.length,
              has_data ? alignment_ : 1);
  for (size_t i = 0; i < offsets.size(); ++i) {
    if (parameters_[i].content == Content::kSplat) continue;
    offsets[i] += header.storage.offset;
  }
  plan.layout.size = AlignUp(header.storage.offset + header.storage.length,
                             irpa::kFileAlignment);
  return plan;
}

std::vector<uint8_t> IrpaWriter::CreateTable(const IrpaPlan& plan) const {
  std::vector<uint8_t> table(plan.header.entries.length);
  uint64_t place = 0;
  uint64_t text = 0;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    const ParameterSource& parameter = parameters_[i];
    const bool splat = parameter.content == Content::kSplat;
    place = AlignUp(place, irpa::kEntryAlignment);
    irpa::Entry entry = {};
    entry.size = EntrySize(parameter);
    entry.type = splat ? irpa::EntryType::kSplat : irpa::EntryType::kData;
    entry.name = {text, parameter.key.size()};
    if (!parameter.metadata.empty()) {
      entry.metadata = {text + parameter.key.size(), parameter.metadata.size()};
    }
    text += parameter.key.size() + parameter.metadata.size();
    if (splat) {
      irpa::SplatEntry whole = {
          entry, parameter.length, {}, parameter.splat.length};
      std::memcpy(whole.pattern, parameter.splat.pattern.data(),
                  parameter.splat.length);
      std::memcpy(table.data() + place, &whole, sizeof(whole));
    } else {
      entry.minimum_alignment = irpa::kDataAlignment;
      const irpa::DataEntry whole = {
          entry,
          {plan.layout.offsets[i] - plan.header.storage.offset,
           parameter.length}};
      std::memcpy(table.data() + place, &whole, sizeof(whole));
    }
    place += entry.size;
  }
  return table;
}

absl::Status IrpaWriter::Put(std::span<const uint8_t> bytes) {
  written_ += bytes.size();
  return bytes.empty() ? absl::OkStatus() : sink_(bytes);
}

absl::Status IrpaWriter::PadTo(uint64_t offset) {
  const std::vector<uint8_t> zeros(
      std::min<uint64_t>(offset - written_, kChunk));
  while (written_ < offset) {
    RETURN_IF_ERROR(Put(std::span(zeros).first(
        std::min<uint64_t>(offset - written_, zeros.size()))));
  }
  return absl::OkStatus();
}

absl::Status IrpaWriter::PutText(const std::string& text) {
  return Put({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
}

absl::Status IrpaWriter::Write() {
  ASSIGN_OR_RETURN(const IrpaPlan plan, Plan());
  const irpa::Header& header = plan.header;
  RETURN_IF_ERROR(
      Put({reinterpret_cast<const uint8_t*>(&header), sizeof(header)}));
  RETURN_IF_ERROR(PadTo(header.entries.offset));
  RETURN_IF_ERROR(Put(CreateTable(plan)));
  for (const ParameterSource& parameter : parameters_) {
    RETURN_IF_ERROR(PutText(parameter.key));
    RETURN_IF_ERROR(PutText(parameter.metadata));
  }
  for (size_t i = 0; i < parameters_.size(); ++i) {
    if (parameters_[i].content == Content::kSplat) continue;
    RETURN_IF_ERROR(PadTo(plan.layout.offsets[i]));
    RETURN_IF_ERROR(WriteContents(
        parameters_[i],
        [this](std::span<const uint8_t> bytes) { return Put(bytes); }));
  }
  return PadTo(plan.layout.size);
}

}  // namespace

absl::Status WriteContents(const ParameterSource& parameter, ByteSink sink) {
  if (parameter.content == Content::kBytes) return sink(parameter.bytes);
  std::vector<uint8_t> chunk(std::min<uint64_t>(parameter.length, kChunk));
  for (size_t i = 0; i < chunk.size(); ++i) chunk[i] = parameter.splat.at(i);
  for (uint64_t left = parameter.length; left != 0;) {
    const uint64_t part = std::min<uint64_t>(left, chunk.size());
    RETURN_IF_ERROR(sink(std::span<const uint8_t>(chunk).first(part)));
    left -= part;
  }
  return absl::OkStatus();
}

absl::StatusOr<IrpaLayout> PlanIrpa(std::span<const ParameterSource> parameters,
                                    uint64_t alignment) {
  const auto ignore = [](std::span<const uint8_t>) { return absl::OkStatus(); };
  ASSIGN_OR_RETURN(IrpaPlan plan,
                   IrpaWriter(parameters, alignment, ignore).Plan());
  return std::move(plan.layout);
}

absl::Status WriteIrpa(std::span<const ParameterSource> parameters,
                       uint64_t alignment, ByteSink sink) {
  return IrpaWriter(parameters, alignment, sink).Write();
}

}  // namespace eyrie::hal
