// The fake compiler of testing/fake_compiler.cc, and the processes that tests
// start with it.
#ifndef EYRIE_PLUGINS_PJRT_COMPILER_TESTING_FAKE_LIBRARY_H_
#define EYRIE_PLUGINS_PJRT_COMPILER_TESTING_FAKE_LIBRARY_H_

#include <dirent.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

namespace eyrie::pjrt {

inline std::string FakeLibrary() {
  char* const folder = getcwd(nullptr, 0);
  std::string path = folder;
  std::free(folder);
  return path + "/plugins/pjrt/compiler/testing/libIREECompiler.so";
}

// Returns the state of a process, such as 'S' or 'Z', and its parent. The state
// is 0 if there is no such process.
struct ProcessState {
  char state = 0;
  int parent = 0;
};
inline ProcessState StateOf(int process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string text;
  std::getline(file, text);
  ProcessState state;
  const size_t end = text.rfind(')');
  if (end == std::string::npos) return state;
  std::istringstream rest(text.substr(end + 1));
  rest >> state.state >> state.parent;
  return state;
}

// Returns the IDs of this process's children, without those that have ended.
inline std::set<int> ChildProcesses() {
  std::set<int> children;
  DIR* const list = opendir("/proc");
  if (list == nullptr) return children;
  while (const dirent* const each = readdir(list)) {
    const int id = std::atoi(each->d_name);
    if (id <= 0) continue;
    const ProcessState state = StateOf(id);
    if (state.parent == getpid() && state.state != 'Z') children.insert(id);
  }
  closedir(list);
  return children;
}

// Returns how many threads a process has, with one that has ended before
// others.
inline int ThreadsOf(int process) {
  DIR* const list =
      opendir(("/proc/" + std::to_string(process) + "/task").c_str());
  if (list == nullptr) return 0;
  int count = 0;
  while (const dirent* const each = readdir(list)) {
    if (each->d_name[0] != '.') ++count;
  }
  closedir(list);
  return count;
}

// Waits up to ten seconds until a process has ended. Reports whether it has.
inline bool Ends(int process) {
  for (int i = 0; i < 1000; ++i) {
    const char state = StateOf(process).state;
    // Its files are open until its last thread ends.
    if (state == 0 || (state == 'Z' && ThreadsOf(process) <= 1)) return true;
    usleep(10'000);
  }
  return false;
}

}  // namespace eyrie::pjrt

#endif  // EYRIE_PLUGINS_PJRT_COMPILER_TESTING_FAKE_LIBRARY_H_
