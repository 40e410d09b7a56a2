#include "hal/parameters/parameter_index.h"

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/allocate.h"
#include "base/checked_math.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "base/suggest.h"
#include "hal/parameters/parameter_formats.h"

namespace eyrie::hal {
namespace {

// Limits of the keys that are compared for a suggestion, and of their length.
constexpr size_t kMaxSuggestions = 1024;
constexpr size_t kMaxHint = 300;

// Returns the error for a key that is not in an index.
absl::Status NoSuchKey(absl::string_view scope, absl::string_view key,
                       const ParameterIndex& index) {
  std::vector<std::string> keys;
  for (const Parameter& parameter : index.parameters()) {
    if (keys.size() == kMaxSuggestions || key.size() >= kMaxHint) break;
    if (parameter.key.size() < kMaxHint) keys.push_back(parameter.key);
  }
  return absl::NotFoundError(absl::StrCat(
      "There is no parameter ", QuotedName(key), " among the ",
      index.parameters().size(), " of the scope ", QuotedName(scope), ".",
      PlainText(DidYouMean(key, keys), kMaxHint)));
}

}  // namespace

std::span<const uint8_t> Parameter::bytes() const {
  const FileOffset* begin = std::get_if<FileOffset>(&storage);
  if (begin == nullptr || file->reader()) return {};
  return file->bytes().subspan(begin->offset, length);
}

absl::Status ParameterIndex::Add(std::vector<ParameterEntry> entries,
                                 const Ref<ParameterFile>& file) {
  const size_t first = parameters_.size();
  RETURN_IF_ERROR(ReserveMore(parameters_, entries.size(), kParameterEntries));
  RETURN_IF_ERROR(ReserveMore(by_key_, entries.size(), kParameterEntries));
  for (const ParameterEntry& entry : entries) {
    const FileOffset* begin = std::get_if<FileOffset>(&entry.storage);
    if (begin != nullptr &&
        !RangeFits(begin->offset, entry.length, file->size())) {
      return absl::OutOfRangeError(
          absl::StrCat("Parameter ", QuotedName(entry.key), " has ",
                       entry.length, " bytes at offset ", begin->offset, "; ",
                       file->path(), " has ", file->size(), "."));
    }
  }
  for (ParameterEntry& entry : entries) {
    const bool splat = std::holds_alternative<Splat>(entry.storage);
    parameters_.push_back(
        {std::move(entry), splat ? Ref<ParameterFile>() : file});
  }
  absl::Status status = Sort(first);
  if (!status.ok()) {
    parameters_.erase(parameters_.begin() + static_cast<ptrdiff_t>(first),
                      parameters_.end());
    std::erase_if(by_key_, [first](size_t index) { return index >= first; });
  }
  return status;
}

absl::Status ParameterIndex::Sort(size_t first) {
  const auto precedes = [this](size_t a, size_t b) {
    const int order = parameters_[a].key.compare(parameters_[b].key);
    return order < 0 || (order == 0 && a < b);
  };
  for (size_t i = first; i < parameters_.size(); ++i) by_key_.push_back(i);
  const auto added = by_key_.begin() + static_cast<ptrdiff_t>(first);
  std::sort(added, by_key_.end(), precedes);
  std::inplace_merge(by_key_.begin(), added, by_key_.end(), precedes);
  // Name the first of the duplicate keys.
  size_t second = parameters_.size();
  for (size_t i = 1; i < by_key_.size(); ++i) {
    Parameter& parameter = parameters_[by_key_[i]];
    if (parameter.key != parameters_[by_key_[i - 1]].key) continue;
    parameter.is_hidden = true;
    if (by_key_[i - 1] >= first) second = std::min(second, by_key_[i]);
  }
  if (second == parameters_.size()) return absl::OkStatus();
  return absl::AlreadyExistsError(
      absl::StrCat("Parameter ", QuotedName(parameters_[second].key),
                   " occurs twice in one file."));
}

const Parameter* ParameterIndex::Find(absl::string_view key) const {
  const auto found =
      std::lower_bound(by_key_.begin(), by_key_.end(), key,
                       [this](size_t index, absl::string_view wanted) {
                         return parameters_[index].key < wanted;
                       });
  const bool is_it = found != by_key_.end() && parameters_[*found].key == key;
  return is_it ? &parameters_[*found] : nullptr;
}

ParameterIndex& ParameterScopes::scope(absl::string_view name) {
  const auto [place, is_new] =
      by_name_.emplace(std::string(name), scopes_.size());
  if (is_new) scopes_.emplace_back(std::string(name), ParameterIndex());
  return scopes_[place->second].second;
}

absl::Status ParameterScopes::AddFile(absl::string_view scope,
                                      const std::string& path,
                                      ParameterFile::Mode mode,
                                      const PreloadLimits& limits) {
  ASSIGN_OR_RETURN(const Ref<ParameterFile> file,
                   ParameterFile::Open(path, mode, limits));
  return AddParsed(scope, file);
}

absl::Status ParameterScopes::AddParsed(absl::string_view scope,
                                        const Ref<ParameterFile>& file) {
  absl::StatusOr<std::vector<ParameterEntry>> entries =
      ParseParameters(file->bytes(), file->path());
  absl::Status status = entries.status();
  if (entries.ok()) {
    status = this->scope(scope).Add(*std::move(entries), file);
  }
  return Annotate(status, absl::StrCat("(parameter file ", file->path(), ")"));
}

absl::Status ParameterScopes::AddWhole(absl::string_view scope,
                                       absl::string_view key,
                                       const Ref<ParameterFile>& file) {
  ParameterEntry entry;
  entry.key = std::string(key);
  entry.length = file->size();
  entry.storage = FileOffset{0};
  std::vector<ParameterEntry> entries;
  entries.push_back(std::move(entry));
  return this->scope(scope).Add(std::move(entries), file);
}

absl::Status ParameterScopes::AddFile(absl::string_view text,
                                      ParameterFile::Mode mode,
                                      const PreloadLimits& limits) {
  const size_t equals = text.find('=');
  if (text.empty() || equals + 1 == text.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat(QuotedName(text), " does not name a parameter file."));
  }
  const size_t path = equals == text.npos ? 0 : equals + 1;
  const absl::string_view scope = text.substr(0, path == 0 ? 0 : equals);
  absl::Status status =
      AddFile(scope, std::string(text.substr(path)), mode, limits);
  if (scope.empty() || !absl::IsNotFound(status) ||
      access(std::string(text).c_str(), F_OK) != 0) {
    return status;
  }
  return Annotate(status, absl::StrCat("The scope is ", QuotedName(scope),
                                       "; a path with a '=' is given as '=",
                                       PlainPath(text), "'."));
}

absl::StatusOr<const Parameter*> ParameterScopes::Find(
    absl::string_view scope, absl::string_view key) const {
  const auto place = by_name_.find(std::string(scope));
  if (place != by_name_.end()) {
    const ParameterIndex& index = scopes_[place->second].second;
    const Parameter* found = index.Find(key);
    if (found == nullptr) return NoSuchKey(scope, key, index);
    if (found->fault.ok()) return found;
    return Annotate(found->fault,
                    absl::StrCat("(parameter file ", found->file->path(), ")"));
  }
  std::string there;
  for (const auto& [name, unused] : scopes_) {
    absl::StrAppend(&there, there.empty() ? "" : ", ", QuotedName(name));
  }
  return absl::NotFoundError(absl::StrCat(
      "There are no parameters of the scope ", QuotedName(scope), "; ",
      there.empty() ? "none are given" : absl::StrCat("given scopes: ", there),
      " (--parameters=",
      scope.empty() ? "" : absl::StrCat(PlainText(scope, kMaxHint), "="),
      "FILE)."));
}

}  // namespace eyrie::hal
