// What a file has besides its content: owner, mode and extended attributes,
// such as access lists and security labels.
//
// Tested by file_writer_test.cc.
#ifndef EYRIE_BASE_FILE_ATTRIBUTES_H_
#define EYRIE_BASE_FILE_ATTRIBUTES_H_

namespace eyrie {

// Gives one open file the attributes of another. Returns false if the system
// refuses one of them; then the file may have some.
bool CopyAttributes(int from, int to);

}  // namespace eyrie

#endif  // EYRIE_BASE_FILE_ATTRIBUTES_H_
