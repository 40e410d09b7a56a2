// Reads the debug database of a module.
//
// Tested by module_def_test.cc.
#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/optional_field.h"
#include "flatbuffers/flatbuffers.h"
#include "vm/module/module_def.h"
#include "vm/module/module_generated.h"
#include "vm/module/older_code.h"

namespace eyrie::vm {
namespace {

// Limit for the steps that one instruction's location may take.
constexpr int kMaxLocationSteps = 256;

// Follows locations in the debug database. They may refer to any index, so a
// limit of steps ends cycles.
class LocationReader {
 public:
  explicit LocationReader(const fbs::DebugDatabase& debug)
      : debug_(debug),
        count_(
            std::min(Size(debug.locations()), Size(debug.locations_type()))) {}

  // Appends the source locations of an entry, innermost first.
  void Read(int32_t index, absl::string_view label);
  std::vector<SourceLocation> Take() { return std::move(found_); }

 private:
  template <typename T>
  const T& Get(int32_t index) {
    return *debug_.locations()->GetAs<T>(index);
  }
  void ReadNamed(const fbs::NamedLocation& named);
  void ReadFused(const fbs::FusedLocation& fused, absl::string_view label);

  const fbs::DebugDatabase& debug_;
  const uint32_t count_;
  int steps_left_ = kMaxLocationSteps;
  std::vector<SourceLocation> found_;
};

void LocationReader::Read(int32_t index, absl::string_view label) {
  if (index < 0 || static_cast<uint32_t>(index) >= count_) return;
  if (steps_left_ == 0) return;
  --steps_left_;
  switch (debug_.locations_type()->GetEnum<fbs::Location>(index)) {
    case fbs::Location::FileLocation: {
      const auto& file = Get<fbs::FileLocation>(index);
      found_.push_back(
          {View(file.filename()), file.line(), file.column(), label});
      return;
    }
    case fbs::Location::NamedLocation:
      return ReadNamed(Get<fbs::NamedLocation>(index));
    case fbs::Location::CallSiteLocation: {
      const auto& call = Get<fbs::CallSiteLocation>(index);
      Read(call.callee(), label);
      return Read(call.caller(), "");
    }
    case fbs::Location::FusedLocation:
      return ReadFused(Get<fbs::FusedLocation>(index), label);
    default:
      return;
  }
}

void LocationReader::ReadNamed(const fbs::NamedLocation& named) {
  size_t before = found_.size();
  Read(named.child(), View(named.name()));
  if (found_.size() == before) {
    found_.push_back({"", 0, 0, View(named.name())});
  }
}

// Several locations that became one instruction: uses the first known one.
void LocationReader::ReadFused(const fbs::FusedLocation& fused,
                               absl::string_view label) {
  size_t before = found_.size();
  for (uint32_t i = 0; i < Size(fused.locations()); ++i) {
    if (found_.size() != before || steps_left_ == 0) return;
    --steps_left_;  // counts missing locations, too
    Read(fused.locations()->Get(i), label);
  }
}

// Returns where the decoded code has an entry of a source map; nullopt:
// nowhere.
std::optional<uint32_t> PlaceOf(const fbs::InstructionLocation& entry,
                                uint32_t function, const OlderCode* code) {
  if (entry.bytecode_offset() < 0) return std::nullopt;
  const auto offset = static_cast<uint32_t>(entry.bytecode_offset());
  return code == nullptr ? offset : code->OffsetOf(function, offset);
}

}  // namespace

size_t ModuleDef::location_count() const {
  return debug_ == nullptr ? 0 : Size(debug_->locations());
}

std::vector<std::pair<uint32_t, int32_t>> ModuleDef::LocationsOf(
    uint32_t function) const {
  std::vector<std::pair<uint32_t, int32_t>> entries;
  const std::optional<uint32_t> map = SourceMapOf(function);
  if (!map) return entries;
  const auto* list = debug_->functions()->Get(*map)->locations();
  for (uint32_t i = 0; i < Size(list); ++i) {
    const fbs::InstructionLocation* entry = list->Get(i);
    const auto place = PlaceOf(*entry, function, older_code_.get());
    if (place) entries.emplace_back(*place, entry->location());
  }
  std::stable_sort(
      entries.begin(), entries.end(),
      [](const auto& a, const auto& b) { return a.first < b.first; });
  return entries;
}

std::vector<SourceLocation> ModuleDef::FindLocations(uint32_t function,
                                                     uint32_t offset) const {
  // Allocates nothing: it also runs when memory is short.
  const std::optional<uint32_t> map = SourceMapOf(function);
  if (!map) return {};
  const auto* list = debug_->functions()->Get(*map)->locations();
  std::optional<uint32_t> best;
  int32_t location = 0;
  for (uint32_t i = 0; i < Size(list); ++i) {
    const auto place = PlaceOf(*list->Get(i), function, older_code_.get());
    if (!place || *place > offset || (best && *place < *best)) continue;
    best = place;
    location = list->Get(i)->location();
  }
  return best ? ReadLocation(location) : std::vector<SourceLocation>();
}

std::vector<SourceLocation> ModuleDef::ReadLocation(int32_t location) const {
  if (debug_ == nullptr) return {};
  LocationReader reader(*debug_);
  reader.Read(location, "");
  return reader.Take();
}

std::string SourceLocation::ToString(size_t most) const {
  // Truncated, since every instruction may refer to the same long text.
  std::string place =
      file.empty() ? std::string("?")
                   : absl::StrCat(file.substr(0, most), ":", line, ":", column);
  return name.empty() ? place
                      : absl::StrCat(name.substr(0, most), " (", place, ")");
}

}  // namespace eyrie::vm
