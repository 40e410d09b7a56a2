// Types that code shows, compared with those that the same functions declare,
// in modules of every release and backend.
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "abi/signature/inferred_types.h"
#include "abi/signature/signature_reader.h"
#include "gtest/gtest.h"
#include "tests/support/status_text.h"
#include "vm/module/verifier.h"

namespace eyrie::abi {
namespace {

namespace fs = std::filesystem;

struct Count {
  int tried = 0;
  int equal = 0;
};

// Reports whether every array that the function declares passes for the type.
bool Accepts(const Type& inferred, const Type& declared) {
  if (inferred.is(Type::Kind::kUnknown)) return true;
  if (!declared.is(Type::Kind::kArray)) return false;
  if (inferred.element != hal::ElementType::kNone &&
      inferred.element != declared.element) {
    return false;
  }
  return inferred.FitsShape(declared.shape);
}

void Compare(std::span<const Parameter> declared,
             const std::vector<Type>& inferred, Count& count) {
  for (size_t i = 0; i < declared.size(); ++i) {
    const Type& said = declared[i].type;
    // A !hal.buffer_view may be any array; its checks are the user's own.
    if (!said.is(Type::Kind::kArray) || !said.ranked) continue;
    ++count.tried;
    count.equal += inferred[i] == said;
    EXPECT_TRUE(Accepts(inferred[i], said))
        << i << ": " << inferred[i].ToString() << ", declared as "
        << said.ToString();
  }
}

// A module and what its functions declare.
struct Module {
  explicit Module(const fs::path& path) {
    const auto loaded = vm::LoadModule(path.string());
    EXPECT_TRUE(loaded.ok()) << StatusText(loaded);
    if (!loaded.ok()) return;
    verified = *loaded;
    TypeInference inference(*verified);
    for (const vm::ExportDef& exported : verified->def().exports) {
      Signature declared =
          ReadDeclaredSignature(exported.name, exported.function, inference);
      if (declared.source() != SignatureSource::kDeclaration) continue;
      signatures.emplace(std::string(exported.name), std::move(declared));
    }
  }

  std::shared_ptr<const vm::VerifiedModule> verified;
  std::map<std::string, Signature> signatures;
};

TEST(InferredTypes, AreThoseOfDeclarations) {
  std::map<std::string, Count> arguments;  // by release
  std::map<std::string, Count> results;
  for (const auto& entry : fs::recursive_directory_iterator("tests/modules")) {
    if (entry.path().extension() != ".vmfb") continue;
    const std::string release = entry.path().parent_path().filename().string();
    const Module module(entry.path());
    if (module.verified == nullptr) continue;
    // Compilers before that wrote no declarations.
    const fs::path later =
        fs::path("tests/modules/2.9") / entry.path().filename();
    const Module declaring(
        module.signatures.empty() && fs::exists(later) ? later : entry.path());
    TypeInference inference(*module.verified);
    for (const vm::ExportDef& exported : module.verified->def().exports) {
      SCOPED_TRACE(entry.path().string() + ": " + std::string(exported.name));
      const auto said = declaring.signatures.find(std::string(exported.name));
      if (said == declaring.signatures.end()) continue;
      const InferredTypes& types = inference.Of(exported.function);
      Compare(said->second.arguments(), types.arguments, arguments[release]);
      Compare(said->second.results(), types.results, results[release]);
    }
  }
  Count all;
  for (const auto& [release, count] : arguments) {
    const Count& result = results[release];
    std::printf("%-9s arguments %3d of %3d, results %3d of %3d\n",
                release.c_str(), count.equal, count.tried, result.equal,
                result.tried);
    all.tried += count.tried + result.tried;
    all.equal += count.equal + result.equal;
  }
  std::printf("equal: %d of %d\n", all.equal, all.tried);
  EXPECT_GT(all.tried, 500);
  EXPECT_GE(all.equal * 100, all.tried * 90);
}

}  // namespace
}  // namespace eyrie::abi
