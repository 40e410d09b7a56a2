// Reads and writes the note that holds a library's manifest: section
// .note.eyrie.abi, owner "EYRIE", type 1.
//
// The note is part of the linked file, so it always matches the library. It is
// read from the file's bytes before any code of the library runs. Every offset
// is checked.
// Tested by manifest_test.cc, tests/fuzz/native_fuzz.cc.
#ifndef EYRIE_ABI_NATIVE_ELF_NOTE_H_
#define EYRIE_ABI_NATIVE_ELF_NOTE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace eyrie::native {

// Checks the headers of a library. INVALID_ARGUMENT: not a shared library, or
// damaged. UNIMPLEMENTED: the library is for another machine. The messages name
// the path.
absl::Status CheckNativeElf(std::span<const uint8_t> bytes,
                            absl::string_view path);

// Reports whether the bytes begin with the ELF magic number.
bool IsElf(std::span<const uint8_t> bytes);

// Returns the note's text, a view of `bytes`, or nullopt if there is no note.
// The library may be for any 64-bit machine. INVALID_ARGUMENT: the file is
// damaged, or has two such notes.
absl::StatusOr<std::optional<absl::string_view>> FindAbiNote(
    std::span<const uint8_t> bytes, absl::string_view path);

// Returns a relocatable object file for this machine that contains only the
// note. Linked into a library, it provides the library's manifest.
std::string CreateNoteObject(absl::string_view manifest);

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_ELF_NOTE_H_
