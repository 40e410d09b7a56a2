#include "tools/bisect/dispatch_module.h"

#include <algorithm>
#include <optional>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "tools/bisect/bytes.h"
#include "tools/bisect/kernel_name.h"
#include "vm/asm/assembler.h"

namespace eyrie::tools {
namespace {

// How a release's HAL is called. Each text is a calling convention, of which
// imports.def in hal/module has all.
struct HalCalls {
  bool has_function_ids = false;  // from 3.12
  bool has_flags = false;         // from 3.4
  bool yields = false;            // calls that wait say so, from bytecode 17
};

bool Imports(const vm::ModuleDef& def, absl::string_view name,
             absl::string_view convention) {
  return std::any_of(def.imports.begin(), def.imports.end(),
                     [&](const vm::ImportDef& import) {
                       return import.full_name == name &&
                              import.calling_convention == convention;
                     });
}

absl::StatusOr<HalCalls> CallsOf(const vm::ModuleDef& def) {
  HalCalls calls;
  calls.has_function_ids =
      Imports(def, "hal.command_buffer.dispatch", "0rrIiiiICiDCiirIID_v");
  if (!calls.has_function_ids &&
      !Imports(def, "hal.command_buffer.dispatch", "0rriiiiICiDCiirIID_v")) {
    return absl::UnimplementedError(
        "it is written for modules of release 3.0 and later, whose dispatches "
        "have a number of workgroups that is known.");
  }
  calls.has_flags = calls.has_function_ids ||
                    Imports(def, "hal.executable.create", "0rIrrr_r");
  calls.yields = def.bytecode_major >= 17;
  return calls;
}

// The bytes of the executable that has a kernel.
struct Kernels {
  std::string format;
  uint32_t rodata = 0;
};

absl::StatusOr<Kernels> FindKernels(const Report& report,
                                    const std::string& kernel) {
  for (const ExecutableReport& executable : report.executables) {
    for (const hal::KernelFacts& facts : executable.facts.kernels) {
      if (facts.name != kernel || !executable.rodata) continue;
      return Kernels{executable.format, *executable.rodata};
    }
  }
  const auto& only = report.executables;
  if (IsUnnamed(kernel) && only.size() == 1 && only[0].rodata) {
    return Kernels{only[0].format, *only[0].rodata};
  }
  return absl::UnimplementedError(absl::StrCat(
      "the module's code does not show which executable has '", kernel, "'."));
}

// Writes the text of a function, with a new register for each value.
class Writer {
 public:
  explicit Writer(size_t arguments) : refs_(arguments) {}

  std::string I32(uint64_t value) {
    const std::string name = absl::StrCat("%i", words_++);
    Line(name, " = vm.const.i32 ", static_cast<int32_t>(value));
    return name;
  }
  std::string I64(uint64_t value) {
    const std::string name = Pair();
    Line(name, " = vm.const.i64 ", static_cast<int64_t>(value));
    return First(name);
  }
  // A register for a result.
  std::string Pair() {
    words_ += words_ % 2;
    words_ += 2;
    return absl::StrCat("%i", words_ - 2, ":", words_ - 1);
  }
  static std::string First(const std::string& pair) {
    return pair.substr(0, pair.find(':'));
  }
  std::string Word() { return absl::StrCat("%i", words_++); }
  std::string Ref() { return absl::StrCat("%r", refs_++); }
  template <typename... Args>
  void Line(const Args&... args) {
    absl::StrAppend(&text_, "  ", args..., "\n");
  }
  void Label(const char* name) { absl::StrAppend(&text_, "^", name, ":\n"); }
  std::string Call(absl::string_view import,
                   const std::vector<std::string>& operands) {
    const std::string result = Ref();
    Line(result, " = vm.call @hal.", import, "(", absl::StrJoin(operands, ", "),
         ")");
    return result;
  }
  const std::string& text() const { return text_; }

 private:
  size_t words_ = 0;
  size_t refs_;
  std::string text_;
};

std::string Rodata(size_t index, absl::string_view bytes) {
  return absl::StrCat("vm.rodata[", index,
                      "] = ", absl::BytesToHexString(bytes), "\n");
}

std::string HeadOf(const vm::ModuleDef& def, const HalCalls& calls) {
  std::string text = "vm.module @dispatch version 0\n//! archive zip\n";
  absl::StrAppend(&text, "//! bytecode ", def.bytecode_major, ".",
                  def.bytecode_minor, "\n");
  for (const vm::DependencyDef& dependency : def.dependencies) {
    if (dependency.name != "hal") continue;
    absl::StrAppend(&text, "//! depends @hal version ",
                    dependency.minimum_version, "\n");
  }
  struct Import {
    const char* name;
    const char* convention;
    const char* before_3_4;
  };
  constexpr Import kImports[] = {
      {"devices.get", "0i_r", "0i_r"},
      {"executable.create", "0rIrrr_r", "0rrrr_r"},
      {"command_buffer.create", "0riiIi_r", "0riiIi_r"},
      {"command_buffer.finalize", "0r_v", "0r_v"},
      {"buffer_view.buffer", "0r_r", "0r_r"},
      {"buffer_view.create", "0rIIiiCID_r", "0rIIiiCID_r"},
      {"device.queue.execute", "0rIrrrI_v", "0rIrrCrD_v"},
      {"fence.create", "0rI_r", "0ri_r"},
      {"fence.await", "0iICrD_i", "0iCrD_i"},
  };
  for (const Import& import : kImports) {
    absl::StrAppend(&text, "vm.import @hal.", import.name, " cconv \"",
                    calls.has_flags ? import.convention : import.before_3_4,
                    "\"\n");
  }
  absl::StrAppend(
      &text, "vm.import @hal.command_buffer.dispatch cconv \"",
      calls.has_function_ids ? "0rrIiiiICiDCiirIID_v" : "0rriiiiICiDCiirIID_v",
      "\"\n");
  if (calls.has_function_ids) {
    absl::StrAppend(
        &text, "vm.import @hal.executable.lookup.function cconv \"0rr_I\"\n");
  }
  return text;
}

// Writes the command buffer with the dispatch, and returns its register.
std::string Record(const DispatchToWrite& dispatch, const HalCalls& calls,
                   const std::vector<std::string>& buffers,
                   const std::string& device, const std::string& executable,
                   Writer& to) {
  constexpr uint64_t kOneShot = 1;
  constexpr uint64_t kTransferAndDispatch = 3;
  const std::string commands =
      to.Call("command_buffer.create",
              {device, to.I32(kOneShot), to.I32(kTransferAndDispatch),
               to.I64(UINT64_MAX), to.I32(0)});
  std::string kernel;
  if (calls.has_function_ids) {
    const std::string name = to.Ref();
    to.Line(name, " = vm.const.ref.rodata 2");
    const std::string id = to.Pair();
    to.Line(id, " = vm.call @hal.executable.lookup.function(", executable, ", ",
            name, ")");
    kernel = Writer::First(id);
  } else {
    kernel = to.I32(dispatch.ordinal);
  }
  std::vector<std::string> operands = {commands, executable, kernel};
  for (const uint32_t count : dispatch.workgroups) {
    operands.push_back(to.I32(count));
  }
  operands.push_back(to.I64(0));
  for (const uint32_t constant : dispatch.constants) {
    operands.push_back(to.I32(constant));
  }
  for (size_t i = 0; i < dispatch.arguments.size(); ++i) {
    operands.push_back(to.I32(0));
    operands.push_back(to.I32(0));
    operands.push_back(buffers[dispatch.arguments[i]]);
    operands.push_back(to.I64(0));
    operands.push_back(to.I64(dispatch.sizes[i]));
  }
  to.Line(
      "vm.call.variadic @hal.command_buffer.dispatch segments[65535, "
      "65535, 65535, 65535, 65535, 65535, 65535, ",
      dispatch.constants.size(), ", ", dispatch.arguments.size(), "](",
      absl::StrJoin(operands, ", "), ")");
  to.Line("vm.call @hal.command_buffer.finalize(", commands, ")");
  return commands;
}

// Submits the commands and waits for them.
void Submit(const HalCalls& calls, const std::string& device,
            const std::string& commands, const std::string& null, Writer& to) {
  const std::string fence = to.Call(
      "fence.create", {device, calls.has_flags ? to.I64(0) : to.I32(0)});
  const std::string any = to.I64(UINT64_MAX);
  if (calls.has_flags) {
    to.Line("vm.call @hal.device.queue.execute(", device, ", ", any, ", ", null,
            ", ", fence, ", ", commands, ", ", to.I64(0), ")");
  } else {
    to.Line(
        "vm.call.variadic @hal.device.queue.execute segments[65535, 65535, "
        "65535, 65535, 1](",
        device, ", ", any, ", ", null, ", ", fence, ", ", commands, ")");
  }
  const std::string forever = to.I32(UINT32_MAX);
  const std::string flags = calls.has_flags ? to.I64(0) + ", " : "";
  const std::string failed = to.Word();
  const std::string operands = absl::StrCat(
      "@hal.fence.await segments[65535, ", calls.has_flags ? "65535, " : "",
      "1](", forever, ", ", flags, fence, ")");
  if (calls.yields) {
    to.Line("vm.call.variadic.yieldable ", operands, " -> ^done(", failed, ")");
  } else {
    to.Line(failed, " = vm.call.variadic ", operands);
    to.Line("vm.br ^done()");
  }
  to.Label("done");
  to.Line("vm.cond_br ", failed, ", ^failed(), ^good()");
  to.Label("failed");
  to.Line("vm.fail ", failed, ", \"the dispatch failed\"");
  to.Label("good");
}

std::string FunctionOf(const DispatchToWrite& dispatch, const HalCalls& calls) {
  const size_t arguments = 1 + *std::max_element(dispatch.arguments.begin(),
                                                 dispatch.arguments.end());
  Writer to(arguments);
  std::vector<std::string> parameters;
  std::vector<std::string> buffers;
  for (size_t i = 0; i < arguments; ++i) {
    parameters.push_back(absl::StrCat("%r", i, ": !vm.ref<?>"));
    buffers.push_back(to.Call("buffer_view.buffer", {absl::StrCat("%r", i)}));
  }
  const std::string device = to.Call("devices.get", {to.I32(0)});
  const std::string format = to.Ref();
  const std::string data = to.Ref();
  const std::string null = to.Ref();
  to.Line(format, " = vm.const.ref.rodata 0");
  to.Line(data, " = vm.const.ref.rodata 1");
  to.Line(null, " = vm.const.ref.zero");
  const std::string executable =
      calls.has_flags
          ? to.Call("executable.create",
                    {device, to.I64(UINT64_MAX), format, data, null})
          : to.Call("executable.create", {device, format, data, null});
  const std::string commands =
      Record(dispatch, calls, buffers, device, executable, to);
  Submit(calls, device, commands, null, to);
  const uint64_t bytes = hal::StrideBits(dispatch.type) / 8;
  const std::string result = to.Ref();
  to.Line(result,
          " = vm.call.variadic @hal.buffer_view.create segments[65535, 65535, "
          "65535, 65535, 65535, 1](",
          absl::StrJoin(
              std::vector<std::string>{
                  buffers[dispatch.returned], to.I64(dispatch.offset),
                  to.I64(dispatch.size),
                  to.I32(static_cast<uint32_t>(dispatch.type)), to.I32(1),
                  to.I64(dispatch.size / bytes)},
              ", "),
          ")");
  to.Line("vm.return ", result);
  return absl::StrCat("vm.export @", kDispatchFunction, "\nvm.func @",
                      kDispatchFunction, "(", absl::StrJoin(parameters, ", "),
                      ") -> (!vm.ref<?>) {\n^begin:\n", to.text(), "}\n");
}

}  // namespace

absl::StatusOr<std::vector<uint8_t>> WriteDispatchModule(
    const Report& report, const DispatchToWrite& dispatch) {
  ASSIGN_OR_RETURN(const HalCalls calls, CallsOf(report.def));
  ASSIGN_OR_RETURN(const Kernels kernels, FindKernels(report, dispatch.kernel));
  const Bytes code = report.def.rodata[kernels.rodata].bytes;
  std::string text = HeadOf(report.def, calls);
  absl::StrAppend(&text, Rodata(0, kernels.format),
                  "vm.rodata[1] = file \"kernels.bin\"\n//! rodata.external "
                  "\"kernels.bin\"\n",
                  Rodata(2, dispatch.kernel), FunctionOf(dispatch, calls));
  vm::AssemblerOptions options;
  options.read_file = [code](const std::string&) {
    return std::vector<uint8_t>(code.begin(), code.end());
  };
  return vm::Assemble(text, "the module of one dispatch", options);
}

}  // namespace eyrie::tools
