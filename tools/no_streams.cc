// The program without C++'s streams.
//
// Nothing here reads or writes by them, but parts of Debian's Abseil can, and
// these would bring the streams' code, their locales and the C library's wide
// characters into the program: a tenth of its size. Where those names are
// defined, the linker leaves all that out. A file that comes to need streams
// will not link, for a name that is defined twice or nowhere, or ends the
// process with a sentence: print with stdio. Google Benchmark has streams, in a
// program of its own.
#include <cstdio>
#include <cstdlib>
#include <ios>

// What Abseil's objects name of libstdc++: functions, and tables that only the
// constructors of streams read.
#define EYRIE_STREAM_NAMES(X)                                            \
  X("_ZNKSt5ctypeIcE13_M_widen_initEv")                                  \
  X("_ZNSo3putEc")                                                       \
  X("_ZNSo5writeEPKcl")                                                  \
  X("_ZNSo6sentryC1ERSo")                                                \
  X("_ZNSo6sentryD1Ev")                                                  \
  X("_ZNSo9_M_insertImEERSoT_")                                          \
  X("_ZNSolsEi")                                                         \
  X("_ZNSt6localeC1Ev")                                                  \
  X("_ZNSt6localeD1Ev")                                                  \
  X("_ZNSt7__cxx1119basic_ostringstreamIcSt11char_traitsIcESaIcEED1Ev")  \
  X("_ZNSt8ios_baseC2Ev")                                                \
  X("_ZNSt8ios_baseD2Ev")                                                \
  X("_ZNSt9basic_iosIcSt11char_traitsIcEE4initEPSt15basic_streambufIcS1" \
    "_E")                                                                \
  X("_ZNSt9basic_iosIcSt11char_traitsIcEE5clearESt12_Ios_Iostate")       \
  X("_ZSt16__ostream_insertIcSt11char_traitsIcEERSt13basic_ostreamIT_T0" \
    "_ES6_PKS3_l")                                                       \
  X("_ZTTNSt7__cxx1119basic_ostringstreamIcSt11char_traitsIcESaIcEEE")   \
  X("_ZTVNSt7__cxx1115basic_stringbufIcSt11char_traitsIcESaIcEEE")       \
  X("_ZTVNSt7__cxx1119basic_ostringstreamIcSt11char_traitsIcESaIcEEE")   \
  X("_ZTVSt15basic_streambufIcSt11char_traitsIcEE")                      \
  X("_ZTVSt9basic_iosIcSt11char_traitsIcEE")

extern "C" {

[[noreturn, gnu::used]] void EyrieHasNoStreams() {
  std::fputs("eyrie: a C++ stream is used, and the tool has none.\n", stderr);
  std::abort();
}

}  // extern "C"

#define EYRIE_ALIAS(name) \
  ".globl " name "\n.hidden " name "\n.set " name ", EyrieHasNoStreams\n"
__asm__(EYRIE_STREAM_NAMES(EYRIE_ALIAS));

namespace std {

// Abseil's <absl/status/status.h> includes <iostream>, whose files ask for
// std::cout and its seven kin before main.
ios_base::Init::Init() {}
ios_base::Init::~Init() {}

}  // namespace std
