// Any bytes may be rejected as a module, but must not crash. The contents of an
// accepted module can be read without further checks.
//
// Bytes that may be a module file are loaded as one. Others are used as the
// code of a function in a valid module, so that they reach the verifier. See
// tests/fuzz/BUILD for how to run it.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "tests/support/module_builder.h"
#include "vm/module/archive.h"
#include "vm/module/module_def.h"
#include "vm/module/verifier.h"

namespace {

using eyrie::vm::Archive;
using eyrie::vm::ModuleDef;
using eyrie::vm::VerifiedModule;

bool CouldBeAFile(const uint8_t* data, size_t size) {
  return (size >= 4 && std::memcmp(data, "PK\x03\x04", 4) == 0) ||
         (size >= 12 && std::memcmp(data + 8, "IREE", 4) == 0);
}

uint64_t Touch(const VerifiedModule& module) {
  uint64_t sum = 0;
  const ModuleDef& def = module.def();
  for (uint32_t i = 0; i < def.functions.size(); ++i) {
    sum += module.signature(i).ToString().size() + def.FunctionName(i).size();
    uint32_t size = static_cast<uint32_t>(def.functions[i].bytecode.size());
    for (uint32_t offset : {0u, size / 2, size}) {
      for (const auto& location : def.FindLocations(i, offset)) {
        sum += location.ToString().size();
      }
    }
  }
  for (const auto& rodata : def.rodata) {
    for (uint8_t byte : rodata.bytes) sum += byte;
  }
  for (uint32_t i = 0; i < def.imports.size(); ++i) {
    sum += module.import_signature(i).ToString().size();
  }
  return sum;
}

void Load(const uint8_t* data, size_t size) {
  auto archive = Archive::Borrow({data, size}, "fuzz");
  if (!archive.ok()) return;
  auto def = ModuleDef::Decode(*std::move(archive));
  if (!def.ok()) return;
  auto module = VerifiedModule::Verify(*std::move(def));
  if (!module.ok()) return;
  volatile uint64_t sum = Touch(**module);
  (void)sum;
}

std::vector<uint8_t> Wrap(const uint8_t* code, size_t size) {
  eyrie::tests::ModuleBuilder module;
  module.AddFunction("f", "0iIr_v", "");
  module.functions[0].code.assign(code, code + size);
  for (size_t i = 0; i < size; ++i)
    module.functions[0].blocks += code[i] == 0x79;
  module.AddFunction("g", "0iIr_Ir", "a: return [i2 r0]");
  module.AddImport("ext.plain", "0ir_f");
  module.AddImport("ext.spans", "0iCrIDCiD_v");
  module.AddRodata({1, 2, 3});
  return module.Build();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (CouldBeAFile(data, size)) {
    Load(data, size);
  } else {
    std::vector<uint8_t> file = Wrap(data, size);
    Load(file.data(), file.size());
  }
  return 0;
}
