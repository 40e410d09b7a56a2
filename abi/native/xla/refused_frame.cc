#include "abi/native/xla/refused_frame.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <utility>

#include "abi/native/guarded_call.h"
#include "abi/native/xla/api.h"
#include "abi/native/xla/child_call.h"
#include "abi/native/xla/context.h"
#include "abi/native/xla/error.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace eyrie::native {
namespace {

constexpr absl::Duration kFrameLimit = absl::Seconds(10);  // of one call
constexpr int64_t kMaxRank = 32;
constexpr auto kOddTypeNumber = static_cast<int32_t>(RefusedFrame::kOddType);

// First letters of what a child returns.
constexpr char kRefused = 'e';
constexpr char kRan = 'r';
constexpr char kReadType = 't';
constexpr char kReadLast = 'l';

// Pages that the child may not read, and the pipe that it writes to. Only in
// the child.
struct Traps {
  uint8_t* type = nullptr;
  uint8_t* last = nullptr;
  size_t size = 0;
  int pipe = -1;
};
Traps traps;

void OnFault(int signal, siginfo_t* info, void*) {
  const auto* const at = static_cast<const uint8_t*>(info->si_addr);
  const auto in = [at](const uint8_t* page) {
    return at >= page && at < page + traps.size;
  };
  if (in(traps.type)) EndChild(traps.pipe, std::string(1, kReadType));
  if (in(traps.last)) EndChild(traps.pipe, std::string(1, kReadLast));
  ::_exit(128 + signal);
}

// Returns memory of which the second page cannot be read, or nullptr.
uint8_t* MapTrap(size_t page) {
  void* const at = ::mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) return nullptr;
  auto* const pages = static_cast<uint8_t*>(at);
  return ::mprotect(pages + page, page, PROT_NONE) == 0 ? pages : nullptr;
}

// The C structs of a frame.
class Built {
 public:
  Built(const RefusedFrame& from, int minor, int pipe);

  // Returns false if there is no memory for traps.
  bool ok() const { return ok_; }
  eyrie_ffi_call_frame_t& frame() { return frame_; }

 private:
  struct Attributes {
    std::vector<eyrie_ffi_bytes_t> names;
    std::vector<eyrie_ffi_bytes_t*> name_pointers;
    std::vector<int32_t> kinds;
    std::vector<void*> values;
    std::vector<std::unique_ptr<Attributes>> members;  // of dictionaries
    eyrie_ffi_attributes_t self = {};
  };
  struct Values {
    std::vector<eyrie_ffi_buffer_t> buffers;
    std::vector<int32_t> kinds;
    std::vector<void*> pointers;
  };

  bool SetTraps(int pipe);
  void Fill(const std::vector<RefusedFrame::Buffer>& from, bool ends_at_last,
            Values& values, eyrie_ffi_values_t& to);
  void Fill(const std::vector<RefusedFrame::Attribute>& from, Attributes& to);

  bool ok_;
  std::array<int64_t, kMaxRank> dims_ = {};
  uint64_t zero_[2] = {};
  Values args_;
  Values results_;
  eyrie_ffi_scalar_t scalar_ = {kOddTypeNumber, zero_};
  eyrie_ffi_array_t array_ = {kOddTypeNumber, 0, zero_};
  Attributes attributes_;
  FfiServices services_;
  FfiRegistry registry_;
  FfiState state_;
  FfiContext context_{services_, registry_, state_, nullptr};
  eyrie_ffi_call_frame_t frame_ = {};
};

Built::Built(const RefusedFrame& from, int minor, int pipe)
    : ok_(SetTraps(pipe)) {
  if (!ok_) return;
  frame_.size = EYRIE_FFI_CALL_FRAME_SIZE;
  frame_.api = &FfiApi(minor);
  frame_.context = &context_;
  frame_.stage = from.stage;
  context_.set_stage(from.stage);
  const bool last_is_result = !from.results.empty();
  Fill(from.args, from.ends_at_last && !last_is_result, args_, frame_.args);
  Fill(from.results, from.ends_at_last && last_is_result, results_,
       frame_.results);
  Fill(from.attributes, attributes_);
  frame_.attributes = attributes_.self;
}

bool Built::SetTraps(int pipe) {
  const auto page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  uint8_t* const type = MapTrap(page);
  uint8_t* const last = MapTrap(page);
  if (type == nullptr || last == nullptr) return false;
  traps = {type + page, last + page, page, pipe};
  struct sigaction action = {};
  action.sa_sigaction = &OnFault;
  action.sa_flags = SA_SIGINFO;
  return ::sigaction(SIGSEGV, &action, nullptr) == 0 &&
         ::sigaction(SIGBUS, &action, nullptr) == 0;
}

void Built::Fill(const std::vector<RefusedFrame::Buffer>& from,
                 bool ends_at_last, Values& values, eyrie_ffi_values_t& to) {
  for (const RefusedFrame::Buffer& each : from) {
    eyrie_ffi_buffer_t buffer = {};
    buffer.size = EYRIE_FFI_SIZE(eyrie_ffi_buffer_t, dims);
    buffer.type = static_cast<int32_t>(each.type);
    buffer.data = zero_;
    buffer.rank = each.rank;
    buffer.dims = dims_.data();
    values.buffers.push_back(buffer);
  }
  values.kinds.assign(from.size(), EYRIE_FFI_BUFFER);
  for (size_t i = 0; i < from.size(); ++i) {
    values.pointers.push_back(from[i].hidden
                                  ? static_cast<void*>(traps.type)
                                  : static_cast<void*>(&values.buffers[i]));
  }
  int32_t* kinds = values.kinds.data();
  if (ends_at_last) {
    // All but the last are before the page that cannot be read.
    kinds = reinterpret_cast<int32_t*>(traps.last) - (from.size() - 1);
    std::copy(values.kinds.begin(), values.kinds.end() - 1, kinds);
  }
  to = {EYRIE_FFI_SIZE(eyrie_ffi_values_t, values), nullptr,
        static_cast<int64_t>(from.size()), kinds, values.pointers.data()};
}

void Built::Fill(const std::vector<RefusedFrame::Attribute>& from,
                 Attributes& to) {
  for (const RefusedFrame::Attribute& each : from) {
    to.names.push_back({each.name.data(), each.name.size()});
    to.kinds.push_back(each.kind);
    if (each.kind == EYRIE_FFI_DICTIONARY) {
      Attributes& members =
          *to.members.emplace_back(std::make_unique<Attributes>());
      Fill(each.members, members);
      to.values.push_back(&members.self);
    } else {
      to.values.push_back(each.kind == EYRIE_FFI_ARRAY
                              ? static_cast<void*>(&array_)
                              : static_cast<void*>(&scalar_));
    }
  }
  for (eyrie_ffi_bytes_t& name : to.names) to.name_pointers.push_back(&name);
  to.self = {EYRIE_FFI_SIZE(eyrie_ffi_attributes_t, values),
             nullptr,
             static_cast<int64_t>(from.size()),
             to.kinds.data(),
             to.name_pointers.data(),
             to.values.data()};
}

std::string CallHere(const RefusedFrame& frame, eyrie_ffi_handler_t* handler,
                     int minor, int pipe) {
  Built built(frame, minor, pipe);
  if (!built.ok()) ::_exit(1);
  Thrown thrown;
  const absl::Status status =
      TakeFfiError(CallGuarded(handler, &built.frame(), thrown));
  if (status.ok()) return std::string(1, kRan);
  return absl::StrCat(std::string(1, kRefused), status.message());
}

}  // namespace

absl::StatusOr<RefusedFrame::Outcome> RefusedFrame::Call(
    eyrie_ffi_handler_t* handler, int minor) const {
  ASSIGN_OR_RETURN(std::string text, CallInChild(kFrameLimit, [&](int pipe) {
                     return CallHere(*this, handler, minor, pipe);
                   }));
  using Kind = Outcome::Kind;
  const char letter = text.empty() ? kRan : text[0];
  if (letter == kReadType) return Outcome{Kind::kReadType, ""};
  if (letter == kReadLast) return Outcome{Kind::kReadLast, ""};
  if (letter == kRan) return Outcome{Kind::kRan, ""};
  return Outcome{Kind::kRefused, text.substr(1)};
}

}  // namespace eyrie::native
