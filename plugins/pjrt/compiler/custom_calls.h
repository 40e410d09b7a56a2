// Replaces the custom calls of a program, which the compiler refuses.
//
// A call that only places data, such as "Sharding", is replaced by its
// operands: programs have one device. Any other call becomes a call of an
// import, "xla.call0", and its text is kept, from which the host makes the
// import's manifest. Calls with tokens stay. Included by the program of the
// compiler's process. Tested by compiler_process_test.cc,
// python/jax_plugin_test.py.
#ifndef EYRIE_PLUGINS_PJRT_COMPILER_CUSTOM_CALLS_H_
#define EYRIE_PLUGINS_PJRT_COMPILER_CUSTOM_CALLS_H_

#include <cstdio>
#include <cstring>

#include "plugins/pjrt/compiler/attribute_text.h"
#include "plugins/pjrt/compiler/compiler_library.h"
#include "plugins/pjrt/compiler/growing_text.h"

namespace eyrie::pjrt {

class CustomCalls {
 public:
  CustomCalls(const CompilerLibrary& library, MlirOperation module)
      : library_(library), module_(module) {}

  void Replace() {
    MlirOperation call = {};
    Walk(module_);
    for (size_t i = 0; i < found_.size() / sizeof(call); ++i) {
      memcpy(&call, found_.data() + i * sizeof(call), sizeof(call));
      ReplaceOne(call);
    }
  }

  // Returns four texts for each import, each with a NUL at its end: the
  // attribute call_target_name, the types of the operands, those of the
  // results, and the other attributes, with commas between them.
  const GrowingText& imports() const { return imports_; }
  // Reports whether the program may change its arguments.
  bool may_write() const { return may_write_; }

 private:
  static constexpr const char* kPlacements[] = {
      "Sharding", "SPMDFullToShardShape", "SPMDShardToFullShape",
      "annotate_device_placement", "LayoutConstraint"};

  // Collects the custom calls in an operation, without recursion: the order of
  // regions is a stack of operations.
  void Walk(MlirOperation top) {
    GrowingText stack;
    Push(stack, top);
    while (stack.size() != 0) {
      const MlirOperation at = Pop(stack);
      if (IsCustomCall(at)) {
        Push(found_, at);
      } else {
        may_write_ = may_write_ || !IsReading(at);
      }
      for (MlirRegion region = library_.OperationGetFirstRegion(at);
           region.pointer != nullptr;
           region = library_.RegionGetNextInOperation(region)) {
        for (MlirBlock block = library_.RegionGetFirstBlock(region);
             block.pointer != nullptr;
             block = library_.BlockGetNextInRegion(block)) {
          for (MlirOperation each = library_.BlockGetFirstOperation(block);
               each.pointer != nullptr;
               each = library_.OperationGetNextInBlock(each)) {
            Push(stack, each);
          }
        }
      }
    }
  }

  // Reports whether an operation is in reading_operations.def. Its name is
  // "stablehlo.add", "vhlo.add_v1", "func.call" or "builtin.module".
  bool IsReading(MlirOperation operation) {
    MlirText name =
        library_.IdentifierStr(library_.OperationGetName(operation));
    const auto* const dot =
        static_cast<const char*>(memchr(name.data, '.', name.size));
    if (dot == nullptr) return false;
    name.size -= static_cast<size_t>(dot + 1 - name.data);
    name.data = dot + 1;
    constexpr const char* kReading[] = {
#define READING_OPERATION(name) name,
#include "plugins/pjrt/compiler/reading_operations.def"
    };
    for (const char* const reading : kReading) {
      const size_t size = strlen(reading);
      if (name.size < size || memcmp(name.data, reading, size) != 0) continue;
      // The version of VHLO has one digit.
      if (name.size == size ||
          (name.size == size + 3 && memcmp(name.data + size, "_v", 2) == 0)) {
        return true;
      }
    }
    return false;
  }

  static void Push(GrowingText& row, MlirOperation operation) {
    row.Append(reinterpret_cast<const char*>(&operation), sizeof(operation));
  }
  static MlirOperation Pop(GrowingText& row) {
    MlirOperation operation;
    row.Resize(row.size() - sizeof(operation));
    memcpy(&operation, row.data() + row.size(), sizeof(operation));
    return operation;
  }

  // The dialect is StableHLO, or VHLO, its serialized form.
  bool IsCustomCall(MlirOperation operation) {
    return HasName(operation, "stablehlo.custom_call") ||
           HasName(operation, "vhlo.custom_call_v1");
  }
  bool HasName(MlirOperation operation, const char* name) {
    const MlirText text =
        library_.IdentifierStr(library_.OperationGetName(operation));
    return text.size == strlen(name) && memcmp(text.data, name, text.size) == 0;
  }

  void ReplaceOne(MlirOperation call) {
    GrowingText target;
    const MlirAttribute name = library_.OperationGetAttributeByName(
        call, {"call_target_name", strlen("call_target_name")});
    if (name.pointer == nullptr) return;
    library_.AttributePrint(name, AppendText, &target);
    const intptr_t results = library_.OperationGetNumResults(call);
    if (IsPlacement(target) &&
        results == library_.OperationGetNumOperands(call)) {
      for (intptr_t i = 0; i < results; ++i) {
        library_.ValueReplaceAllUsesOfWith(
            library_.OperationGetResult(call, i),
            library_.OperationGetOperand(call, i));
      }
      library_.OperationDestroy(call);
      return;
    }
    Import(call, target);
  }

  static bool IsPlacement(const GrowingText& target) {
    for (const char* const name : kPlacements) {
      if (HasValue(target, name)) return true;
    }
    return false;
  }

  // Replaces the call by one of an import. Equal calls share it.
  void Import(MlirOperation call, const GrowingText& target) {
    GrowingText operands, results, attributes, text;
    if (!PrintTypes(call, operands, results)) return;
    PrintAttributes(call, attributes);
    const GrowingText* const parts[] = {&target, &operands, &results,
                                        &attributes};
    for (const GrowingText* const part : parts) {
      text.Append(part->data(), part->size());
      text.Append("", 1);
    }
    const size_t index = IndexOf(text);
    char name[32];
    snprintf(name, sizeof(name), "xla.call%zu", index);
    const bool is_new = index == count_;
    const bool is_vhlo = HasName(call, "vhlo.custom_call_v1");
    if (is_new) {
      if (!Declare(call, name, operands, results, is_vhlo)) return;
      ++count_;
      imports_.Append(text.data(), text.size());
    }
    CallImport(call, name, is_vhlo);
  }

  // Returns the index of an import, or the number of imports if it is new.
  size_t IndexOf(const GrowingText& text) const {
    size_t index = 0;
    for (size_t at = 0; at < imports_.size();) {
      size_t end = at;
      for (int part = 0; part < 4; ++part) {
        end += strlen(imports_.data() + end) + 1;
      }
      if (end - at == text.size() &&
          memcmp(imports_.data() + at, text.data(), text.size()) == 0) {
        return index;
      }
      at = end;
      ++index;
    }
    return index;
  }

  // Returns false if there are tokens.
  bool PrintTypes(MlirOperation call, GrowingText& operands,
                  GrowingText& results) {
    for (intptr_t i = 0; i < library_.OperationGetNumOperands(call); ++i) {
      PrintType(library_.OperationGetOperand(call, i), operands);
    }
    for (intptr_t i = 0; i < library_.OperationGetNumResults(call); ++i) {
      PrintType(library_.OperationGetResult(call, i), results);
    }
    return !Contains(operands, "token") && !Contains(results, "token");
  }
  void PrintType(MlirValue value, GrowingText& out) {
    if (out.size() != 0) out.Append(", ", 2);
    library_.TypePrint(library_.ValueGetType(value), AppendText, &out);
  }
  static bool Contains(GrowingText& text, const char* word) {
    text.Append("", 1);
    const bool found = strstr(text.data(), word) != nullptr;
    text.Resize(text.size() - 1);
    return found;
  }

  void PrintAttributes(MlirOperation call, GrowingText& out) {
    for (intptr_t i = 0; i < library_.OperationGetNumAttributes(call); ++i) {
      const MlirNamedAttribute each = library_.OperationGetAttribute(call, i);
      const MlirText name = library_.IdentifierStr(each.name);
      if (name.size == strlen("call_target_name") &&
          memcmp(name.data, "call_target_name", name.size) == 0) {
        continue;
      }
      if (out.size() != 0) out.Append(", ", 2);
      out.Append(name.data, name.size);
      out.Append(" = ", 3);
      library_.AttributePrint(each.attribute, AppendText, &out);
    }
  }

  // Declares the import as a private function.
  bool Declare(MlirOperation call, const char* name,
               const GrowingText& operands, const GrowingText& results,
               bool is_vhlo) {
    GrowingText text;
    text.Append(is_vhlo
                    ? "\"vhlo.func_v1\"() <{arg_attrs = #vhlo.array_v1<[]>, "
                      "res_attrs = #vhlo.array_v1<[]>, function_type = "
                      "#vhlo.type_v1<!vhlo.func_v1<("
                    : "\"func.func\"() <{function_type = (");
    // VHLO writes an empty list as "()", and no parentheses around results.
    if (is_vhlo && operands.size() == 0) text.Append("()");
    text.Append(operands.data(), operands.size());
    text.Append(is_vhlo ? ") -> " : ") -> (");
    if (is_vhlo && results.size() == 0) text.Append("()");
    text.Append(results.data(), results.size());
    text.Append(is_vhlo ? ">>, sym_name = #vhlo.string_v1<\""
                        : "), sym_name = \"");
    text.Append(name);
    text.Append(is_vhlo ? "\">, sym_visibility = #vhlo.string_v1<\"private\">}>"
                        : "\", sym_visibility = \"private\"}>");
    text.Append(" ({}) : () -> ()");
    text.Append("", 1);
    const MlirOperation declared = library_.OperationCreateParse(
        library_.OperationGetContext(call), {text.data(), text.size() - 1},
        {name, strlen(name)});
    if (declared.pointer == nullptr) return false;
    library_.BlockInsertOwnedOperation(
        library_.RegionGetFirstBlock(library_.OperationGetRegion(module_, 0)),
        0, declared);
    return true;
  }

  void CallImport(MlirOperation call, const char* name, bool is_vhlo) {
    const MlirContext context = library_.OperationGetContext(call);
    GrowingText callee;
    callee.Append(is_vhlo ? "#vhlo.string_v1<\"" : "@\"");
    callee.Append(name);
    callee.Append(is_vhlo ? "\">" : "\"");
    const MlirNamedAttribute attribute = {
        library_.IdentifierGet(context, {"callee", strlen("callee")}),
        library_.AttributeParseGet(context, {callee.data(), callee.size()})};
    const char* const operation = is_vhlo ? "vhlo.call_v1" : "func.call";
    MlirOperationState state = library_.OperationStateGet(
        {operation, strlen(operation)}, library_.OperationGetLocation(call));
    library_.OperationStateAddAttributes(&state, 1, &attribute);
    for (intptr_t i = 0; i < library_.OperationGetNumOperands(call); ++i) {
      const MlirValue operand = library_.OperationGetOperand(call, i);
      library_.OperationStateAddOperands(&state, 1, &operand);
    }
    const intptr_t results = library_.OperationGetNumResults(call);
    for (intptr_t i = 0; i < results; ++i) {
      const MlirType type =
          library_.ValueGetType(library_.OperationGetResult(call, i));
      library_.OperationStateAddResults(&state, 1, &type);
    }
    const MlirOperation made = library_.OperationCreate(&state);
    library_.BlockInsertOwnedOperationBefore(library_.OperationGetBlock(call),
                                             call, made);
    for (intptr_t i = 0; i < results; ++i) {
      library_.ValueReplaceAllUsesOfWith(library_.OperationGetResult(call, i),
                                         library_.OperationGetResult(made, i));
    }
    library_.OperationDestroy(call);
  }

  const CompilerLibrary& library_;
  const MlirOperation module_;
  GrowingText found_;  // operations
  GrowingText imports_;
  size_t count_ = 0;  // of imports
  bool may_write_ = false;
};

}  // namespace eyrie::pjrt

#endif  // EYRIE_PLUGINS_PJRT_COMPILER_CUSTOM_CALLS_H_
