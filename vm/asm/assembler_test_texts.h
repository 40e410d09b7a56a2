// Tables of assembler_test.cc: valid and invalid lines and texts.
#ifndef EYRIE_VM_ASM_ASSEMBLER_TEST_TEXTS_H_
#define EYRIE_VM_ASM_ASSEMBLER_TEST_TEXTS_H_

namespace eyrie::vm {

// The text around a line, which is the twelfth line of the text.
inline constexpr char kHead[] =
    "vm.module @m version 0\n"
    "vm.type i32\n"
    "vm.type !vm.buffer\n"
    "vm.type !vm.opaque\n"
    "vm.import @n.plain cconv \"0i_i\"\n"
    "vm.import @n.spread cconv \"0iCiD_i\"\n"
    "vm.import optional @n.maybe cconv \"0v_v\"\n"
    "vm.rodata[0] = 01\n"
    "vm.export @f\n";

inline constexpr const char* kSameLines[] = {
    "%i2 = vm.add.i32 %i0, %i1",
    "%i4:5 = vm.add.i64 %i0:1, %i2:3",
    "%i4:5 = vm.shl.i64 %i0:1, %i2",
    "%i0 = vm.const.i32 -1  // 0xFFFFFFFF",
    "%i0:1 = vm.const.i64 9  // 0x0000000000000009",
    "%i0 = vm.const.f32 -0.5",
    "%i0 = vm.const.f32 -nan(0x1)",
    "%i0:1 = vm.const.f64 0.10000000000000001",
    "%i0 = vm.const.i32.zero",
    "%r0 = vm.const.ref.rodata 0  // 1b",
    "%i3 = vm.select.i32 %i0 ? %i1 : %i2",
    "%i4:5 = vm.select.f64 %i0 ? %i2:3 : %i4:5",
    "%r2 = vm.select.ref %i0 ? %R0 : %r1 -> !vm.buffer",
    "%i3 = vm.switch.i32 %i0[%i1, %i2] else %i2",
    "%i4:5 = vm.switch.i64 %i0[%i2, %i4] else %i2:3",
    "%i4:5 = vm.switch.f64 %i0[] else %i2:3",
    "%r2 = vm.switch.ref %i0[%r0, %R1] else %R2 -> !vm.buffer",
    "%r0 = vm.cast.any.ref %R0 : !vm.ref<?> -> !vm.buffer",
    "%r0 = vm.list.alloc %i0 : !vm.list<!vm.opaque>",
    "%r0 = vm.list.get.ref %r1, %i0 : !vm.buffer",
    "%R0 = vm.list.get.ref %r1, %i0 : !vm.buffer",
    "vm.list.set.ref %r1, %i0, %R0",
    "%i0 = vm.global.load.i32 .rwdata[4]",
    "vm.global.store.f64 %i0:1, .rwdata[8]",
    "%r0 = vm.global.load.ref .refs[1] : !vm.buffer",
    "vm.global.store.ref %R0, .refs[1] : !vm.buffer",
    "%i0 = vm.global.load.indirect.i32 %i1",
    "vm.global.store.indirect.i64 %i2, %i0:1",
    "vm.global.store.indirect.ref %i2 : !vm.buffer, %R0",
    "vm.buffer.store.i16 %i0, %r0, %i2:3",
    "vm.buffer.copy %r0, %i0:1, %r1, %i2:3, %i4:5",
    "%i0 = vm.import.resolved @n.maybe",
    "%i1 = vm.call @n.plain(%i0)",
    "vm.call @f()",
    "%i1 = vm.call.variadic @n.spread segments[0, 2](%i0, %i1, %i2)",
    "vm.trace \"name\"",
    "vm.print \"a, b\", %i0, %R1",
    "vm.print e\"a\\n\\\"b\\\"\", %i0",
    "vm.discard.refs %r0, %r1",
    "vm.discard.refs",
    "%r0 = vm.assign.ref %R1",
};

struct LinePair {
  const char* line;
  const char* want;
};

inline constexpr LinePair kOtherLines[] = {
    {"%i2=vm.add.i32 %i0,%i1  # said so", "%i2 = vm.add.i32 %i0, %i1"},
    {"[0000000C]  %i2 = add.i32 %i0, %i1", "%i2 = vm.add.i32 %i0, %i1"},
    {"%i0 = vm.const.i32 0x10", "%i0 = vm.const.i32 16  // 0x00000010"},
    {"%i0 = vm.const.i32 4294967295", "%i0 = vm.const.i32 -1  // 0xFFFFFFFF"},
    {"%i0 = vm.const.f32 0x1p-1", "%i0 = vm.const.f32 0.5"},
    {"%i0 = vm.global.load.indirect.i32 .rwdata[%i1]",
     "%i0 = vm.global.load.indirect.i32 %i1"},
    {"vm.global.store.indirect.i32 %i0, .rwdata[%i1]",
     "vm.global.store.indirect.i32 %i1, %i0"},
    {"%r0 = vm.global.load.indirect.ref .refs[%i0] : !vm.buffer",
     "%r0 = vm.global.load.indirect.ref %i0 : !vm.buffer"},
    {"vm.global.store.indirect.ref %R0, .refs[%i0] : !vm.buffer",
     "vm.global.store.indirect.ref %i0 : !vm.buffer, %R0"},
    {"vm.print \"name\"(%i0, %r0)", "vm.print \"name\", %i0, %r0"},
    {"vm.trace \"name\"()", "vm.trace \"name\""},
    // A ',' after the last entry of a list.
    {"%i2 = vm.add.i32 %i0, %i1,", "%i2 = vm.add.i32 %i0, %i1"},
    {"%i1, = vm.call @n.plain(%i0,)", "%i1 = vm.call @n.plain(%i0)"},
    {"vm.discard.refs %r0, %r1 ,", "vm.discard.refs %r0, %r1"},
    {"%i1 = vm.call.variadic @n.spread segments[ 0, 1, ] ( %i0, %i1 )",
     "%i1 = vm.call.variadic @n.spread segments[0, 1](%i0, %i1)"},
    {"vm.print \"name\",", "vm.print \"name\""},
    // Numbers as in C.
    {"%i0 = vm.const.i32 010", "%i0 = vm.const.i32 8  // 0x00000008"},
    {"%i0 = vm.const.i32 +5", "%i0 = vm.const.i32 5  // 0x00000005"},
    {"%i0 = vm.const.f32 +.5", "%i0 = vm.const.f32 0.5"},
    {"%i0 = vm.global.load.i32 .rwdata[0x4]",
     "%i0 = vm.global.load.i32 .rwdata[4]"},
    {"%r0 = vm.const.ref.rodata 0x0", "%r0 = vm.const.ref.rodata 0  // 1b"},
    // The type of the operand of a cast decides nothing.
    {"%r0 = vm.cast.any.ref %R0 : !vm.list<i8> -> !vm.buffer",
     "%r0 = vm.cast.any.ref %R0 : !vm.ref<?> -> !vm.buffer"},
    {"%r0 = vm.list.alloc %i0 : !vm.list<vm.buffer>",
     "%r0 = vm.list.alloc %i0 : !vm.list<!vm.buffer>"},
    {"vm.call @m:0()", "vm.call @f()"},
    {"vm.call @m.f()", "vm.call @f()"},
    {"%i1 = vm.call @import[0](%i0)", "%i1 = vm.call @n.plain(%i0)"},
    {"%i4:5 = vm.switch.i64 %i0[%i2:3, %i4:5] else %i2:3",
     "%i4:5 = vm.switch.i64 %i0[%i2, %i4] else %i2:3"},
};

// Columns start at 1; the lines are indented by two.
inline constexpr LinePair kWrongLines[] = {
    {"%i2 = vm.add.i31 %i0", "9: Instruction 'vm.add.i31' does not exist."},
    {"nonsense", "3: Instruction 'nonsense' does not exist."},
    {"= 3", "3: Expected an instruction."},
    {"%i2 vm.add.i32", "3: Expected '=' after the results."},
    {"vm.add.i32 %i0, %i1", "3: vm.add.i32 has a result"},
    {"%i0 = vm.return", "3: vm.return has no results before '='."},
    {"%i2 = vm.add.i32 %i0", "23: Expected ','."},
    {"%i2 = vm.add.i32 %i0, %i1, %i2", "28: Expected the end of the line."},
    {"%i2 = vm.add.i32 %i0, %r1", "25: Expected a number"},
    {"%i2 = vm.add.i32 %i0, i1", "25: Expected a register"},
    {"%i2 = vm.add.i32 %i0, %i", "25: Expected a register"},
    {"%i2 = vm.add.i32 %i0, %i32767",
     "25: Register i32767 does not exist; the last is 32766."},
    {"%r0 = vm.assign.ref %r16383",
     "23: Register r16383 does not exist; the last is 16382."},
    {"%i2 = vm.add.i32 %i0, %i2:3", "25: Expected one register: %i2."},
    {"%i2:3 = vm.add.i64 %i0:1, %i2",
     "29: Expected a pair of registers: %i2:3."},
    {"%i2:3 = vm.add.i64 %i0:1, %i3:4",
     "29: A pair must begin with an even register."},
    {"%i2:3 = vm.add.i64 %i0:1, %i2:4",
     "29: The registers of a pair must be adjacent: %i2:3."},
    {"%i2:3 = vm.buffer.length %i0", "28: Expected a ref"},
    {"%i2:3 = vm.buffer.length %R0",
     "28: This operand does not move its reference; write %r0."},
    {"%i0 = vm.const.i32 4294967296",
     "22: The number 4294967296 exceeds 32 "
     "bits."},
    {"%i0 = vm.const.i32 99999999999999999999",
     "22: The number 99999999999999999999 exceeds 32 bits."},
    {"%i0 = vm.const.i32 -0xFFFFFFFFFFFFFFFFF",
     "22: The number -0xFFFFFFFFFFFFFFFFF exceeds 32 bits."},
    {"%i2 = vm.add.i32 %i0, %i99999999999",
     "25: Register i99999999999 does not exist; the last is 32766."},
    {"%i2 = vm.add.i32 %i0, %i1x", "25: Expected a register"},
    {"%i2 = vm.add.i32 %i0, %i010", "25: Expected a register"},
    {"%i0 = vm.const.i32 08", "22: Expected an integer of 32 bits."},
    {"vm.discard.refs %r0,,", "23: Expected a register"},
    {"%i0 = vm.const.f32 1e40", "22: The number exceeds f32."},
    {"%r0 = vm.const.ref.rodata 1",
     "3: const.ref.rodata names constant 1; the "
     "module has 1."},
    {"%i0 = vm.global.load.i32 @none", "28: Global @none does not exist."},
    {"%i0 = vm.global.load.i32 .refs[0]", "28: Expected '.rwdata['."},
    {"%i0 = vm.global.load.i32 .rwdata[999999999]", "46: The place exceeds"},
    {"vm.call @none()", "11: Function @none does not exist."},
    {"vm.call @other:0()", "11: The module is @m, not @other."},
    {"%i0 = vm.import.resolved @f", "28: Import @f does not exist."},
    {"vm.call @import[9]()", "11: Import 9 does not exist."},
    {"%i0 = vm.call.variadic @n.spread segments[1, 70000](%i0)",
     "48: The count exceeds 65535."},
    {"vm.br ^none()\n^bb1:", "9: Block ^none does not exist."},
    {"vm.br none()", "9: Expected a block"},
    {"vm.br ^bb0(%i0->%r0)", "14: Values move only within their bank"},
    {"vm.br ^bb0(%r0->%R1)", "14: The target of a move cannot be moved"},
    {"vm.br ^bb0(%i0)", "17: Expected '->'."},
    {"vm.br_table %i0 { default: ^bb0(), 1: ^bb0() }",
     "38: Cases are numbered from 0; expected case 0."},
    {"vm.fail %i0, text", "16: Expected text in quotes."},
    {"%r0 = vm.list.alloc %i0 : i32", "29: Expected '!vm.list<'."},
    {"^bb0:", "3: Label ^bb0 is already defined."},
    {"^bb1:", "3: The block above has no end"},
    {"//! attr \"a\" = \"b\"", "7: Notes in a function must be loc[…]."},
};

struct TextPair {
  const char* text;
  const char* want;
};

inline constexpr TextPair kWrongTexts[] = {
    {"", "t:1:1: The text has no module; expected 'vm.module @name'."},
    {"\xEF\xBB\xBF",
     "t:1:1: The text has no module; expected 'vm.module @name'."},
    {"\xEF\xBB\xBFvm.module @m\n!", "t:2:1: Expected a directive."},
    // Columns count characters, not bytes.
    {"vm.module @\"\xE6\xBC\xA2\xE5\xAD\x97\" x",
     "t:1:17: Expected the end of the line."},
    {"vm.module @\"\"", "t:1:11: The module has no name."},
    {"vm.module @m\nvm.import @\"a b\" cconv \"0v_v\"",
     "t:2:11: Import @a b does not name its module."},
    {"vm.module @m\nvm.import @e\"a\\x1B\" cconv \"0v_v\"",
     "t:2:11: Import @a? does not name its module."},
    {"vm.module @m\n//! globals 4294967295 bytes, 0 refs",
     "t:2:13: A module may have at most 268435456 bytes of globals and "
     "16777216 refs."},
    {"vm.module @m\n//! globals 0 bytes, 16777217 refs",
     "t:2:13: A module may have at most 268435456 bytes of globals and "
     "16777216 refs."},
    {"vm.module @m\nvm.type !a<  // of what",
     "t:2:9: The type's closing '>' is missing."},
    {"vm.module @m\n//! loc[0] = name \"n\" loc[0]",
     "t:2:27: loc[0] is not defined yet; 0 are."},
    {"vm.module @m\n//! loc[0] = none\n//! loc[1] = call loc[0] from loc[2]",
     "t:3:35: loc[2] is not defined yet; 1 are."},
    {"vm.module @m\n//! loc[0] = fused [-2]",
     "t:2:21: loc[-2] is not defined yet; 0 are."},
    {"vm.module @m\n//! loc[0] = \"a\":4294967295:1",
     "t:2:18: The number 4294967295 exceeds 31 bits."},
    {"vm.module @m\n//! loc[0] = none\nvm.func @f() -> () {\n"
     "  vm.return  //! loc[77]",
     "t:4:22: loc[77] is not defined yet; 1 are."},
    {"vm.type i32", "t:1:1: The text must begin with 'vm.module @name'."},
    {"//! bytecode 17", "t:1:5: The text must begin with 'vm.module @name'."},
    {"vm.module m", "t:1:11: Expected a name that begins with '@'."},
    {"vm.module @m version x", "t:1:22: Expected a version."},
    {"vm.module @m\nvm.module @n",
     "t:2:10: The text must have only one vm.module."},
    {"vm.module @m\nvm.typ i32", "t:2:1: Directive 'vm.typ' does not exist."},
    {"vm.module @m\n!", "t:2:1: Expected a directive."},
    {"vm.module @m\nvm.type i32\nvm.type i32",
     "t:3:9: Type i32 is declared twice."},
    {"vm.module @m\nvm.import @a.b cconv \"0x_v\"",
     "t:2:22: 'x' at 1 of the calling convention \"0x_v\" is not a type."},
    {"vm.module @m\nvm.rodata[1] = 00",
     "t:2:11: Constants are numbered from 0; expected 0."},
    {"vm.module @m\nvm.rodata[0] = 012",
     "t:2:16: 3 digits do not fill whole bytes."},
    {"vm.module @m\nvm.rodata[0] = 0x",
     "t:2:17: Expected a hexadecimal digit."},
    {"vm.module @m\nvm.export @f", "t:2:11: Function @f does not exist."},
    {"vm.module @m\nvm.export @f = @g", "t:2:16: Function @g does not exist."},
    {"vm.module @m\nvm.export @f\nvm.export @f",
     "t:3:11: Export @f is declared twice."},
    {"vm.module @m\nvm.global.i32 @a = 1 : i32",
     "t:2:20: Globals must begin as 0; __init may set other values."},
    {"vm.module @m\nvm.global.i32 @a\nvm.global.i64 @a",
     "t:3:15: Global @a is declared twice."},
    {"vm.module @m\nvm.func @f() -> () {\n}",
     "t:3:1: The function has no instructions."},
    {"vm.module @m\nvm.func @f() -> () {\n  vm.br ^a()\n^a:\n}",
     "t:5:1: The function's last block has no end; block cannot end a block."},
    {"vm.module @m\nvm.func @f() -> () {\n  vm.return\n",
     "t:2:9: The function is not closed by '}'."},
    {"vm.module @m\nvm.func @f() -> () {\n  vm.return\n  vm.return\n}",
     "t:4:3: Expected a block's label after return."},
    {"vm.module @m\nvm.func @f(%i1: i32) -> () {",
     "t:2:12: Expected %i0 for this argument."},
    {"vm.module @m\nvm.func @f(%i0: i8) -> () {",
     "t:2:12: Argument type i8 is not valid; expected i32, i64, f32, f64 or a "
     "ref."},
    {"vm.module @m\nvm.func @f() -> (i8) {",
     "t:2:18: Result type i8 is not valid; expected i32, i64, f32, f64 or a "
     "ref."},
    {"vm.module @m\nvm.func @f() -> () {\n  vm.return\n}\n"
     "vm.func @f() -> () {\n",
     "t:5:9: Function @f is defined twice."},
    {"vm.module @m\nvm.func @f() -> () {\n  vm.return\n}\nvm.type i32\n",
     "t:5:8: This must come before the first function."},
    {"vm.module @m\n//! bytecode 14.0",
     "t:2:14: The module's bytecode version is 14.0; known are 13.0 (20230209 "
     "to 20230228), 15.0 (20230404 to 3.9), 16.0 (3.10), 17.0 (3.11 to 3.13)."},
    {"vm.module @m\n//! bytecode 13.0",
     "t:2:14: Modules with bytecode 13 can be read but not written; write 15 "
     "or "
     "later."},
    {"vm.module @m\n//! nothing", "t:2:5: Note 'nothing' does not exist."},
    {"vm.module @m\n//! requires X",
     "t:2:14: Expected one of EXT_F32 | EXT_F64 | YIELD | UNWIND."},
    {"vm.module @m\n//! func.name \"a\"",
     "t:2:5: Expected a function after this note."},
    {"vm.module @m\n//! loc[1] = none",
     "t:2:9: Locations are numbered from 0; expected 0."},
    {"vm.module @m\n//! rodata.external",
     "t:2:20: This note must come after its constant."},
    {"vm.module @m\nvm.rodata[0] = 00\n//! rodata.align 3",
     "t:3:18: The alignment must be a power of two up to 4096."},
    {"vm.module @m\n//! bytecode 15\nvm.func @f() -> () {\n"
     "  vm.discard.refs\n",
     "t:4:3: discard.refs requires bytecode 16; the module has 15."},
    {"vm.module @m\n//! func.registers 99999 i32, 1 ref",
     "t:2:32: A function may have at most 32767 i32 and 16383 ref registers."},
};

// Texts that upstream's assembler takes, and what they are as a dump prints
// them.
inline constexpr TextPair kOtherTexts[] = {
    // Exports may come first. Results may have names.
    {"vm.export @g=@f\n"
     "vm.module @m version 0x2\n"
     "vm.rodata[0x0]=0a\n"
     "vm.func @f(%i0: i32, %i1: i32,) -> (%i0: i32, sum: i32,) {\n"
     "  vm.return %i0, %i1,\n"
     "}\n",
     "vm.module @m version 2\n"
     "vm.rodata[0] = 0A\n"
     "\n"
     "vm.export @g\n"
     "vm.func @g(%i0: i32, %i1: i32) -> (i32, i32) {\n"
     "^bb0:\n"
     "  vm.return %i0, %i1\n"
     "}\n"},
    // Targets of branches, with and without a ',' or '()'.
    {"vm.module @m\n"
     "vm.func @f(%i0: i32) -> () {\n"
     "  vm.cond_br %i0, ^a ^b\n"
     "^a:\n"
     "  vm.br ^b(),\n"
     "^b:\n"
     "  vm.br_table %i0 {default: ^a 0: ^b(%i0->%i1) 0x1: ^a, }\n"
     "}\n",
     "vm.module @m version 0\n"
     "\n"
     "vm.func @fn0(%i0: i32) -> () {\n"
     "^bb0:\n"
     "  vm.cond_br %i0, ^bb1(), ^bb2()\n"
     "^bb1:\n"
     "  vm.br ^bb2()\n"
     "^bb2:\n"
     "  vm.br_table %i0 { default: ^bb1(), 0: ^bb2(%i0->%i1), 1: ^bb1() }\n"
     "}\n"},
    // The registers that upstream's assembler declares: those that the code
    // names.
    {"vm.module @m version 0\n"
     "//! func.registers 0 i32, 0 ref\n"
     "vm.func @f(%i0: i32, %r0: !vm.buffer) -> () {\n"
     "  vm.return\n"
     "}\n",
     "vm.module @m version 0\n"
     "\n"
     "//! func.registers 0 i32, 0 ref\n"
     "vm.func @fn0(%i0: i32, %r0: !vm.ref<?>) -> () {\n"
     "^bb0:\n"
     "  vm.return\n"
     "}\n"},
};

// Texts that are unchanged after assembling and disassembling.
inline constexpr const char* kWholeTexts[] = {
    "vm.module @m version 3\n",
    // Every kind of note.
    "vm.module @\"odd name\" version 3\n"
    "//! bytecode 15.0\n"
    "//! requires EXT_F32 | YIELD\n"
    "//! archive zip\n"
    "//! attr \"key\" = \"value\"\n"
    "//! attr e\"a\\\"b\" = \"\"\n"
    "//! depends @hal version 6\n"
    "//! depends optional @more version 0\n"
    "vm.type i32\n"
    "vm.type \"an odd/type\"\n"
    "vm.type \"!a<\"\n"
    "vm.type \"!a<b<c>\"\n"
    "vm.import @hal.one cconv \"0rCiD_i\"\n"
    "//! import.attr \"nosideeffects\" = \"\"\n"
    "vm.import optional @\"h al.two\" cconv \"0v_v\"\n"
    "vm.rodata[0] = 0102\n"
    "vm.rodata[1] = 68656C6C6F  // \"hello\"\n"
    "//! rodata.external \"hello.txt\"\n"
    "vm.rodata[2] = \n"
    "//! globals 64 bytes, 3 refs\n"
    "//! loc[0] = none\n"
    "//! loc[1] = \"a.mlir\":3:4\n"
    "//! loc[2] = name \"n\" loc[1]\n"
    "//! loc[3] = call loc[2] from loc[1]\n"
    "//! loc[4] = fused \"meta\" [1, 3]\n"
    "//! loc[5] = fused []\n"
    "//! loc[6] = name \"n\" loc[-1]\n"
    "\n"
    "vm.export @__init\n"
    "vm.export @\"al ias\" = @__init\n"
    "//! func.attr \"iree.abi.declaration\" = \"sync func @f()\"\n"
    "//! func.name \"inner\"\n"
    "//! func.requires EXT_F64\n"
    "//! func.registers 9 i32, 4 ref\n"
    "vm.func @__init(%r0: !vm.ref<?>, %i0: i32, %i1:2: i64) -> (i64) {\n"
    "^bb0:  //! loc[3]  // n (a.mlir:3:4)\n"
    "  %r1 = vm.list.alloc %i0 : !vm.list<\"an odd/type\">\n"
    "  vm.br ^bb1(%R0->%r1, %i0->%i4)  //! loc[1]  // a.mlir:3:4\n"
    "^bb1:  //! loc[-1]\n"
    "  vm.return %i2\n"
    "}\n",
    // The order of exports differs from that of their functions.
    "vm.module @m version 0\n"
    "\n"
    "vm.export @second\n"
    "vm.export @first\n"
    "\n"
    "vm.func @first() -> () {\n"
    "^bb0:\n"
    "  vm.call @second()\n"
    "  vm.return\n"
    "}\n"
    "\n"
    "vm.func @second() -> () {\n"
    "^bb0:\n"
    "  vm.return\n"
    "}\n",
    // Yieldable calls.
    "vm.module @m version 0\n"
    "vm.import @n.spread cconv \"0CiD_i\"\n"
    "\n"
    "vm.func @fn0(%i0: i32) -> (i32) {\n"
    "^bb0:\n"
    "  vm.call.yieldable @fn0(%i0) -> ^bb1(%i1)\n"
    "^bb1:\n"
    "  vm.call.variadic.yieldable @n.spread segments[2](%i0, %i1) -> "
    "^bb2(%i2)\n"
    "^bb2:\n"
    "  vm.cond_br %i2, ^bb3(), ^bb0(%i2->%i0)\n"
    "^bb3:\n"
    "  vm.cond_break %i2, ^bb4()\n"
    "^bb4:\n"
    "  vm.br_table %i2 { default: ^bb4(), 0: ^bb5(%i2->%i0), 1: ^bb5() }\n"
    "^bb5:\n"
    "  vm.fail %i0, \"no\"\n"
    "}\n",
};

inline constexpr TextPair kContents[] = {
    {"0a0B", "0A0B"},
    {"01 02  03", "010203"},
    {"\"abc\"", "616263"},
    {"e\"\\x00\\n\"", "000A"},
    {"i8 [1, -1, 255]", "01FFFF"},
    {"i16 [258]", "0201"},
    {"i32 [-2]", "FEFFFFFF"},
    {"i64 []", ""},
    {"f32 [1, -0]", "0000803F00000080"},
    {"f64 [1]", "000000000000F03F"},
};

}  // namespace eyrie::vm

#endif  // EYRIE_VM_ASM_ASSEMBLER_TEST_TEXTS_H_
