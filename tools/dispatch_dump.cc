#include "tools/dispatch_dump.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "abi/tensor/npy.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/file_appender.h"
#include "base/file_writer.h"
#include "base/folders.h"
#include "base/glob.h"
#include "base/json.h"
#include "base/name_list.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "base/suggest.h"
#include "tools/command.h"
#include "tools/limit_flags.h"
#include "tools/usage_error.h"

namespace eyrie::tools {
namespace {

constexpr uint64_t kMaxFiles = 100000;
constexpr size_t kMaxFileName = 120;            // bytes of a name in it
constexpr uint64_t kPiece = uint64_t{1} << 20;  // bytes read at a time
constexpr char kListName[] = "/dispatches.jsonl";
constexpr size_t kMaxSuggestion = 65536;  // bytes

constexpr Flag kFlags[] = {
    Heading("Dispatches"),
    {"dump_dispatch", FlagKind::kList, "",
     "Writes the bindings of dispatches with this name, before and after each "
     "of\n"
     "them runs, as .npy files of bytes. '*' matches any text and '?' any\n"
     "character. Dispatches then run one after another, on any device. Code "
     "that\n"
     "is compiled for inline-static has no dispatches."},
    {"dump_dispatch_to", FlagKind::kString, "dispatches",
     "The folder for these files. It is created if it is missing, and must not "
     "have\n"
     "those of another run."},
    {"dump_dispatch_limit", FlagKind::kString, "1GiB",
     "Limit of the bytes that are written there. A run that exceeds it fails."},
};

// Returns a name with only characters that every file system takes.
std::string FileName(absl::string_view name) {
  std::string text(name.substr(0, kMaxFileName));
  for (char& c : text) {
    if (!absl::ascii_isalnum(c) && c != '-') c = '_';
  }
  return text;
}

std::string HeaderOf(uint64_t length) {
  hal::TensorType spec;
  spec.element = hal::ElementType::kUint8;
  spec.shape.push_back(static_cast<int64_t>(length));
  return abi::NpyHeader(spec);
}

// Copies the buffer's bytes to a file.
absl::Status Copy(hal::Buffer& from, FileWriter& to) {
  const uint64_t length = from.byte_length();
  std::vector<uint8_t> piece(std::min(length, kPiece));
  for (uint64_t done = 0; done < length; done += piece.size()) {
    piece.resize(std::min<uint64_t>(length - done, kPiece));
    RETURN_IF_ERROR(from.Read(done, piece));
    RETURN_IF_ERROR(to.Write(piece));
  }
  return absl::OkStatus();
}

}  // namespace

std::span<const Flag> DispatchDumpFlags() { return kFlags; }

absl::Status CheckDispatchName(const std::set<std::string>& names,
                               const std::string& pattern) {
  const auto matches = [&](const std::string& name) {
    return MatchesPattern(name, pattern);
  };
  if (std::any_of(names.begin(), names.end(), matches)) return absl::OkStatus();
  if (names.empty()) {
    return absl::NotFoundError(
        absl::StrCat("No dispatch is named '", PlainName(pattern),
                     "': the program has loaded no executables."));
  }
  const std::vector<std::string> list(names.begin(), names.end());
  return absl::NotFoundError(
      absl::StrCat("No dispatch is named '", PlainName(pattern), "'.",
                   PlainText(DidYouMean(pattern, list), kMaxSuggestion),
                   " The dispatches are: ", QuotedNames(list), "."));
}

absl::StatusOr<std::unique_ptr<DispatchDump>> DispatchDump::Open(
    const Arguments& arguments) {
  if (!arguments.IsSet("dump_dispatch")) {
    for (const char* flag : {"dump_dispatch_to", "dump_dispatch_limit"}) {
      if (!arguments.IsSet(flag)) continue;
      return UsageError(absl::StrCat("--", flag, " needs --dump_dispatch."));
    }
    return nullptr;
  }
  if (arguments.IsSet("batch")) {
    return UsageError("--dump_dispatch cannot be combined with --batch.");
  }
  for (const std::string& pattern : arguments.GetList("dump_dispatch")) {
    if (pattern.empty())
      return UsageError("--dump_dispatch= names no dispatch.");
  }
  uint64_t room = 0;
  RETURN_IF_ERROR(ReadSize(arguments, "dump_dispatch_limit", room));
  const std::string& folder = arguments.GetString("dump_dispatch_to");
  if (folder.empty()) return UsageError("--dump_dispatch_to names no folder.");
  const std::string list = absl::StrCat(folder, kListName);
  if (IsRegularFile(list)) {
    return absl::FailedPreconditionError(absl::StrCat(
        "--dump_dispatch_to='", folder,
        "' has the files of another run; name another folder or delete it."));
  }
  RETURN_IF_ERROR(CreateFolders(folder));
  RETURN_IF_ERROR(FileAppender(list, FileAppender::Adds::kRecords).status());
  return std::unique_ptr<DispatchDump>(
      new DispatchDump(folder, arguments.GetList("dump_dispatch"), room));
}

absl::Status DispatchDump::CheckBeforeCall() const {
  if (names_.empty()) return absl::OkStatus();
  for (const std::string& pattern : patterns_) {
    RETURN_IF_ERROR(CheckDispatchName(names_, pattern));
  }
  return absl::OkStatus();
}

absl::Status DispatchDump::Finish() const {
  for (const std::string& pattern : patterns_) {
    RETURN_IF_ERROR(CheckDispatchName(names_, pattern));
  }
  PrintNote(dispatches_ == 0
                ? "No dispatch that --dump_dispatch names was run."
                : absl::StrCat(files_, " files of ", dispatches_,
                               dispatches_ == 1 ? " dispatch" : " dispatches",
                               " were written to '", folder_, "'."));
  return absl::OkStatus();
}

void DispatchDump::Loaded(const hal::Executable& executable) {
  hal::AddDispatchNames(executable, names_);
}

bool DispatchDump::Wants(const hal::Executable& executable, uint32_t ordinal) {
  const std::string name = hal::DispatchName(executable, ordinal);
  return std::any_of(patterns_.begin(), patterns_.end(),
                     [&](const std::string& pattern) {
                       return MatchesPattern(name, pattern);
                     });
}

absl::Status DispatchDump::Before(const hal::ObservedDispatch& dispatch) {
  for (size_t i = 0; i < dispatch.bindings.size(); ++i) {
    RETURN_IF_ERROR(Write(dispatch, i, "before"));
  }
  return AddLine(dispatch);
}

absl::Status DispatchDump::After(const hal::ObservedDispatch& dispatch) {
  for (size_t i = 0; i < dispatch.bindings.size(); ++i) {
    if (hal::IsReadOnly(*dispatch.bindings[i])) continue;
    RETURN_IF_ERROR(Write(dispatch, i, "after"));
  }
  ++dispatches_;
  return absl::OkStatus();
}

absl::Status DispatchDump::Write(const hal::ObservedDispatch& dispatch,
                                 size_t binding, absl::string_view when) {
  hal::Buffer& buffer = *dispatch.bindings[binding];
  const std::string header = HeaderOf(buffer.byte_length());
  if (buffer.byte_length() > room_ ||
      header.size() > room_ - buffer.byte_length()) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "Binding ", binding, " of dispatch ", dispatches_, " ('",
        PlainName(dispatch.name()), "') has ", buffer.byte_length(),
        " bytes, and its file ", header.size(),
        " more; --dump_dispatch_limit leaves ", room_, "."));
  }
  if (files_ == kMaxFiles) {
    return absl::ResourceExhaustedError(
        absl::StrCat("--dump_dispatch has written ", files_,
                     " files, which is the limit; name fewer dispatches."));
  }
  FileWriter file(absl::StrFormat("%s/%05d.%s.%s.%d.npy", folder_, dispatches_,
                                  FileName(dispatch.name()), when, binding));
  RETURN_IF_ERROR(file.WriteText(header));
  RETURN_IF_ERROR(Copy(buffer, file));
  RETURN_IF_ERROR(file.Finish());
  room_ -= header.size() + buffer.byte_length();
  ++files_;
  return absl::OkStatus();
}

absl::Status DispatchDump::AddLine(const hal::ObservedDispatch& dispatch) {
  using Json = nlohmann::ordered_json;
  Json bindings = Json::array();
  for (const Ref<hal::Buffer>& binding : dispatch.bindings) {
    bindings.push_back({{"bytes", binding->byte_length()},
                        {"read_only", hal::IsReadOnly(*binding)}});
  }
  const Json line = {
      {"number", dispatches_},
      {"name", dispatch.name()},
      {"workgroups", dispatch.workgroup_count},
      {"constants", Json(std::vector<uint32_t>(dispatch.constants.begin(),
                                               dispatch.constants.end()))},
      {"bindings", bindings}};
  const std::string text =
      absl::StrCat(EscapeJsonControls(line.dump(
                       -1, ' ', false, Json::error_handler_t::replace)),
                   "\n");
  if (text.size() > room_) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "The line of dispatch ", dispatches_, " ('", PlainName(dispatch.name()),
        "') in ", kListName + 1, " has ", text.size(),
        " bytes; --dump_dispatch_limit leaves ", room_, "."));
  }
  room_ -= text.size();
  FileAppender list(absl::StrCat(folder_, kListName),
                    FileAppender::Adds::kRecords);
  return list.Append(
      {reinterpret_cast<const uint8_t*>(text.data()), text.size()});
}

}  // namespace eyrie::tools
