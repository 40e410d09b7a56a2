// Constants of the ZIP format.
#ifndef EYRIE_BASE_ZIP_FORMAT_H_
#define EYRIE_BASE_ZIP_FORMAT_H_

#include <cstddef>
#include <cstdint>

namespace eyrie::zip {

inline constexpr uint32_t kLocalSignature = 0x04034b50;
inline constexpr uint32_t kCentralSignature = 0x02014b50;
inline constexpr uint32_t kEndSignature = 0x06054b50;
inline constexpr uint32_t kEnd64Signature = 0x06064b50;
inline constexpr uint32_t kLocator64Signature = 0x07064b50;
inline constexpr size_t kLocalSize = 30;
inline constexpr size_t kCentralSize = 46;
inline constexpr size_t kEndSize = 22;
inline constexpr size_t kEnd64Size = 56;
inline constexpr size_t kLocator64Size = 20;
inline constexpr uint32_t kFull32 = 0xFFFFFFFF;
inline constexpr uint16_t kFull16 = 0xFFFF;
inline constexpr uint16_t kZip64Field = 1;
inline constexpr uint16_t kPaddingField = 0xD935;  // as Android's zipalign uses

}  // namespace eyrie::zip

#endif  // EYRIE_BASE_ZIP_FORMAT_H_
