// Compiles programs, and keeps them in the cache.
#include "plugins/pjrt/program_compiler.h"

#include <fstream>
#include <span>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/plain_text.h"
#include "base/sha256.h"
#include "base/status_macros.h"
#include "eyrie/c.h"
#include "plugins/pjrt/compile_options.h"
#include "plugins/pjrt/given.h"

namespace eyrie::pjrt {
namespace {

// The numbers of JAX's arrays keep their types, unlike those of most models.
constexpr const char* kFlags[] = {
    "--iree-input-type=auto",
    "--iree-input-demote-f64-to-f32=false",
    "--iree-input-demote-i64-to-i32=false",
};

// Adds the flags of a text, with blanks between them.
void AddFlags(absl::string_view text, std::vector<std::string>& flags) {
  for (const absl::string_view flag :
       absl::StrSplit(text, ' ', absl::SkipEmpty())) {
    flags.emplace_back(flag);
  }
}

std::vector<std::string> FlagsOf(const Settings& settings) {
  std::vector<std::string> flags(std::begin(kFlags), std::end(kFlags));
  if (absl::StartsWith(settings.device, "vulkan")) {
    flags.push_back("--iree-hal-target-device=vulkan");
  } else {
    flags.push_back("--iree-hal-target-device=local");
    flags.push_back("--iree-hal-local-target-device-backends=llvm-cpu");
    flags.push_back("--iree-llvmcpu-target-cpu=host");
  }
  AddFlags(settings.compile_flags, flags);
  return flags;
}

std::string HashOf(absl::string_view bytes) {
  const auto hash =
      Sha256({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
  return absl::BytesToHexString(
      {reinterpret_cast<const char*>(hash.data()), hash.size()});
}

// Returns what the system says of the first processor's features. Code for the
// host's CPU is not for another machine that shares the folder of the cache.
std::string ProcessorText() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (absl::StartsWith(line, "flags") || absl::StartsWith(line, "Features") ||
        absl::StartsWith(line, "isa")) {
      return line;
    }
  }
  return "";
}

absl::StatusOr<ProgramCache> CacheOf(const Settings& settings) {
  if (settings.cache == "off") return ProgramCache("", 0);
  ASSIGN_OR_RETURN(const ProgramCache cache, ProgramCache::FromEnvironment());
  return settings.cache.empty() ? cache
                                : ProgramCache(settings.cache, cache.limit());
}

absl::StatusOr<std::vector<Shape>> ShapesOf(
    const std::vector<ProgramArgument>& list, const char* what) {
  std::vector<Shape> shapes;
  for (size_t i = 0; i < list.size(); ++i) {
    const TensorType& type = list[i].type;
    absl::StatusOr<Shape> shape =
        ShapeOf(TypeNamed(type.element), type.dims.data(), type.dims.size());
    if (!shape.ok()) {
      return absl::UnimplementedError(
          absl::StrCat(what, " ", i, " of the program is an array of ",
                       type.element, ": ", shape.status().message()));
    }
    shapes.push_back(*std::move(shape));
  }
  return shapes;
}

absl::StatusOr<Interface> InterfaceOf(const ProgramSignature& signature) {
  if (signature.replicas > 1 || signature.partitions > 1) {
    return absl::UnimplementedError(
        absl::StrCat("The program is for ", signature.replicas,
                     " replicas and ", signature.partitions,
                     " partitions; this plug-in runs programs with one."));
  }
  Interface interface;
  interface.name = signature.name;
  ASSIGN_OR_RETURN(interface.arguments,
                   ShapesOf(signature.arguments, "Argument"));
  ASSIGN_OR_RETURN(interface.results, ShapesOf(signature.results, "Result"));
  for (const ProgramArgument& argument : signature.arguments) {
    interface.donated.push_back(argument.is_donated);
  }
  return interface;
}

absl::StatusOr<absl::string_view> CodeOf(const Program& program) {
  ASSIGN_OR_RETURN(const absl::string_view format,
                   TextIn(program.format, program.format_size, "format"));
  if (format != "mlir") {
    return absl::UnimplementedError(
        absl::StrCat("The program's format is \"", PlainText(format, 64),
                     "\"; this plug-in compiles \"mlir\" (StableHLO)."));
  }
  return TextIn(program.code, program.code_size, "code");
}

}  // namespace

absl::StatusOr<ImagePtr> ImageOf(std::string file,
                                 std::string compile_options) {
  auto image = std::make_shared<ProgramImage>();
  absl::StatusOr<Interface> interface = ReadNote(file);
  if (interface.ok()) {
    image->interface = *std::move(interface);
  } else if (!absl::IsNotFound(interface.status())) {
    return interface.status();
  }
  image->fingerprint = HashOf(file);
  image->file = std::move(file);
  image->compile_options = std::move(compile_options);
  return image;
}

ProgramCompiler::ProgramCompiler(const Settings& settings)
    : flags_(FlagsOf(settings)),
      pool_(CompilerPool::Create(
          {.library = settings.compiler,
           .timeout = settings.compile_timeout_ms == 0
                          ? absl::InfiniteDuration()
                          : absl::Milliseconds(settings.compile_timeout_ms),
           .workers = static_cast<int>(settings.compile_workers)})),
      cache_(CacheOf(settings)) {}

std::unique_ptr<ProgramCompiler> ProgramCompiler::Create(
    const Settings& settings) {
  return std::unique_ptr<ProgramCompiler>(new ProgramCompiler(settings));
}

absl::StatusOr<ImagePtr> ProgramCompiler::Compile(const Program& program,
                                                  std::string compile_options) {
  ASSIGN_OR_RETURN(const absl::string_view code, CodeOf(program));
  ASSIGN_OR_RETURN(const CompileOptions options,
                   ReadCompileOptions(compile_options));
  std::vector<std::string> flags = flags_;
  AddFlags(options.flags, flags);
  ASSIGN_OR_RETURN(const std::string identity, pool_->Identity());
  RETURN_IF_ERROR(cache_.status());
  std::vector<std::string> parts = {"5", identity, eyrie_version(),
                                    ProcessorText(), std::string(code)};
  parts.insert(parts.end(), flags.begin(), flags.end());
  const std::vector<std::string_view> views(parts.begin(), parts.end());
  const std::string key = ProgramCache::Key(views);
  std::optional<std::string> found = cache_->Get(key);
  if (found) {
    absl::StatusOr<ImagePtr> image =
        ImageOf(*std::move(found), compile_options);
    if (image.ok() && (*image)->interface) return image;
  }
  ASSIGN_OR_RETURN(const CompiledProgram compiled,
                   pool_->Compile({{code.data(), code.size()}, flags}));
  ASSIGN_OR_RETURN(Interface interface, InterfaceOf(compiled.signature));
  ASSIGN_OR_RETURN(interface.imports, ImportsOf(compiled.custom_calls));
  interface.may_write = compiled.may_write;
  ASSIGN_OR_RETURN(std::string file, WithNote(compiled.module, interface));
  // A folder that is full or read-only costs only the next compilation.
  cache_->Put(key, file).IgnoreError();
  return ImageOf(std::move(file), std::move(compile_options));
}

}  // namespace eyrie::pjrt
