// Parameters: named bytes outside a module, such as a model's weights, and
// where they lie.
//
// A module asks for them by a scope, which may be empty, and a key. A scope's
// index holds the entries of one or several files.
// Tested by parameters_test.cc.
#ifndef EYRIE_HAL_PARAMETERS_PARAMETER_INDEX_H_
#define EYRIE_HAL_PARAMETERS_PARAMETER_INDEX_H_

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/ref.h"
#include "hal/parameters/parameter_file.h"

namespace eyrie::hal {

// A key or scope as messages have it: in quotes, shortened, without control
// characters.
std::string QuotedName(absl::string_view name);

// A few bytes repeated: an entry that takes no room in a file.
struct Splat {
  std::array<uint8_t, 16> pattern = {};
  uint8_t length = 1;  // bytes of the pattern: 1, 2, 4, 8 or 16

  // The byte at a place of the entry.
  uint8_t at(uint64_t offset) const { return pattern[offset % length]; }
};

// Where an entry begins in its file, in bytes.
struct FileOffset {
  uint64_t offset = 0;
};

// One parameter as a file's tables have it.
struct ParameterEntry {
  std::string key;
  std::string metadata;  // "f32[2x3]", or what the file carries; may be empty
  uint64_t length = 0;   // bytes
  std::variant<FileOffset, Splat> storage;
};

// The same with its file, which is null for a splat.
struct Parameter : ParameterEntry {
  Ref<ParameterFile> file;

  // The bytes in the file; none of a splat.
  std::span<const uint8_t> bytes() const;
};

// The parameters of one scope. Thread-compatible; const calls may be shared.
class ParameterIndex {
 public:
  // Adds a file's entries, after which those that were found before may be
  // elsewhere. ALREADY_EXISTS: a key is there. OUT_OF_RANGE: an entry passes
  // the end of the file. RESOURCE_EXHAUSTED: no memory. Each way nothing is
  // added.
  absl::Status Add(std::vector<ParameterEntry> entries,
                   const Ref<ParameterFile>& file);

  // Null: there is none.
  const Parameter* Find(absl::string_view key) const;
  // In the order they were added.
  const std::vector<Parameter>& parameters() const { return parameters_; }

 private:
  // Puts the parameters from `first` on in their places in by_key_.
  // ALREADY_EXISTS: a key is there twice.
  absl::Status Sort(size_t first);

  std::vector<Parameter> parameters_;
  std::vector<size_t> by_key_;  // their indices, by ascending key
};

// Indices by scope: what a program's parameters come from.
class ParameterScopes {
 public:
  // Reads a file of any known format into a scope. INVALID_ARGUMENT,
  // OUT_OF_RANGE or UNIMPLEMENTED: what parameter_formats.h says of it, with
  // the path; else as ParameterFile::Open and ParameterIndex::Add.
  absl::Status AddFile(absl::string_view scope, const std::string& path,
                       ParameterFile::Mode mode,
                       const PreloadLimits& limits = {});
  // "path" or "scope=path". INVALID_ARGUMENT also: no path.
  absl::Status AddFile(absl::string_view text, ParameterFile::Mode mode,
                       const PreloadLimits& limits = {});
  ParameterIndex& scope(absl::string_view name);

  // NOT_FOUND names what there is instead.
  absl::StatusOr<const Parameter*> Find(absl::string_view scope,
                                        absl::string_view key) const;
  // By scope, ascending.
  const std::map<std::string, ParameterIndex>& scopes() const {
    return scopes_;
  }

 private:
  std::map<std::string, ParameterIndex> scopes_;
};

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_PARAMETERS_PARAMETER_INDEX_H_
