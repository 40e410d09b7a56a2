// Sets of parameters of the C API.
//
// Tested by runtime_parameters_test.cc.
#include "eyrie/c_parameters.h"

#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "abi/c/c_handles.h"
#include "abi/c/c_options.h"
#include "abi/c/host_call.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/mapped_file.h"
#include "base/status_macros.h"
#include "hal/parameters/parameter_file.h"
#include "hal/parameters/parameter_index.h"

namespace eyrie::abi {
namespace {

using hal::ParameterFile;

absl::string_view ScopeOf(const char* scope) {
  return scope == nullptr ? "" : scope;
}

// Returns the scopes for adding; a copy if contexts use them.
hal::ParameterScopes& Changeable(eyrie_parameters_t& parameters) {
  if (parameters.scopes.use_count() > 1) {
    parameters.scopes =
        std::make_shared<hal::ParameterScopes>(*parameters.scopes);
  }
  return *parameters.scopes;
}

absl::Status AddFile(eyrie_parameters_t& parameters, const char* scope,
                     const char* path) {
  if (path == nullptr) {
    return absl::InvalidArgumentError(
        "The path of the parameter file is NULL.");
  }
  return Changeable(parameters)
      .AddFile(ScopeOf(scope), path, ParameterFile::Mode::kMapped);
}

absl::Status AddDescriptor(eyrie_parameters_t& parameters, const char* scope,
                           int descriptor, uint64_t offset, uint64_t size) {
  ASSIGN_OR_RETURN(std::shared_ptr<const MappedFile> file,
                   MapDescriptor(descriptor, offset, size));
  return Changeable(parameters)
      .AddParsed(ScopeOf(scope), ParameterFile::OfMapping(std::move(file)));
}

// Memory of the host with parameters, and how devices use it.
struct GivenMemory {
  std::span<const uint8_t> bytes;
  eyrie_memory_use_t use;
  void (*release)(void* user);
  void* user;
};

// Adds memory by `add(scopes, file)`.
template <typename F>
absl::Status AddMemory(eyrie_parameters_t& parameters, const GivenMemory& given,
                       F add) {
  auto loan = std::make_shared<Loan>(given.release, given.user);
  RETURN_IF_ERROR(CheckUse(given.use));
  return add(Changeable(parameters),
             ParameterFile::Borrow(given.bytes, std::move(loan), "in memory",
                                   given.use == EYRIE_MEMORY_LEND_CONST));
}

absl::Status AddReader(eyrie_parameters_t& parameters, const char* scope,
                       const char* key, uint64_t size,
                       eyrie_read_parameter_t read, void* user,
                       void (*free_user)(void* user)) {
  auto loan = std::make_shared<Loan>(free_user, user);
  const auto file = ParameterFile::OfReader(
      size,
      [read, user, loan](uint64_t offset, std::span<uint8_t> target) {
        eyrie_error_t* const error =
            read(offset, target.data(), target.size(), user);
        return error == nullptr ? absl::OkStatus() : TakeHostError(error);
      },
      "a function of the host");
  return Changeable(parameters).AddWhole(ScopeOf(scope), key, file);
}

}  // namespace
}  // namespace eyrie::abi

namespace abi = eyrie::abi;

eyrie_parameters_t* eyrie_parameters_create(void) {
  return new eyrie_parameters_t();
}

void eyrie_parameters_retain(eyrie_parameters_t* parameters) {
  abi::Retain(parameters);
}

void eyrie_parameters_release(eyrie_parameters_t* parameters) {
  abi::Release(parameters);
}

eyrie_error_t* eyrie_parameters_add_file(eyrie_parameters_t* parameters,
                                         const char* scope, const char* path) {
  return abi::CreateError(abi::AddFile(*parameters, scope, path));
}

eyrie_error_t* eyrie_parameters_add_descriptor(eyrie_parameters_t* parameters,
                                               const char* scope,
                                               int descriptor, uint64_t offset,
                                               uint64_t size) {
  return abi::CreateError(
      abi::AddDescriptor(*parameters, scope, descriptor, offset, size));
}

eyrie_error_t* eyrie_parameters_add_memory(eyrie_parameters_t* parameters,
                                           const char* scope, const void* data,
                                           size_t size, eyrie_memory_use_t use,
                                           void (*release)(void* user),
                                           void* user) {
  return abi::CreateError(abi::AddMemory(
      *parameters,
      {{static_cast<const uint8_t*>(data), size}, use, release, user},
      [scope](auto& scopes, const auto& file) {
        return scopes.AddParsed(abi::ScopeOf(scope), file);
      }));
}

eyrie_error_t* eyrie_parameters_add_bytes(eyrie_parameters_t* parameters,
                                          const char* scope, const char* key,
                                          const void* data, size_t size,
                                          eyrie_memory_use_t use,
                                          void (*release)(void* user),
                                          void* user) {
  return abi::CreateError(abi::AddMemory(
      *parameters,
      {{static_cast<const uint8_t*>(data), size}, use, release, user},
      [scope, key](auto& scopes, const auto& file) {
        return scopes.AddWhole(abi::ScopeOf(scope), key, file);
      }));
}

eyrie_error_t* eyrie_parameters_add_reader(eyrie_parameters_t* parameters,
                                           const char* scope, const char* key,
                                           uint64_t size,
                                           eyrie_read_parameter_t read,
                                           void* user,
                                           void (*free_user)(void* user)) {
  return abi::CreateError(
      abi::AddReader(*parameters, scope, key, size, read, user, free_user));
}
