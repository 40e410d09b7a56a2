// Executes programs.
//
// An execution whose arguments are ready runs on the caller's thread, and its
// results are ready when the function returns. Otherwise it runs on the thread
// that makes the last argument ready.
#include <algorithm>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "plugins/pjrt/executable.h"
#include "plugins/pjrt/functions.h"
#include "plugins/pjrt/given.h"

namespace eyrie::pjrt {

class ExecuteContext {};

namespace {

using Arguments = absl::InlinedVector<Argument, 16>;

// Options of a client that is older may lack the last fields.
constexpr size_t kOptionsSize = offsetof(ExecuteOptions, context);

absl::Status CheckOptions(const LoadedExecutable_Execute_Args& args) {
  if (args.num_devices != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("The execution is for ", args.num_devices,
                     " devices; the program is for one."));
  }
  if (args.argument_lists == nullptr || args.output_lists == nullptr) {
    return absl::InvalidArgumentError(
        "The lists of arguments or results are null.");
  }
  const Interface& interface =
      args.executable->program().executable().interface();
  RETURN_IF_ERROR(
      CheckList(args.argument_lists[0], args.num_args, "argument_lists[0]"));
  RETURN_IF_ERROR(CheckList(args.output_lists[0], interface.results.size(),
                            "output_lists[0]"));
  const ExecuteOptions* const options = args.options;
  if (options == nullptr) return absl::OkStatus();
  RETURN_IF_ERROR(
      CheckStruct(options->struct_size, kOptionsSize, "ExecuteOptions"));
  RETURN_IF_ERROR(CheckList(options->non_donatable_input_indices,
                            options->num_non_donatable_input_indices,
                            "non_donatable_input_indices"));
  if (options->num_send_ops != 0 || options->num_recv_ops != 0) {
    return absl::UnimplementedError(
        "Programs that send to the host or receive from it are not possible.");
  }
  return absl::OkStatus();
}

absl::Status WrongArgument(const Interface& interface, size_t index,
                           const Shape& given) {
  return absl::InvalidArgumentError(absl::StrCat(
      "Argument ", index, " of ", interface.name, " is ", ToText(given),
      "; the program takes ", ToText(interface.arguments[index]), "."));
}

// Returns the arguments, of which none is given away yet.
absl::Status GetArguments(const LoadedExecutable_Execute_Args& args,
                          const Interface& interface, Arguments& arguments) {
  if (args.num_args != interface.arguments.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat(interface.name, " has ", interface.arguments.size(),
                     " arguments; ", args.num_args, " are given."));
  }
  for (size_t i = 0; i < args.num_args; ++i) {
    const Buffer* const buffer = args.argument_lists[0][i];
    if (buffer == nullptr) {
      return absl::InvalidArgumentError(
          absl::StrCat("Argument ", i, " of ", interface.name, " is null."));
    }
    if (buffer->shape() != interface.arguments[i]) [[unlikely]] {
      return WrongArgument(interface, i, buffer->shape());
    }
    auto content = buffer->content();
    if (!content.ok()) {
      return Annotate(content.status(), absl::StrCat("(argument ", i, " of ",
                                                     interface.name, ")"));
    }
    arguments.push_back({*std::move(content), false});
  }
  return absl::OkStatus();
}

// Reports whether the program may overwrite an argument.
bool IsDonated(const LoadedExecutable_Execute_Args& args,
               const Interface& interface, size_t index) {
  if (!interface.donated[index]) return false;
  const ExecuteOptions* const options = args.options;
  if (options == nullptr || options->non_donatable_input_indices == nullptr) {
    return true;
  }
  const std::span<const int64_t> kept = {
      options->non_donatable_input_indices,
      options->num_non_donatable_input_indices};
  return std::find(kept.begin(), kept.end(), static_cast<int64_t>(index)) ==
         kept.end();
}

// INVALID_ARGUMENT: a donated buffer is another argument, too.
absl::Status CheckDonated(const LoadedExecutable_Execute_Args& args,
                          const Interface& interface) {
  if (std::find(interface.donated.begin(), interface.donated.end(), true) ==
      interface.donated.end()) {
    return absl::OkStatus();
  }
  absl::InlinedVector<std::pair<const Buffer*, size_t>, 16> rows;
  for (size_t i = 0; i < args.num_args; ++i) {
    rows.emplace_back(args.argument_lists[0][i], i);
  }
  std::sort(rows.begin(), rows.end());
  for (size_t i = 1; i < rows.size(); ++i) {
    const size_t first = rows[i - 1].second, second = rows[i].second;
    if (rows[i - 1].first != rows[i].first) continue;
    const bool is_first = IsDonated(args, interface, first);
    if (!is_first && !IsDonated(args, interface, second)) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "Arguments ", first, " and ", second, " of ", interface.name,
        " are the same buffer, and argument ", is_first ? first : second,
        " is donated: the program may overwrite it."));
  }
  return absl::OkStatus();
}

// Deletes the buffers that the program may overwrite.
void TakeDonated(const LoadedExecutable_Execute_Args& args,
                 const Interface& interface, Arguments& arguments) {
  for (size_t i = 0; i < args.num_args; ++i) {
    if (!IsDonated(args, interface, i)) continue;
    args.argument_lists[0][i]->Delete();
    arguments[i].is_given = true;
  }
}

// Restores the buffers of a failed execution that it has not got to change.
void RestoreDonated(const LoadedExecutable_Execute_Args& args,
                    const Arguments& arguments) {
  for (size_t i = 0; i < args.num_args; ++i) {
    if (!arguments[i].is_given || arguments[i].content->is_given()) continue;
    args.argument_lists[0][i]->Restore(arguments[i].content);
  }
}

// Stores buffers of results, and the event of the execution's end.
void Return(const LoadedExecutable_Execute_Args& args,
            std::span<const ContentPtr> results, const SignalPtr& done) {
  const std::vector<Shape>& shapes =
      args.executable->program().executable().interface().results;
  for (size_t i = 0; i < results.size(); ++i) {
    args.output_lists[0][i] =
        new Buffer(args.executable->program().device(), shapes[i], results[i]);
  }
  if (args.device_complete_events != nullptr) {
    args.device_complete_events[0] = new Event(done);
  }
}

// Executes the program when all arguments are ready.
void RunLater(std::shared_ptr<LoadedProgram> program, Arguments arguments,
              std::vector<ContentPtr> results, SignalPtr done) {
  std::vector<SignalPtr> signals;
  for (const Argument& argument : arguments) {
    signals.push_back(argument.content->defined());
  }
  WhenAllReady(signals,
               [program = std::move(program), arguments = std::move(arguments),
                results = std::move(results),
                done = std::move(done)](absl::Status status) {
                 std::vector<ValueHandle> values(results.size());
                 if (status.ok()) status = program->Run(arguments, values);
                 for (size_t i = 0; i < results.size() && status.ok(); ++i) {
                   results[i]->Define(std::move(values[i]));
                 }
                 done->SetNext(std::move(status));
               });
}

}  // namespace

absl::Status LoadedExecutable_Execute(LoadedExecutable_Execute_Args& args) {
  RETURN_IF_ERROR(CheckOptions(args));
  LoadedProgram& program = args.executable->program();
  const Interface& interface = program.executable().interface();
  if (args.execute_device != nullptr &&
      args.execute_device != &program.device()) {
    return absl::UnimplementedError(
        "The program is loaded for another device; compile it for this one.");
  }
  Arguments arguments;
  RETURN_IF_ERROR(GetArguments(args, interface, arguments));
  RETURN_IF_ERROR(CheckDonated(args, interface));
  const size_t count = interface.results.size();
  const bool ready = std::all_of(arguments.begin(), arguments.end(),
                                 [](const Argument& argument) {
                                   return IsReady(argument.content->defined());
                                 });
  TakeDonated(args, interface, arguments);
  if (ready) [[likely]] {
    absl::InlinedVector<ValueHandle, 16> values(count);
    const absl::Status run = program.Run(arguments, {values.data(), count});
    if (!run.ok()) [[unlikely]] {
      RestoreDonated(args, arguments);
      return run;
    }
    absl::InlinedVector<ContentPtr, 16> results;
    for (ValueHandle& value : values) {
      results.push_back(std::make_shared<Content>(std::move(value)));
    }
    Return(args, results, nullptr);
    return absl::OkStatus();
  }
  auto done = std::make_shared<Signal>();
  std::vector<ContentPtr> results;
  for (size_t i = 0; i < count; ++i) {
    results.push_back(std::make_shared<Content>(done));
  }
  Return(args, results, done);
  RunLater(args.executable->shared(), std::move(arguments), std::move(results),
           done);
  return absl::OkStatus();
}

absl::Status ExecuteContext_Create(ExecuteContext_Create_Args& args) {
  args.context = new ExecuteContext();
  return absl::OkStatus();
}

absl::Status ExecuteContext_Destroy(ExecuteContext_Destroy_Args& args) {
  delete args.context;
  return absl::OkStatus();
}

}  // namespace eyrie::pjrt
