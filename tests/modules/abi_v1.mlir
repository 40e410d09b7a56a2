// Exports with the records of `iree.abi`: numbers, arrays, lists, tuples,
// dicts, named arguments, strings; each gives back what it was given, or shows
// that it arrived in its place. tests/conformance/abi/modules.txt calls them.
// VARIANTS: plain
func.func @scalars(%a: i8, %b: i16, %c: i64, %d: f32) -> (i8, i16, i64, f32) attributes {iree.reflection = {"iree.abi" = "{\22a\22:[\22i8\22,\22i16\22,\22i64\22,\22f32\22],\22r\22:[\22i8\22,\22i16\22,\22i64\22,\22f32\22],\22v\22:1}"}} {
  return %a, %b, %c, %d : i8, i16, i64, f32
}

// x - 2 * y
func.func @named(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> attributes {iree.reflection = {doc = "x less twice y", "iree.abi" = "{\22a\22:[[\22named\22,\22x\22,[\22ndarray\22,\22f32\22,1,null]],[\22named\22,\22y\22,[\22ndarray\22,\22f32\22,1,null]]],\22r\22:[[\22ndarray\22,\22f32\22,1,null]]}"}} {
  %0 = arith.addf %y, %y : tensor<?xf32>
  %1 = arith.subf %x, %0 : tensor<?xf32>
  return %1 : tensor<?xf32>
}

// {b: i32, a: ndarray} to [a + b]: by slot, so the order of keys shows.
func.func @dict(%d: !util.list<?>) -> tensor<2xi32> attributes {iree.reflection = {"iree.abi" = "{\22a\22:[[\22sdict\22,[\22b\22,\22i32\22],[\22a\22,[\22ndarray\22,\22i32\22,1,2]]]],\22r\22:[[\22ndarray\22,\22i32\22,1,2]]}"}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = util.list.get %d[%c0] : !util.list<?> -> i32
  %view = util.list.get %d[%c1] : !util.list<?> -> !hal.buffer_view
  %a = hal.tensor.import %view "a" : !hal.buffer_view -> tensor<2xi32>
  %splat = tensor.from_elements %b, %b : tensor<2xi32>
  %sum = arith.addi %a, %splat : tensor<2xi32>
  return %sum : tensor<2xi32>
}

// The only result is a dict: here its slots, below one list.
func.func @dict_in_slots(%x: i32) -> (i32, tensor<2xi32>) attributes {iree.reflection = {"iree.abi" = "{\22a\22:[\22i32\22],\22r\22:[[\22sdict\22,[\22n\22,\22i32\22],[\22v\22,[\22ndarray\22,\22i32\22,1,2]]]]}"}} {
  %splat = tensor.from_elements %x, %x : tensor<2xi32>
  return %x, %splat : i32, tensor<2xi32>
}

func.func @dict_as_list(%x: i32) -> !util.list<?> attributes {iree.reflection = {"iree.abi" = "{\22a\22:[\22i32\22],\22r\22:[[\22sdict\22,[\22n\22,\22i32\22],[\22v\22,[\22ndarray\22,\22i32\22,1,2]]]]}"}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %list = util.list.create %c2 : !util.list<?>
  util.list.resize %list, %c2 : !util.list<?>
  %splat = tensor.from_elements %x, %x : tensor<2xi32>
  %view = hal.tensor.export %splat : tensor<2xi32> -> !hal.buffer_view
  util.list.set %list[%c0], %x : i32 -> !util.list<?>
  util.list.set %list[%c1], %view : !hal.buffer_view -> !util.list<?>
  return %list : !util.list<?>
}

// Lists come back as they went in: what records say is checked twice.
func.func @nest(%n: !util.list<?>) -> !util.list<?> attributes {iree.reflection = {"iree.abi" = "{\22a\22:[[\22slist\22,[\22stuple\22,\22i32\22,[\22sdict\22,[\22k\22,[\22ndarray\22,\22f32\22,2,null,2]],[\22m\22,null]]],[\22py_homogeneous_list\22,\22i64\22]]],\22r\22:[[\22slist\22,[\22stuple\22,\22i32\22,[\22sdict\22,[\22k\22,[\22ndarray\22,\22f32\22,2,null,2]],[\22m\22,null]]],[\22py_homogeneous_list\22,\22i64\22]]]}"}} {
  return %n : !util.list<?>
}

// The sum of a list of any length.
func.func @sum(%list: !util.list<i64>) -> i64 attributes {iree.reflection = {"iree.abi" = "{\22a\22:[[\22py_homogeneous_list\22,\22i64\22]],\22r\22:[\22i64\22]}"}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %size = util.list.size %list : !util.list<i64>
  %sum = scf.for %i = %c0 to %size step %c1 iter_args(%s = %zero) -> (i64) {
    %v = util.list.get %list[%i] : !util.list<i64>
    %t = arith.addi %s, %v : i64
    scf.yield %t : i64
  }
  return %sum : i64
}

// An array of strings is a list of them and one of its dimensions: the second
// row's first string.
func.func @ref_array(%pair: !util.list<?>) -> !util.list<i8> attributes {iree.reflection = {"iree.abi" = "{\22a\22:[[\22ndarray\22,[\22py_homogeneous_list\22,\22i8\22],2,null,null]]}"}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %values = util.list.get %pair[%c0] : !util.list<?> -> !util.list<?>
  %dims = util.list.get %pair[%c1] : !util.list<?> -> !util.list<i64>
  %columns = util.list.get %dims[%c1] : !util.list<i64>
  %at = arith.index_cast %columns : i64 to index
  %text = util.list.get %values[%at] : !util.list<?> -> !util.list<i8>
  return %text : !util.list<i8>
}

// Strings, without records.
func.func @strings(%a: !util.buffer, %b: !util.list<i8>) -> (!util.list<i8>, !util.buffer, index) {
  %size = util.list.size %b : !util.list<i8>
  return %b, %a, %size : !util.list<i8>, !util.buffer, index
}

// Keyword arguments that no name takes arrive as a dict.
func.func @keywords(%x: i32, %rest: !util.list<?>) -> i32 attributes {iree.reflection = {d = "{\22a\22:[[\22named\22,\22x\22,\22i32\22],[\22sdict_kwargs\22,[\22p\22,\22i32\22],[\22q\22,\22i32\22]]],\22r\22:[\22i32\22]}"}} {
  %c1 = arith.constant 1 : index
  %q = util.list.get %rest[%c1] : !util.list<?> -> i32
  %0 = arith.subi %q, %x : i32
  return %0 : i32
}

// Records that do not fit the function, and some that are no JSON.
func.func @wrong(%x: i32) -> i32 attributes {iree.reflection = {"iree.abi" = "{\22a\22:[\22i32\22,\22i32\22],\22r\22:[\22i32\22]}"}} {
  return %x : i32
}

func.func @malformed(%x: i32) -> i32 attributes {iree.reflection = {"iree.abi" = "{\22a\22:[\22i32\22"}} {
  return %x : i32
}

// Half floats as scalars, and arrays of every width.
func.func @small(%a: f16, %b: tensor<2xbf16>, %c: tensor<2xi1>, %d: tensor<2xi8>) -> (f16, tensor<2xbf16>, tensor<2xi1>, tensor<2xi8>) {
  return %a, %b, %c, %d : f16, tensor<2xbf16>, tensor<2xi1>, tensor<2xi8>
}

// Storage for a result comes with the arguments.
func.func @into(%x: tensor<3xf32>, %out: tensor<3xf32> {iree.abi.output = 0 : index}) -> tensor<3xf32> {
  %0 = arith.addf %x, %x : tensor<3xf32>
  return %0 : tensor<3xf32>
}
