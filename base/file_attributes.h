// Copies a file's owner, mode and extended attributes, which include access
// lists and security labels.
//
// Tested by file_writer_test.cc.
#ifndef EYRIE_BASE_FILE_ATTRIBUTES_H_
#define EYRIE_BASE_FILE_ATTRIBUTES_H_

namespace eyrie {

// Copies the attributes of the open file `from` to the open file `to`. Returns
// false if the system refuses one of them; some may have been copied.
bool CopyAttributes(int from, int to);

}  // namespace eyrie

#endif  // EYRIE_BASE_FILE_ATTRIBUTES_H_
