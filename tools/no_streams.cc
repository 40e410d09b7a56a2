// The program without the standard streams.
//
// Abseil's <absl/status/status.h> of Debian 12 includes <iostream>, so every
// file asks for std::cout and its seven kin before main, with their locales:
// some 30 microseconds of every start. Nothing here writes to them, and a
// program that defines their initialiser gets none. A file that comes to need
// them (Google Benchmark does, in a program of its own) will print nothing:
// print with stdio.
#include <ios>

namespace std {

ios_base::Init::Init() {}
ios_base::Init::~Init() {}

}  // namespace std
