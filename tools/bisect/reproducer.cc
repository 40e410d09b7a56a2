#include "tools/bisect/reproducer.h"

#include <dirent.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "abi/call/session.h"
#include "abi/tensor/npy.h"
#include "abi/tensor/tensor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/file_writer.h"
#include "base/folders.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "hal/buffer_view.h"
#include "tools/bisect/bytes.h"
#include "tools/bisect/dispatch_module.h"
#include "tools/inspect/report.h"

namespace eyrie::tools {
namespace {

using Contents = std::vector<uint8_t>;

// Larger errors are beyond the thresholds of all runtimes.
constexpr double kSmallError = 0.1;
// Smaller inputs are not cut.
constexpr uint64_t kCutBlock = uint64_t{1} << 16;

// Runs the module of a dispatch, and returns the bytes of its result.
absl::StatusOr<Contents> RunModule(Bytes module, const Ref<hal::Device>& device,
                                   const std::vector<Contents>& inputs) {
  ASSIGN_OR_RETURN(abi::Program program,
                   abi::LoadProgram(module, "the module of the dispatch"));
  ASSIGN_OR_RETURN(const auto session,
                   abi::Session::Create({std::move(program)}, {device}));
  ASSIGN_OR_RETURN(abi::Callable function, session->Lookup(kDispatchFunction));
  std::vector<vm::Value> arguments;
  for (const Contents& input : inputs) {
    hal::TensorType spec;
    spec.element = hal::ElementType::kUint8;
    spec.shape.push_back(static_cast<int64_t>(input.size()));
    ASSIGN_OR_RETURN(Ref<hal::BufferView> view, abi::NewTensor(*device, spec));
    RETURN_IF_ERROR(view->buffer()->Write(0, input));
    arguments.emplace_back(Ref<RefObject>(std::move(view)));
  }
  ASSIGN_OR_RETURN(const std::vector<vm::Value> results,
                   function.Call(arguments));
  const auto* view = results.size() == 1
                         ? RefCast<hal::BufferView>(results[0].ref())
                         : nullptr;
  if (view == nullptr)
    return absl::InternalError("The result is not a tensor.");
  Contents bytes(view->byte_length());
  RETURN_IF_ERROR(view->buffer()->Read(0, bytes));
  return bytes;
}

// Reports whether something is in a folder, which need not exist.
bool HasFiles(const std::string& folder) {
  DIR* const entries = opendir(folder.c_str());
  if (entries == nullptr) return false;
  size_t count = 0;  // with "." and ".."
  while (count < 3 && readdir(entries) != nullptr) ++count;
  closedir(entries);
  return count == 3;
}

// Returns the type that a .npy file has for these elements: integers there have
// a sign or none, which the public runtimes compare, too.
hal::ElementType FileTypeOf(hal::ElementType type) {
  if (type == hal::ElementType::kBool8) return hal::ElementType::kUint8;
  if (hal::NumericalKind(type) != hal::numerical_kind::kSignless) return type;
  return static_cast<hal::ElementType>(
      uint32_t{hal::numerical_kind::kSigned} << 24 | hal::BitCount(type));
}

class Reproducer {
 public:
  Reproducer(Side& good, Side& bad, const Comparison& comparison)
      : good_(good),
        bad_(bad),
        comparison_(comparison),
        finding_(comparison.findings.front()) {}

  absl::Status Write(const std::string& folder) {
    RETURN_IF_ERROR(Describe());
    RETURN_IF_ERROR(CutInputs());
    RETURN_IF_ERROR(CreateFolders(folder));
    std::vector<std::string> flags;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      const std::string name = absl::StrCat("input", i, ".npy");
      flags.push_back(absl::StrCat("--input=@", name));
      RETURN_IF_ERROR(WriteArray(absl::StrCat(folder, "/", name),
                                 hal::ElementType::kUint8, inputs_[i]));
    }
    const hal::ElementType type = FileTypeOf(finding_.difference.type);
    RETURN_IF_ERROR(WriteArray(folder + "/good.npy", type,
                               Result(comparison_.good_memory)));
    RETURN_IF_ERROR(
        WriteArray(folder + "/bad.npy", type, Result(comparison_.bad_memory)));
    for (Side* side : {&good_, &bad_}) {
      ASSIGN_OR_RETURN(const Contents module, ModuleOf(*side));
      FileWriter file(absl::StrCat(folder, "/", side->name(), ".vmfb"));
      RETURN_IF_ERROR(file.Write(module));
      RETURN_IF_ERROR(file.Finish());
    }
    FileWriter readme(folder + "/README.md");
    RETURN_IF_ERROR(readme.WriteText(ReadmeOf(absl::StrJoin(flags, " "))));
    return readme.Finish();
  }

 private:
  // Fills the description of the dispatch, and its inputs.
  absl::Status Describe() {
    const DispatchMemory& memory = comparison_.good_memory;
    if (memory.before.empty()) {
      return absl::FailedPreconditionError(
          "it is made if both sides have the same dispatches, with at most 1 "
          "GiB of memory.");
    }
    for (size_t i = 0; i < memory.before.size(); ++i) {
      const size_t first = memory.same_as[i];
      if (first == i) {
        arguments_.push_back(inputs_.size());
        inputs_.push_back(memory.before[i]);
        read_only_.push_back(memory.read_only[i]);
      } else {
        arguments_.push_back(arguments_[first]);
      }
    }
    return absl::OkStatus();
  }

  // The bytes of the tensor that differs.
  Contents Result(const DispatchMemory& memory) const {
    const auto begin =
        memory.after.begin() + static_cast<ptrdiff_t>(finding_.offset);
    return Contents(begin, begin + static_cast<ptrdiff_t>(ResultSize()));
  }
  uint64_t ResultSize() const {
    return static_cast<uint64_t>(finding_.difference.count) *
           (hal::StrideBits(finding_.difference.type) / 8);
  }

  absl::StatusOr<Contents> ModuleOf(Side& side) const {
    const bool is_good = &side == &good_;
    const DispatchMemory& memory =
        is_good ? comparison_.good_memory : comparison_.bad_memory;
    DispatchToWrite dispatch;
    dispatch.kernel = is_good ? finding_.good.kernel : finding_.bad.kernel;
    dispatch.ordinal = is_good ? finding_.good.ordinal : finding_.bad.ordinal;
    std::copy(std::begin(memory.workgroups), std::end(memory.workgroups),
              dispatch.workgroups);
    dispatch.constants = memory.constants;
    dispatch.arguments = arguments_;
    for (const size_t argument : arguments_) {
      dispatch.sizes.push_back(inputs_[argument].size());
    }
    dispatch.returned = arguments_[finding_.binding];
    dispatch.offset = finding_.offset;
    dispatch.size = ResultSize();
    dispatch.type = FileTypeOf(finding_.difference.type);
    ASSIGN_OR_RETURN(const Report* report, side.ReadReport());
    return WriteDispatchModule(*report, dispatch);
  }

  // Reports whether both modules compute what the sides did.
  absl::StatusOr<bool> Reproduces(const std::vector<Contents>& inputs) {
    for (Side* side : {&good_, &bad_}) {
      ASSIGN_OR_RETURN(const Contents module, ModuleOf(*side));
      ASSIGN_OR_RETURN(const Contents result,
                       RunModule(module, side->device(), inputs));
      const DispatchMemory& memory =
          side == &good_ ? comparison_.good_memory : comparison_.bad_memory;
      const Difference difference =
          Compare(finding_.difference.type, Result(memory), result, 1e-4);
      if (difference.differing != 0) return false;
    }
    return true;
  }

  absl::Status CutInputs() {
    ASSIGN_OR_RETURN(const bool reproduces, Reproduces(inputs_));
    if (!reproduces) {
      return absl::FailedPreconditionError(
          "the dispatch alone computes something else than in its module.");
    }
    for (size_t i = 0; i < inputs_.size(); ++i) {
      if (!read_only_[i] || inputs_[i].size() <= kCutBlock) continue;
      RETURN_IF_ERROR(Cut(i));
    }
    return absl::OkStatus();
  }

  // Cuts an input after the last block that changes a result when it is zero.
  absl::Status Cut(size_t argument) {
    const Contents whole = inputs_[argument];
    uint64_t needed = (whole.size() + kCutBlock - 1) / kCutBlock;  // blocks
    uint64_t enough = 0;
    std::vector<Contents> inputs = inputs_;
    while (enough < needed) {
      const uint64_t middle = (enough + needed) / 2;
      Contents& input = inputs[argument];
      input = whole;
      std::fill(input.begin() + static_cast<ptrdiff_t>(std::min<uint64_t>(
                                    middle * kCutBlock, whole.size())),
                input.end(), uint8_t{0});
      ASSIGN_OR_RETURN(const bool reproduces, Reproduces(inputs));
      if (reproduces) {
        needed = middle;
      } else {
        enough = middle + 1;
      }
    }
    inputs_[argument].resize(std::min<uint64_t>(
        std::max<uint64_t>(needed, 1) * kCutBlock, whole.size()));
    const auto again = Reproduces(inputs_);
    if (!again.ok() || !*again) inputs_[argument] = whole;
    return absl::OkStatus();
  }

  static absl::Status WriteArray(const std::string& path, hal::ElementType type,
                                 Bytes bytes) {
    hal::TensorType spec;
    spec.element = type;
    spec.shape.push_back(
        static_cast<int64_t>(bytes.size() / (hal::StrideBits(type) / 8)));
    FileWriter file(path);
    RETURN_IF_ERROR(file.WriteText(abi::NpyHeader(spec)));
    RETURN_IF_ERROR(file.Write(bytes));
    return file.Finish();
  }

  // Returns a flag if the largest error is less than the runtimes accept.
  std::string Threshold() const {
    const double error = finding_.difference.error;
    if (!finding_.difference.ulps || !(error < kSmallError)) return "";
    return absl::StrCat(" \\\n  --expected_",
                        hal::ElementTypeName(finding_.difference.type),
                        "_threshold=", error / 2, " --expected_rtol=0");
  }

  std::string ReadmeOf(const std::string& inputs) const {
    const auto command = [&](const Side& side) {
      return absl::StrCat("iree-run-module --module=", side.name(),
                          ".vmfb --device=", side.uris()[0],
                          " --function=", kDispatchFunction, " \\\n  ", inputs,
                          " --expected_output=@good.npy", Threshold(), "\n");
    };
    return absl::StrCat(
        "# ", PlainName(finding_.bad.kernel), " computes something else\n\n",
        ToText(finding_.difference), " (", finding_.shape,
        ").\n\n`good.vmfb` and `bad.vmfb` run this kernel "
        "alone, with the code of '",
        good_.label(), "' and '", bad_.label(),
        "'. `input*.npy` are the bytes of its bindings before it runs, "
        "`good.npy` and `bad.npy` the tensor that it wrote on each side.\n\n"
        "With the runtimes of the releases that compiled the modules, the "
        "first "
        "command prints [SUCCESS] and the second [FAILED]. `eyrie run` takes "
        "the same flags, for modules of all releases.\n\n```sh\n",
        command(good_), command(bad_), "```\n");
  }

  Side& good_;
  Side& bad_;
  const Comparison& comparison_;
  const Finding& finding_;
  std::vector<size_t> arguments_;  // of each binding
  std::vector<Contents> inputs_;
  std::vector<bool> read_only_;
};

}  // namespace

absl::Status WriteReproducer(const std::string& folder, Side& good, Side& bad,
                             const Comparison& comparison) {
  if (HasFiles(folder)) {
    return absl::AlreadyExistsError(
        absl::StrCat("'", PlainPath(folder),
                     "' is not empty; name another folder or delete it."));
  }
  return Reproducer(good, bad, comparison).Write(folder);
}

}  // namespace eyrie::tools
