// The note in a library that says what its functions are: its manifest, in the
// section .note.eyrie.abi, owner "EYRIE", type 1.
//
// A note is part of what the linker made, so that it cannot get lost or be of
// another library. It is read from the file's bytes, before any of its code
// runs; every offset in them is checked.
// Tested by manifest_test.cc, native_fuzz.cc.
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

// INVALID_ARGUMENT: not a shared library, or damaged. UNIMPLEMENTED: one of
// another machine. The sentences name the path.
absl::Status CheckNativeElf(std::span<const uint8_t> bytes,
                            absl::string_view path);

// True if the bytes begin as an ELF file does.
bool IsElf(std::span<const uint8_t> bytes);

// The note's text, a view of the bytes of a library of any 64-bit machine;
// nullopt: it has none. INVALID_ARGUMENT: a damaged file, or two such notes.
absl::StatusOr<std::optional<absl::string_view>> FindAbiNote(
    std::span<const uint8_t> bytes, absl::string_view path);

// A relocatable object file of this machine that holds nothing but the note:
// linked into a library, it is the library's manifest.
std::string CreateNoteObject(absl::string_view manifest);

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_ELF_NOTE_H_
