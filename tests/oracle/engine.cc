#include "tests/oracle/engine.h"

#include <map>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/status_macros.h"
#include "vm/jit/jit.h"
#include "vm/object/buffer.h"
#include "vm/object/list.h"
#include "vm/run/context.h"
#include "vm/run/invocation.h"

namespace eyrie::tests {
namespace {

class InterpreterInstance final : public Instance {
 public:
  InterpreterInstance(std::unique_ptr<vm::Context> context,
                      InterpreterEngine::Resumes resumes)
      : context_(std::move(context)), resumes_(resumes) {}

  absl::StatusOr<std::vector<vm::Value>> Call(
      absl::string_view function, std::span<const vm::Value> args) override {
    const std::string full_name =
        absl::StrCat(context_->modules().back()->name(), ".", function);
    ASSIGN_OR_RETURN(vm::Function found, context_->Lookup(full_name));
    if (resumes_ == InterpreterEngine::Resumes::kAtOnce) {
      return context_->Call(found, args);
    }
    using State = vm::Invocation::State;
    suspensions_ = 0;
    ASSIGN_OR_RETURN(auto call, vm::Invocation::Begin(*context_, found, args));
    while (call->state() == State::kYielded) {
      ++suspensions_;
      call->Resume().IgnoreError();
    }
    if (call->state() == State::kFailed) return call->Resume();
    return call->TakeResults();
  }

  int64_t suspensions() const override { return suspensions_; }

 private:
  std::unique_ptr<vm::Context> context_;
  InterpreterEngine::Resumes resumes_;
  int64_t suspensions_ = -1;
};

// Writes values as text. Numbers each object when it first occurs.
class Describer {
 public:
  void Add(const vm::Value& value) {
    absl::StrAppend(&text_, text_.empty() || text_.back() == '(' ? "" : " ");
    switch (value.type()) {
      case vm::ValueType::kI32:
        absl::StrAppend(&text_, "i32:", value.i32());
        break;
      case vm::ValueType::kI64:
        absl::StrAppend(&text_, "i64:", value.i64());
        break;
      case vm::ValueType::kF32:
        absl::StrAppendFormat(&text_, "f32:%08x", value.slot().i32);
        break;
      case vm::ValueType::kF64:
        absl::StrAppendFormat(&text_, "f64:%016x", value.slot().i64);
        break;
      case vm::ValueType::kRef:
        AddRef(value.ref());
        break;
    }
  }

  std::string TakeText() { return std::move(text_); }

 private:
  void AddRef(RefObject* object) {
    if (object == nullptr) {
      text_ += "null";
      return;
    }
    const auto [seen, is_new] = seen_.emplace(object, seen_.size());
    absl::StrAppend(&text_, "#", seen->second);
    if (!is_new) return;
    if (const auto* buffer = RefCast<vm::Buffer>(object)) {
      absl::StrAppend(&text_, buffer->is_mutable() ? "=buf:" : "=const:",
                      absl::BytesToHexString(buffer->text()));
    } else if (const auto* list = RefCast<vm::List>(object)) {
      absl::StrAppend(&text_, "=list<", list->element_type().ToString(), ">(");
      for (uint64_t i = 0; i < list->size(); ++i) Add(*list->Get(i));
      text_ += ")";
    } else {
      absl::StrAppend(&text_, "=", object->type().name);
    }
  }

  std::string text_;
  std::map<RefObject*, size_t> seen_;
};

// Returns each "name+0x1a" of a backtrace, without modules and sources.
std::string PlacesIn(absl::string_view message) {
  std::string places;
  for (size_t at = message.find("+0x"); at != absl::string_view::npos;
       at = message.find("+0x", at + 1)) {
    const size_t begin = message.find_last_of(" .", at);
    const size_t end = message.find_first_not_of("0123456789abcdef", at + 3);
    if (begin == absl::string_view::npos) continue;
    absl::StrAppend(&places, places.empty() ? "" : " ",
                    message.substr(begin + 1, at - begin),
                    message.substr(at + 3, end - at - 3));
  }
  return places;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Instance>> InterpreterEngine::Load(
    std::vector<std::shared_ptr<const vm::Module>> modules,
    vm::PrintSink print) {
  vm::ContextOptions options;
  options.print = std::move(print);
  options.limits = limits_;
  options.jit = jit_;
  ASSIGN_OR_RETURN(auto context,
                   vm::Context::Create(std::move(modules), options));
  return std::unique_ptr<Instance>(
      std::make_unique<InterpreterInstance>(std::move(context), resumes_));
}

absl::StatusOr<std::shared_ptr<const vm::Jit>> EagerJit() {
  if (!vm::jit::HasCompiler()) return std::shared_ptr<const vm::Jit>();
  static const absl::StatusOr<std::shared_ptr<const vm::Jit>> kJit =
      vm::jit::Create(vm::jit::Mode::kEager);
  return kJit;
}

std::string Outcome::ToString() const {
  return absl::StrCat(absl::StatusCodeToString(code), " ",
                      places.empty() ? "" : absl::StrCat("at ", places, " "),
                      values, printed.empty() ? "" : " | ", printed,
                      message.empty() ? "" : " | ", message,
                      suspensions > 0
                          ? absl::StrCat(" (suspended ", suspensions, " times)")
                          : "");
}

Outcome Observe(const absl::StatusOr<std::vector<vm::Value>>& results,
                std::string printed) {
  Outcome outcome;
  outcome.printed = std::move(printed);
  if (results.ok()) {
    outcome.values = Describe(*results);
  } else {
    outcome.code = results.status().code();
    outcome.message = std::string(results.status().message());
    outcome.places = PlacesIn(outcome.message);
  }
  return outcome;
}

std::string Describe(std::span<const vm::Value> values) {
  Describer describer;
  for (const vm::Value& value : values) describer.Add(value);
  return describer.TakeText();
}

}  // namespace eyrie::tests
