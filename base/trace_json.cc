// Writes a recording in the JSON format of Chrome's trace viewer.
//
// Each begin and its end are written as one event with a duration, at the place
// of the begin. So the output nests even if events were dropped.
// Tested by trace_test.cc.
#include <unistd.h>

#include <limits>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "base/trace_recorder.h"

namespace eyrie::trace {
namespace {

constexpr size_t kPiece = size_t{64} << 10;  // bytes handed to the sink
constexpr size_t kNone = std::numeric_limits<size_t>::max();

absl::string_view NameOf(Category category) {
  switch (category) {
    case Category::kCall:
      return "call";
    case Category::kFunction:
      return "function";
    case Category::kImport:
      return "import";
    case Category::kDispatch:
      return "dispatch";
    case Category::kTransfer:
      return "transfer";
    case Category::kMemory:
      return "memory";
    case Category::kQueue:
      return "queue";
    case Category::kWait:
      return "wait";
  }
  return "";
}

// Returns for each begin the index of its end, or kNone if it has none.
std::vector<size_t> EndsOf(const ThreadLog& log) {
  std::vector<size_t> ends(log.size, kNone);
  std::vector<size_t> open;
  for (size_t i = 0; i < log.size; ++i) {
    const Event::Kind kind = log.at(i).kind;
    if (kind == Event::Kind::kBegin) {
      open.push_back(i);
    } else if (kind == Event::Kind::kEnd && !open.empty()) {
      ends[open.back()] = i;
      open.pop_back();
    }
  }
  return ends;
}

}  // namespace

// One run of Recorder::WriteJson.
class JsonWriter {
 public:
  JsonWriter(const Recorder& recorder, Recorder::Sink sink)
      : recorder_(recorder),
        sink_(sink),
        process_(absl::StrCat("\"pid\":", getpid(), ",\"tid\":")) {
    for (const std::string& name : recorder.names_) {
      AppendJsonString(PlainText(name, Recorder::kMaxName),
                       quoted_.emplace_back());
    }
  }

  absl::Status Run();

 private:
  // Writes all events of one thread.
  absl::Status WriteThread(const ThreadLog& log);
  // Writes one event. If it is a begin, `end` is its end, or null.
  void WriteEvent(const Event& event, const Event* end);
  void WriteSpan(const Event& begin, const Event* end);
  // Writes the beginning of an object, up to its name.
  void Open(absl::string_view phase, const Event& event);
  void AppendTime(absl::string_view key, int64_t ns);
  void AppendBytes(uint64_t bytes);
  absl::Status Flush(size_t from);

  const Recorder& recorder_;
  const Recorder::Sink sink_;
  const std::string process_;
  std::string thread_;               // process_ and the thread's number
  std::vector<std::string> quoted_;  // names
  std::string text_;
};

absl::Status JsonWriter::Flush(size_t from) {
  if (text_.size() < from) return absl::OkStatus();
  absl::Status status = sink_(text_);
  text_.clear();
  return status;
}

// The format's unit is microseconds; three decimals keep the nanoseconds.
void JsonWriter::AppendTime(absl::string_view key, int64_t ns) {
  const int64_t fraction = ns % 1000;
  absl::StrAppend(&text_, ",\"", key, "\":", ns / 1000,
                  fraction < 10    ? ".00"
                  : fraction < 100 ? ".0"
                                   : ".",
                  fraction);
}

void JsonWriter::Open(absl::string_view phase, const Event& event) {
  absl::StrAppend(&text_, ",\n{\"ph\":\"", phase, "\",", thread_);
  AppendTime("ts", event.ns - recorder_.start_ns_);
  absl::StrAppend(&text_, ",\"cat\":\"", NameOf(event.category),
                  "\",\"name\":", quoted_[event.name]);
}

void JsonWriter::AppendBytes(uint64_t bytes) {
  absl::StrAppend(&text_, ",\"args\":{\"bytes\":", bytes, "}}");
}

void JsonWriter::WriteSpan(const Event& begin, const Event* end) {
  Open("X", begin);
  AppendTime("dur", (end == nullptr ? recorder_.stop_ns_ : end->ns) - begin.ns);
  if (begin.category == Category::kDispatch) {
    absl::StrAppend(&text_, ",\"args\":{\"workgroups\":[",
                    begin.value & 0xFFFFFFFF, ",", begin.value >> 32, ",",
                    begin.third, "]");
    if (end != nullptr) {
      absl::StrAppend(&text_, ",\"begin\":", end->value,
                      ",\"end\":", end->more);
    }
    text_ += "}}";
  } else if (begin.value != 0) {
    AppendBytes(begin.value);
  } else {
    text_ += '}';
  }
}

void JsonWriter::WriteEvent(const Event& event, const Event* end) {
  switch (event.kind) {
    case Event::Kind::kBegin:
      return WriteSpan(event, end);
    case Event::Kind::kEnd:
      return;
    case Event::Kind::kInstant:
      Open("i", event);
      text_ += ",\"s\":\"t\"";
      return AppendBytes(event.value);
    case Event::Kind::kCounter:
      Open("C", event);
      return AppendBytes(event.value);
    case Event::Kind::kFlowFrom:
      Open("s", event);
      absl::StrAppend(&text_, ",\"id\":", event.value, "}");
      return;
    case Event::Kind::kFlowTo:
      Open("f", event);
      absl::StrAppend(&text_, ",\"bp\":\"e\",\"id\":", event.value, "}");
      return;
  }
}

absl::Status JsonWriter::WriteThread(const ThreadLog& log) {
  thread_ = absl::StrCat(process_, log.thread_id);
  absl::StrAppend(&text_, ",\n{\"ph\":\"M\",", thread_,
                  ",\"name\":\"thread_name\",\"args\":{\"name\":");
  AppendJsonString(log.thread_name, text_);
  text_ += "}}";
  const std::vector<size_t> ends = EndsOf(log);
  for (size_t i = 0; i < log.size; ++i) {
    WriteEvent(log.at(i), ends[i] == kNone ? nullptr : &log.at(ends[i]));
    RETURN_IF_ERROR(Flush(kPiece));
  }
  return absl::OkStatus();
}

absl::Status JsonWriter::Run() {
  text_ = absl::StrCat(
      "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"dropped\":",
      recorder_.dropped(), "},\"traceEvents\":[\n{\"ph\":\"M\",", process_,
      "0,\"name\":\"process_name\",\"args\":{\"name\":\"eyrie\"}}");
  for (const ThreadLog& log : recorder_.logs_) {
    RETURN_IF_ERROR(WriteThread(log));
  }
  text_ += "\n]}\n";
  return Flush(0);
}

absl::Status Recorder::WriteJson(Sink sink) const {
  return JsonWriter(*this, sink).Run();
}

}  // namespace eyrie::trace
