// Parameters: named bytes outside a module, for example a model's weights.
//
// A module names them by a scope, which may be empty, and a key. A scope's
// index has the entries of one or several files.
// Tested by parameters_test.cc.
#ifndef EYRIE_HAL_PARAMETERS_PARAMETER_INDEX_H_
#define EYRIE_HAL_PARAMETERS_PARAMETER_INDEX_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/ref.h"
#include "hal/parameters/parameter_entry.h"
#include "hal/parameters/parameter_file.h"

namespace eyrie::hal {

// A parameter with its file, which is null for a splat.
struct Parameter : ParameterEntry {
  Ref<ParameterFile> file;
  bool is_hidden = false;  // a file that was added before has the same key

  // Returns the bytes in the file; empty for a splat, and if a function reads
  // the file.
  std::span<const uint8_t> bytes() const;
};

// The parameters of one scope. Thread-compatible.
class ParameterIndex {
 public:
  // Adds a file's entries; this invalidates pointers from Find. Keys of files
  // that were added before hide those of this one. ALREADY_EXISTS: the file has
  // a key twice. OUT_OF_RANGE: an entry exceeds the file. RESOURCE_EXHAUSTED:
  // out of memory. On error, nothing is added.
  absl::Status Add(std::vector<ParameterEntry> entries,
                   const Ref<ParameterFile>& file);

  // Returns the parameter, or null if there is none.
  const Parameter* Find(absl::string_view key) const;
  // Returns the parameters in the order in which they were added, with those
  // that are hidden.
  const std::vector<Parameter>& parameters() const { return parameters_; }

 private:
  // Inserts the parameters from index `first` on into by_key_, and hides those
  // with keys from before. ALREADY_EXISTS: two of them have the same key.
  absl::Status Sort(size_t first);

  std::vector<Parameter> parameters_;
  std::vector<size_t> by_key_;  // indices, ascending by key, then by index
};

// A program's parameters: an index per scope.
class ParameterScopes {
 public:
  // Adds a file of any known format to a scope. Returns the errors of
  // ParameterFile::Open, ParseParameters and ParameterIndex::Add; the last two
  // with the path.
  absl::Status AddFile(absl::string_view scope, const std::string& path,
                       ParameterFile::Mode mode,
                       const PreloadLimits& limits = {});
  // Adds the parameters in a file of any known format. Returns the errors of
  // ParseParameters and ParameterIndex::Add, with the path.
  absl::Status AddParsed(absl::string_view scope,
                         const Ref<ParameterFile>& file);
  // Adds a whole file as one parameter. Returns the errors of
  // ParameterIndex::Add.
  absl::Status AddWhole(absl::string_view scope, absl::string_view key,
                        const Ref<ParameterFile>& file);
  // Adds a file as above, named by `text`: "path", "scope=path" or, for a path
  // with a '=' and no scope, "=path". INVALID_ARGUMENT also: no path.
  absl::Status AddFile(absl::string_view text, ParameterFile::Mode mode,
                       const PreloadLimits& limits = {});
  // Returns the index of a scope, which is created if it is new. Creating
  // another scope invalidates the reference.
  ParameterIndex& scope(absl::string_view name);

  // NOT_FOUND: the message lists the scopes or suggests similar keys.
  // UNIMPLEMENTED: the parameter has a fault.
  absl::StatusOr<const Parameter*> Find(absl::string_view scope,
                                        absl::string_view key) const;
  // Returns the names of scopes and their indices, in the order in which they
  // were first named.
  const std::vector<std::pair<std::string, ParameterIndex>>& scopes() const {
    return scopes_;
  }

 private:
  std::vector<std::pair<std::string, ParameterIndex>> scopes_;
  std::map<std::string, size_t> by_name_;  // places in scopes_
};

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_PARAMETERS_PARAMETER_INDEX_H_
